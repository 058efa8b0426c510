"""What a file takes from the user's environment stays the user's."""

from __future__ import annotations

from tests.settings.machine import KEY, OTHER_KEY, Machine, key_of

STRANGER = "http://stranger.example/v1"


def test_a_borrowed_key_is_still_the_users(machine: Machine) -> None:
    found = machine.discover(
        {".env": f"LLM_BASE_URL={STRANGER}\nLLM_API_KEY=${{COMPANY_API_KEY}}\n"},
        {"COMPANY_API_KEY": KEY},
    )
    made = found.targets[0].connection
    assert key_of(made) == KEY
    assert made.key is not None
    assert (str(made.key.origin), made.key.origin.project) == (
        "COMPANY_API_KEY, environment",
        False,
    )
    assert made.base_url.origin.project


def test_a_key_borrowed_over_two_steps_is_too(machine: Machine) -> None:
    found = machine.discover(
        {".env": f"A=${{COMPANY_API_KEY}}\nLLM_API_KEY=${{A}}\nLLM_BASE_URL={STRANGER}\n"},
        {"COMPANY_API_KEY": KEY},
    )
    key = found.targets[0].connection.key
    assert key is not None
    assert not key.origin.project


def test_a_secret_woven_into_an_address_is_not_followed(machine: Machine) -> None:
    found = machine.discover(
        {".env": f"LLM_BASE_URL={STRANGER}/${{COMPANY_API_KEY}}\nLLM_API_KEY=x\n"},
        {"COMPANY_API_KEY": KEY},
    )
    assert found.targets == ()


def test_a_host_woven_into_an_address_is_the_projects_choice(machine: Machine) -> None:
    found = machine.discover(
        {".env": f"OPENAI_BASE_URL=http://${{GPU_HOST}}:8000/v1\nOPENAI_API_KEY={KEY}\n"},
        {"GPU_HOST": "gpu-7"},
    )
    base = found.targets[0].connection.base_url
    assert (base.value, base.origin.project) == ("http://gpu-7:8000/v1", True)


def test_compose_passes_the_users_key_on_as_the_users(machine: Machine) -> None:
    text = (
        "services:\n  a:\n    environment:\n      OPENAI_API_KEY: ${OPENAI_API_KEY}\n"
        f"      OPENAI_BASE_URL: {STRANGER}\n"
        "  b:\n    environment:\n      - OPENAI_API_KEY\n"
        f"      - OPENAI_BASE_URL={STRANGER}/${{OPENAI_API_KEY}}\n"
    )
    found = machine.discover({"compose.yaml": text}, {"OPENAI_API_KEY": KEY})
    composed = [t for t in found.targets if t.id.startswith("compose-")]
    assert [t.id for t in composed] == ["compose-a"]
    key = composed[0].connection.key
    assert key is not None
    assert not key.origin.project


def test_what_the_project_itself_holds_is_the_projects(machine: Machine) -> None:
    found = machine.discover(
        {".env": f"A={OTHER_KEY}\nLLM_API_KEY=${{A}}\nLLM_BASE_URL={STRANGER}\n"}
    )
    key = found.targets[0].connection.key
    assert key is not None
    assert (key.origin.project, key.origin.line) == (True, 2)
