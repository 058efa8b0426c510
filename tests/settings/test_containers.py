"""Env files that docker, compose or a shell reads, and compose services."""

from __future__ import annotations

import pytest

from doctor.facts.settings import EnvReader, Role
from doctor.secrets import Secret
from doctor.settings.discover import TargetRequest
from tests.settings.machine import KEY, OTHER_KEY, Machine, key_of, sighting

ENV = f'OPENAI_API_KEY="{KEY}"\nOPENAI_BASE_URL=https://gateway.example/v1\n'


def test_without_evidence_python_dotenv_reads_it(machine: Machine) -> None:
    found = machine.discover({".env": ENV})
    assert key_of(found.targets[0].connection) == KEY
    assert found.settings.env_files[0].readers == ()


@pytest.mark.parametrize(
    "script",
    [
        "docker run --rm --env-file .env app",
        "run:\n\tdocker run --rm \\\n\t\t--env-file=./.env app\n",
        "podman run -d --env-file '.env' app",
        "docker container run -p 80:80 --env-file .env app",
    ],
)
def test_a_script_says_that_docker_reads_it(machine: Machine, script: str) -> None:
    found = machine.discover({".env": ENV, "Makefile": script})
    (target,) = found.targets
    assert target.id == "docker"
    assert key_of(target.connection) == f'"{KEY}"'
    assert found.settings.env_files[0].readers == (EnvReader.DOCKER,)
    assert sighting(found, Role.KEY, "OPENAI_API_KEY").in_container


@pytest.mark.parametrize(
    "script",
    [
        "docker compose --env-file .env up",
        "docker run app",
        "echo docker",
        "docker run -e A=.env x",
    ],
)
def test_other_commands_say_nothing(machine: Machine, script: str) -> None:
    found = machine.discover({".env": ENV, "run.sh": script})
    assert found.settings.env_files[0].readers == ()
    assert key_of(found.targets[0].connection) == KEY


def test_on_the_network_of_the_host_localhost_is_the_host(machine: Machine) -> None:
    script = "docker run --network host --env-file .env app"
    found = machine.discover({".env": ENV, "run.sh": script})
    assert not sighting(found, Role.BASE_URL, "OPENAI_BASE_URL").in_container


@pytest.mark.parametrize(
    ("value", "seen"),
    [("http://localhost:11434", [True]), ("0.0.0.0", []), ("127.0.0.1:11434", [])],
)
def test_a_url_in_ollama_host_is_a_clients(machine: Machine, value: str, seen: list[bool]) -> None:
    text = f"services:\n  app:\n    environment:\n      - OLLAMA_HOST={value}\n"
    found = machine.discover({"compose.yaml": text})
    bases = [s for s in found.settings.sightings if s.role is Role.BASE_URL]
    assert [base.in_container for base in bases] == seen


@pytest.mark.parametrize(
    ("mode", "seen"), [("host", [False]), ("bridge", [True]), ("'service:vllm'", [])]
)
def test_the_network_of_a_compose_service(machine: Machine, mode: str, seen: list[bool]) -> None:
    text = (
        f"services:\n  app:\n    network_mode: {mode}\n    environment:\n"
        "      OPENAI_BASE_URL: http://localhost:8000/v1\n      OPENAI_API_KEY: EMPTY\n"
    )
    found = machine.discover({"compose.yaml": text})
    bases = [s for s in found.settings.sightings if s.role is Role.BASE_URL]
    assert [base.in_container for base in bases] == seen


def test_docker_with_a_key_alone_goes_where_the_sdk_goes(machine: Machine) -> None:
    machine.write(".env", f'OPENAI_API_KEY="{KEY}"\n')
    request = TargetRequest(env_file=".env", env_reader="docker")
    made = machine.only(request=request).connection
    assert (made.base_url.value, key_of(made)) == ("https://api.openai.com/v1", f'"{KEY}"')


