"""NextChat, as a compose file sets it up."""

from __future__ import annotations

import pytest

from doctor.clients.next_chat import join
from tests.settings.machine import Machine

KEY = "sk-made-up-000000000000"


@pytest.fixture
def machine(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    return Machine(tmp_path_factory.mktemp("machine"))


def compose(image: str, *variables: str) -> dict[str, str]:
    lines = "".join(f"      - {line}\n" for line in variables)
    return {"compose.yaml": f"services:\n  chat:\n    image: {image}\n    environment:\n{lines}"}


@pytest.mark.parametrize(
    "image", ["yidadaa/chatgpt-next-web", "docker.io/yidadaa/chatgpt-next-web:v2.16.0"]
)
def test_its_server_asks_the_base_url(machine: Machine, image: str) -> None:
    given = (f"OPENAI_API_KEY={KEY},sk-made-up-another", "BASE_URL=https://gateway.example/openai")
    (target,) = machine.discover(compose(image, *given)).targets
    made = target.connection
    assert (made.client, made.base_url.value) == ("next-chat", "https://gateway.example/openai")
    assert made.base_url.origin.name == "services.chat.environment.BASE_URL"
    assert made.key is not None
    assert made.key.value.reveal() == KEY


@pytest.mark.parametrize(
    ("image", "variables"),
    [
        ("yidadaa/chatgpt-next-web", ("AZURE_URL=https://a.example/openai/deployments/b",)),
        ("yidadaa/chatgpt-next-web", ()),
        ("example/next-web", ("BASE_URL=https://a.example",)),
    ],
)
def test_what_asks_nothing_of_that_kind(
    machine: Machine, image: str, variables: tuple[str, ...]
) -> None:
    found = machine.discover(compose(image, f"OPENAI_API_KEY={KEY}", *variables))
    assert [one.id for one in found.targets if one.connection.client == "next-chat"] == []


@pytest.mark.parametrize(
    ("base", "url"),
    [
        ("https://gateway.example/", "https://gateway.example/v1/chat/completions"),
        ("gateway.example/openai", "https://gateway.example/openai/v1/chat/completions"),
        ("https://gateway.example/v1", "https://gateway.example/v1/v1/chat/completions"),
    ],
)
def test_how_it_joins(base: str, url: str) -> None:
    assert join(base, "/v1/chat/completions") == url
