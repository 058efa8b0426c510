"""What is set for a program, from its own configuration and nothing else."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from doctor.context import Options
from doctor.facts.machine import Environment
from doctor.secrets import Redactor
from doctor.settings.discover import TargetRequest
from doctor.tap.origins import led_to, origin_in
from doctor.tap.preparing import Prepared, prepare
from doctor.tap.steering import Launch
from doctor.tap.steering.base import CannotSteer
from doctor.tap.steering.programs import started_by
from tests.kit import environment

KEY = "sk-made0up0made0up0made0up0made0up0"
FAR = "https://gateway.example/api"


def write(path: Path, content: str | dict[str, Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content), "utf-8")


def prepared(
    folder: Path, command: str, request: TargetRequest | None = None, **variables: str
) -> Prepared:
    here = environment(variables, home=str(folder), cwd=str(folder / "work"))
    (folder / "work").mkdir(exist_ok=True)
    words = command.split()
    return asyncio.run(prepare(words, request or TargetRequest(), Options(), here, Redactor()))


def launched(made: Prepared) -> Launch:
    """The launch with the ports 1001, 1002, … in the order of the places."""
    led = {
        place.lead.id: led_to(place.lead.base, 1001 + number)
        for number, place in enumerate(made.places)
    }
    return made.steering.launch(made.scene, made.leads, led)


def origins(made: Prepared) -> list[str]:
    return [place.upstream.origin.url for place in made.places]


@pytest.mark.parametrize(
    ("base", "origin", "led"),
    [
        (f"{FAR}/v1", "https://gateway.example", "http://127.0.0.1:7/api/v1"),
        (" http://H:80/a?b#c \n", "http://h", " http://127.0.0.1:7/a?b#c \n"),
        ("HTTP://[::1]:8000", "http://[::1]:8000", "http://127.0.0.1:7"),
        ("http://u:p@h/x", "http://h", "http://u:p@127.0.0.1:7/x"),
        ("https://接口.example/接口", "https://xn--6orp08a.example", "http://127.0.0.1:7/接口"),
    ],
)
def test_a_base_is_led_with_all_that_stands_around_it(base: str, origin: str, led: str) -> None:
    found = origin_in(base)
    assert found is not None
    assert found.url == origin
    assert led_to(base, 7) == led


@pytest.mark.parametrize("base", ["", "h/v1", "https://", "http://h:x/v1", '"http://h"', "ftp://h"])
def test_what_names_no_server_leads_nowhere(base: str) -> None:
    assert origin_in(base) is None


@pytest.mark.parametrize(
    ("command", "client", "own"),
    [
        ("claude -p hi", "claude-code", 1),
        ("/opt/x/bin/codex exec hi", "codex", 1),
        ("npx -y @anthropic-ai/claude-code@2.1.332 -p hi", "claude-code", 3),
        ("env A=b nice claude", "claude-code", 4),
        ("node /x/node_modules/@openai/codex/bin/codex.js exec", "codex", 2),
        ("C:\\bin\\claude.cmd -p", "claude-code", 1),
        ("python app.py claude", "", 1),
        ("uv run aider --message x", "aider", 3),
        ("bash -c claude", "", 1),
        ("", "", 0),
    ],
)
def test_the_client_that_a_command_starts(command: str, client: str, own: int) -> None:
    started = started_by(command.split())

    assert (started.client, started.own) == (client, own)


def test_any_program_has_its_variables_led_each_with_its_path(tmp_path: Path) -> None:
    made = prepared(
        tmp_path,
        "python app.py",
        OPENAI_BASE_URL=f"{FAR}/v1?utm=x",
        OPENAI_API_BASE="http://other.example/v1",
        OPENAI_API_KEY=KEY,
    )
    launch = launched(made)

    assert launch.command == ("python", "app.py")
    names = {place.lead.name: place.upstream.origin.url for place in made.places}
    assert names == {
        "OPENAI_BASE_URL": "https://gateway.example",
        "OPENAI_API_BASE": "http://other.example",
        "ANTHROPIC_BASE_URL": "https://api.anthropic.com",
    }
    assert launch.variables["OPENAI_BASE_URL"].endswith("/api/v1?utm=x")
    assert set(launch.variables) == set(names)


def test_an_address_of_the_command_line_stands_for_the_variables(tmp_path: Path) -> None:
    request = TargetRequest(base_url="http://127.0.0.1:8000/v1")
    made = prepared(tmp_path, "python app.py", request, OPENAI_API_KEY=KEY)
    variables = launched(made).variables

    assert variables["OPENAI_BASE_URL"] == "http://127.0.0.1:1001/v1"
    assert variables["OPENAI_API_BASE"] == "http://127.0.0.1:1002/v1"
    assert origins(made)[0] == "http://127.0.0.1:8000"


def test_an_env_file_of_the_folder_is_led_with_its_own_key(tmp_path: Path) -> None:
    write(tmp_path / "work" / ".env", f"OPENAI_BASE_URL={FAR}/v1\nOPENAI_API_KEY={KEY}\n")
    made = prepared(tmp_path, "python app.py")

    assert "https://gateway.example" in origins(made)
    assert launched(made).variables["OPENAI_BASE_URL"].endswith("/api/v1")


def test_an_env_file_of_a_project_does_not_lead_the_users_key_away(tmp_path: Path) -> None:
    write(tmp_path / "work" / ".env", "OPENAI_BASE_URL=https://evil.example/v1\n")
    made = prepared(tmp_path, "other-program", OPENAI_API_KEY=KEY)

    assert "https://evil.example" not in origins(made)
    assert "OPENAI_BASE_URL" not in launched(made).variables
    assert any("--trust-project" in note for note in made.notes)


def test_loopback_is_kept_from_the_programs_proxy_and_the_proxy_from_nothing_else(
    tmp_path: Path,
) -> None:
    made = prepared(
        tmp_path,
        "python app.py",
        OPENAI_BASE_URL=f"{FAR}/v1",
        OPENAI_API_KEY=KEY,
        HTTPS_PROXY="http://127.0.0.1:7890",
        NO_PROXY="a.example, 10.0.0.1",
    )
    variables = launched(made).variables

    assert (
        variables["NO_PROXY"] == variables["no_proxy"] == ("a.example,10.0.0.1,127.0.0.1,localhost")
    )
    assert {p.upstream.proxy for p in made.places} == {"http://127.0.0.1:7890"}
    assert "NO_PROXY" not in launched(prepared(tmp_path, "python app.py")).variables


def test_claude_code_is_led_by_settings_that_stand_before_its_files(tmp_path: Path) -> None:
    env = {"ANTHROPIC_BASE_URL": FAR, "ANTHROPIC_AUTH_TOKEN": KEY}
    write(tmp_path / ".claude" / "settings.json", {"env": env})
    made = prepared(tmp_path, "claude -p hi", ANTHROPIC_BASE_URL="https://shadowed.example")
    launch = launched(made)

    assert origins(made) == ["https://gateway.example"]
    assert launch.command[0:2] == ("claude", "--settings")
    assert launch.command[3:] == ("-p", "hi")
    assert json.loads(launch.command[2]) == {
        "env": {"ANTHROPIC_BASE_URL": "http://127.0.0.1:1001/api"}
    }
    assert launch.variables == {"ANTHROPIC_BASE_URL": "http://127.0.0.1:1001/api"}
    assert KEY not in str(launch)


def test_settings_of_the_command_itself_are_joined(tmp_path: Path) -> None:
    own = {"model": "tiny", "env": {"ANTHROPIC_BASE_URL": FAR, "A": "1"}}
    write(tmp_path / "work" / "own.json", own)
    made = prepared(tmp_path, "claude --settings own.json -p hi")
    launch = launched(made)

    assert origins(made) == ["https://gateway.example"]
    assert launch.command.count("--settings") == 1
    assert json.loads(launch.command[2]) == {
        "model": "tiny",
        "env": {"ANTHROPIC_BASE_URL": "http://127.0.0.1:1001/api", "A": "1"},
    }


@pytest.mark.parametrize(
    "own",
    [json.dumps({"env": {"ANTHROPIC_API_KEY": KEY}}), "{", "no-such-file", "[]"],
    ids=["key", "broken", "missing", "list"],
)
def test_settings_that_cannot_be_joined_are_refused(own: str, tmp_path: Path) -> None:
    with pytest.raises(CannotSteer) as refused:
        prepared(tmp_path, "claude --settings " + own.replace(" ", ""))

    assert KEY not in str(refused.value)


def test_a_login_in_a_base_is_on_no_command_line(tmp_path: Path) -> None:
    base = f"https://me:{KEY}@gateway.example"
    write(tmp_path / ".claude" / "settings.json", {"env": {"ANTHROPIC_BASE_URL": base}})
    made = prepared(tmp_path, "claude -p hi")

    with pytest.raises(CannotSteer):
        launched(made)


CODEX = f"""
model = "m"
model_provider = "mine"
[model_providers.mine]
name = "Mine"
base_url = "{FAR}/v1"
[model_providers."two words"]
name = "Other"
base_url = "http://other.example/v1"
"""


def test_codex_is_led_by_overrides_for_every_provider(tmp_path: Path) -> None:
    write(tmp_path / ".codex" / "config.toml", CODEX)
    made = prepared(tmp_path, "codex exec hi", OPENAI_BASE_URL="https://ignored.example/v1")

    assert launched(made).command == (
        "codex",
        *("-c", 'model_providers.mine.base_url="http://127.0.0.1:1001/api/v1"'),
        *("-c", 'model_providers."two words".base_url="http://127.0.0.1:1002/v1"'),
        *("exec", "hi"),
    )


def test_codex_without_a_provider_is_led_from_its_vendor(tmp_path: Path) -> None:
    made = prepared(tmp_path, "codex exec hi", CODEX_API_KEY=KEY)

    assert origins(made) == ["https://api.openai.com"]
    assert launched(made).arguments == ("-c", 'openai_base_url="http://127.0.0.1:1001/v1"')


def test_opencode_is_led_by_its_variable_on_top_of_what_stands_there(tmp_path: Path) -> None:
    provider = {"options": {"baseURL": f"{FAR}/v1", "apiKey": KEY}, "models": {"m": {}}}
    settings = {"provider": {"mine": provider}, "model": "mine/m"}
    write(tmp_path / ".config" / "opencode" / "opencode.json", settings)
    given = '{"theme": "x", /* theirs */ "provider": {"mine": {"options": {"timeout": 5}}}}'
    made = prepared(tmp_path, "opencode run hi", OPENCODE_CONFIG_CONTENT=given)
    content = json.loads(launched(made).variables["OPENCODE_CONFIG_CONTENT"])

    assert content == {
        "theme": "x",
        "provider": {
            "mine": {"options": {"timeout": 5, "baseURL": "http://127.0.0.1:1001/api/v1"}}
        },
    }


def test_aider_is_led_past_its_env_file(tmp_path: Path) -> None:
    write(tmp_path / ".env", f"OPENAI_API_BASE={FAR}/v1\nOPENAI_API_KEY={KEY}\n")
    made = prepared(tmp_path, "aider --message hi", AIDER_MODEL="openai/tiny")
    led = "OPENAI_BASE_URL=http://127.0.0.1:1001/api/v1"

    assert launched(made).command == ("aider", "--set-env", led, "--message", "hi")


def test_who_has_the_address_in_files_alone_is_told_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(CannotSteer, match="without a command"):
        prepared(tmp_path, "cline hi")
    made = prepared(tmp_path, "", TargetRequest(client="cline"))
    assert launched(made).variables == {}


def test_no_file_is_touched(tmp_path: Path) -> None:
    write(tmp_path / ".codex" / "config.toml", CODEX)
    write(tmp_path / ".claude" / "settings.json", {"env": {"ANTHROPIC_BASE_URL": FAR}})
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    for command in ("codex exec hi", "claude -p hi", "opencode run hi", "python app.py"):
        launched(prepared(tmp_path, command))

    after = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*")}
    assert {p for p in after if p not in before} <= {tmp_path / "work"}
    assert all(after[path] == when for path, when in before.items() if path.is_file())


def test_the_environment_given_is_not_changed(tmp_path: Path) -> None:
    here: Environment = environment({"OPENAI_API_KEY": KEY}, home=str(tmp_path), cwd=str(tmp_path))
    asyncio.run(prepare(["x"], TargetRequest(), Options(), here, Redactor()))

    assert here.variables == {"OPENAI_API_KEY": KEY}