def test_a_script_that_sources_it_lets_the_file_win(machine: Machine) -> None:
    found = machine.discover(
        {".env": f"OPENAI_API_KEY={KEY}\r\n", "run.sh": "set -a\nsource .env\nset +a\n"},
        {"OPENAI_API_KEY": OTHER_KEY},
    )
    made = found.targets[0].connection
    assert key_of(made) == KEY + "\r"
    assert made.key is not None
    assert [s.value for s in made.key.shadows] == [Secret(OTHER_KEY)]


def test_a_program_that_loads_it_is_evidence_as_well(machine: Machine) -> None:
    found = machine.discover(
        {
            ".env": ENV,
            "Makefile": "docker run --env-file .env x",
            "app.py": "load_dotenv()\n",
        }
    )
    assert {target.id for target in found.targets} == {"openai-sdk", "docker"}


COMPOSE = """\
services:
  api:
    image: app
    env_file: .env
    environment:
      OPENAI_API_BASE: http://localhost:8000/v1
      LOG: "no"
"""


def test_a_compose_service(machine: Machine) -> None:
    found = machine.discover({"docker-compose.yml": COMPOSE, ".env": f'OPENAI_API_KEY="{KEY}"\n'})
    (target,) = found.targets
    assert (target.id, target.label) == ("compose-api", "docker-compose.yml (api)")
    base = sighting(found, Role.BASE_URL, "OPENAI_API_BASE")
    assert (base.value, base.in_container, base.in_effect_for) == (
        "http://localhost:8000/v1",
        True,
        ("compose-api",),
    )
    assert str(base.origin) == ("services.api.environment.OPENAI_API_BASE, docker-compose.yml:6")
    assert base.origin == target.connection.base_url.origin
    assert key_of(target.connection) == KEY
    assert found.settings.env_files[0].readers == (EnvReader.COMPOSE,)


def test_environment_as_a_list_and_what_it_refers_to(machine: Machine) -> None:
    text = (
        "services:\n  a:\n    environment:\n"
        "      - OPENAI_BASE_URL=${BASE:-https://gateway.example}/v1\n"
        "      - OPENAI_API_KEY\n"
        "      - OPENAI_MODEL=$MODEL\n"
    )
    found = machine.discover({"compose.yaml": text, ".env": "MODEL=m\n"}, {"OPENAI_API_KEY": KEY})
    target = next(t for t in found.targets if t.id == "compose-a")
    assert target.connection.base_url.value == "https://gateway.example/v1"
    assert key_of(target.connection) == KEY
    assert target.connection.model is not None
    assert target.connection.model.value == "m"


def test_environment_beats_env_file_and_an_override_beats_both(machine: Machine) -> None:
    compose = (
        "services:\n  a:\n    env_file: [one.env, {path: two.env}]\n    environment:\n"
        "      OPENAI_API_KEY: sk-from-compose\n"
    )
    override = "services:\n  a:\n    environment:\n      OPENAI_MODEL: from-override\n"
    found = machine.discover(
        {
            "compose.yaml": compose,
            "compose.override.yaml": override,
            "one.env": "OPENAI_BASE_URL=https://one.example/v1\nOPENAI_API_KEY=sk-one\n",
            "two.env": "OPENAI_BASE_URL=https://two.example/v1\nOPENAI_MODEL=two\n",
        }
    )
    made = found.targets[0].connection
    assert made.base_url.value == "https://two.example/v1"
    assert [s.value for s in made.base_url.shadows] == ["https://one.example/v1"]
    assert key_of(made) == "sk-from-compose"
    assert made.model is not None
    assert made.model.value == "from-override"


def test_another_services_name_is_not_asked_from_outside(machine: Machine) -> None:
    found = machine.discover({"compose.yml": COMPOSE.replace("localhost", "vllm")})
    assert found.targets == ()
    assert found.notes == (
        "compose.yml (api): http://vllm:8000/v1 is an address inside its container network and "
        "was not examined from here",
    )
    assert sighting(found, Role.BASE_URL, "OPENAI_API_BASE").value == "http://vllm:8000/v1"


