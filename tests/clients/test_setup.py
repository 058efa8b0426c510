"""``kvdoctor check CLIENT`` on an empty home proposes the block; what it writes is what the client
then reads, and undoing leaves nothing behind."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from doctor.cli import main
from doctor.clients import profile
from doctor.facts.machine import Environment
from doctor.settings.discover import TargetRequest, discover

MODEL = "qwen3-8b"
KEY = "sk-made0up0made0up0made0up0made0up0made0up0made0up0"
CHAT = "https://taotoken.net/api/v1/chat/completions"
ENDPOINTS = {
    "claude-code": "https://taotoken.net/api/v1/messages?beta=true",
    "codex": "https://taotoken.net/api/v1/responses",
    "opencode": CHAT,
    "cline": CHAT,
    "qwen-code": CHAT,
    "aider": CHAT,
    "litellm-proxy": CHAT,
    "continue": CHAT,
    "claude-code-router": CHAT,
}


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home without anything in it but the working folder, which is current."""
    home = tmp_path / "home"
    (home / "work").mkdir(parents=True)
    for name in ("TAOTOKEN_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "XDG_CONFIG_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("SHELL", "/bin/bash")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.chdir(home / "work")
    return home


def _tree(home: Path) -> dict[str, bytes | None]:
    return {
        str(path.relative_to(home)): path.read_bytes() if path.is_file() else None
        for path in sorted(home.rglob("*"))
    }


def _environment(home: Path, **variables: str) -> Environment:
    return Environment(
        variables={"HOME": str(home), "SHELL": "/bin/bash", **variables},
        platform="linux",
        home=str(home),
        cwd=str(home / "work"),
    )


def _fix(client: str, *more: str) -> None:
    main(["fix", client, "--yes", "--offline", "--model", MODEL, "--format", "json", *more])


@pytest.mark.parametrize("client", ENDPOINTS)
def test_the_client_then_sends_its_requests_to_the_gateway(client: str, home: Path) -> None:
    _fix(client)

    # What the block leaves to the shell: the key under the name that the client reads.
    shell = {"TAOTOKEN_API_KEY": KEY, "ANTHROPIC_AUTH_TOKEN": KEY, "OPENAI_API_KEY": KEY}
    found = discover(TargetRequest(names=(client,)), _environment(home, **shell))

    (target,) = [one for one in found.targets if one.connection.client == client]
    connection = target.connection
    endpoint = profile(client).endpoint(connection)
    assert endpoint.url == ENDPOINTS[client]
    assert connection.key is not None
    assert connection.key.value.reveal() == KEY
    assert connection.model is not None
    assert connection.model.value == MODEL
    assert not [one for one in found.settings.problems if one.client == client]
    assert not [one for one in found.settings.unsupported if one.client == client]


@pytest.mark.parametrize("client", ENDPOINTS)
def test_no_key_is_written_and_undoing_leaves_nothing(client: str, home: Path) -> None:
    before = _tree(home)

    _fix(client)
    written = _tree(home)
    assert main(["undo"]) == 0

    assert written != before
    assert not any(KEY.encode() in (data or b"") for data in written.values())
    assert _tree(home) == before


def test_what_stands_there_already_is_kept(home: Path) -> None:
    settings = home / ".claude" / "settings.json"
    settings.parent.mkdir()
    text = '{\n  "permissions": {"allow": ["Bash(ls)"]},\n  "env": {\n    "DEBUG": "1"\n  }\n}\n'
    settings.write_text(text)

    _fix("claude-code")

    data = json.loads(settings.read_text())
    assert data["permissions"] == {"allow": ["Bash(ls)"]}
    assert data["env"]["DEBUG"] == "1"
    assert data["env"]["ANTHROPIC_BASE_URL"] == "https://taotoken.net/api"
    assert main(["undo"]) == 0
    assert settings.read_text() == text


def test_a_server_of_ones_own_needs_no_key_and_gets_the_right_base(home: Path) -> None:
    _fix("claude-code", "--base-url", "http://127.0.0.1:8000/v1")

    env = json.loads((home / ".claude" / "settings.json").read_text())["env"]
    assert env["ANTHROPIC_BASE_URL"] == "http://127.0.0.1:8000"
    assert env["ANTHROPIC_AUTH_TOKEN"] == "EMPTY"
    assert env["ANTHROPIC_MODEL"] == MODEL


def test_an_empty_home_is_a_finding_with_exit_code_1(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = main(["check", "codex", "--format", "json"])

    report = json.loads(capsys.readouterr().out)
    assert code == 1
    assert report["diagnosis"]["root_causes"] == ["KVD411"]
    (finding,) = [one for one in report["findings"] if one["code"] == "KVD411"]
    (fix,) = finding["fixes"]
    assert fix["id"] == "KVD411:setup"
    assert fix["applicability"] == "safe"
    assert 'env_key = "TAOTOKEN_API_KEY"' in fix["preview"]


def test_nobody_is_asked_as_long_as_nothing_is_configured(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["check", "claude-code", "--format", "json"])

    report = json.loads(capsys.readouterr().out)
    assert report["diagnosis"]["before"] is None
    assert {hop["status"] for hop in report["path"] if hop["hop"] != "configuration"} <= {
        "unknown",
        "skipped",
    }