def test_a_container_with_a_key_alone_is_no_target(machine: Machine) -> None:
    text = f"services:\n  a:\n    environment:\n      OPENAI_API_KEY: {KEY}\n"
    found = machine.discover({"compose.yaml": text})
    assert found.targets == ()
    (file,) = found.settings.secret_files
    assert (file.path, file.line, file.name) == ("compose.yaml", 4, "OPENAI_API_KEY")


EMPTIED = (
    "services:\n  app:\n    env_file: [keys.env]\n    environment:\n      - OPENAI_API_KEY={}\n"
)


@pytest.mark.parametrize("written", ["${OPENAI_API_KEY:-}", "$OPENAI_API_KEY"])
def test_a_reference_that_empties_the_key_of_an_env_file(machine: Machine, written: str) -> None:
    files = {"compose.yaml": EMPTIED.format(written), "keys.env": f"OPENAI_API_KEY={KEY}\n"}
    (target,) = machine.discover(files).targets
    key = target.connection.key
    assert key is not None
    assert (key_of(target.connection), key.shadows[0].value.reveal()) == ("", KEY)


@pytest.mark.parametrize(
    ("written", "env_file", "beside"),
    [
        ("", KEY, ""),  # emptied on purpose
        ("${OPENAI_API_KEY:-}", "", ""),
        ("${OPENAI_API_KEY:-}", KEY, f"OPENAI_API_KEY={OTHER_KEY}\n"),
    ],
)
def test_a_reference_that_takes_nothing_away(
    machine: Machine, written: str, env_file: str, beside: str
) -> None:
    files = {"compose.yaml": EMPTIED.format(written), "keys.env": f"OPENAI_API_KEY={env_file}\n"}
    found = machine.discover({**files, **({".env": beside} if beside else {})})
    assert [target.id for target in found.targets if "compose" in target.id] == []


def test_a_compose_file_that_does_not_parse_is_told(machine: Machine) -> None:
    found = machine.discover({"compose.yaml": "services:\n  a: b: c\n  environment: x\n"})
    (problem,) = found.settings.problems
    assert (problem.path, problem.line) == ("compose.yaml", 2)


def test_a_file_that_its_reader_refuses_is_told(machine: Machine) -> None:
    env = f"export OPENAI_API_KEY={KEY}\n"
    found = machine.discover({".env": env, "run.sh": "docker run --env-file .env x"})
    (problem,) = found.settings.problems
    assert (problem.path, problem.line) == (".env", 1)
    assert problem.message == (
        "docker --env-file: variable 'export OPENAI_API_KEY' contains whitespaces"
    )
    assert found.targets == ()


@pytest.mark.parametrize(
    ("reader", "expected"),
    [("dotenv", KEY), ("docker", f'"{KEY}"'), ("compose", KEY), ("shell", KEY), (None, KEY)],
)
def test_the_user_says_who_reads_it(machine: Machine, reader: str | None, expected: str) -> None:
    machine.write("prod.env", ENV)
    request = TargetRequest(env_file="prod.env", env_reader=reader)
    made = machine.only(request=request).connection
    assert key_of(made) == expected
    # What the user names is not a stranger's.
    assert not made.base_url.origin.project


def test_a_workflow_is_no_target_and_its_secrets_cannot_be_seen(machine: Machine) -> None:
    text = (
        "jobs:\n  run:\n    env:\n      OPENAI_API_KEY: ${{ secrets.OPENAI_API_KEY }}\n"
        f"      TAOTOKEN_API_KEY: {KEY}\n      OTHER: x\n"
    )
    found = machine.discover({".github/workflows/run.yml": text})
    assert found.targets == ()
    (seen,) = found.settings.sightings
    assert (seen.name, seen.origin.line) == ("TAOTOKEN_API_KEY", 5)
    assert [file.path for file in found.settings.secret_files] == [".github/workflows/run.yml"]
