"""A client whose own files lead to a provider that is not examined is set up: nothing is proposed
for it, and its user is told where it goes."""

from __future__ import annotations

from pathlib import Path

import pytest

from doctor.cli import main
from tests.clients.homes import Content, found, ids, only
from tests.settings.machine import KEY

CLIENTS: dict[str, tuple[str, dict[str, Content], dict[str, str]]] = {
    "opencode": ("groq", {"opencode.json": {"model": "groq/llama-3.1-8b"}}, {}),
    "aider": ("bedrock", {".aider.conf.yml": "model: bedrock/llama-3.1-8b\n"}, {}),
    "litellm-proxy": (
        "groq",
        {
            "config.yaml": "model_list:\n- model_name: m\n  litellm_params:\n    model: groq/m\n"
            f"    api_key: {KEY}\n"
        },
        {"CONFIG_FILE_PATH": "config.yaml"},
    ),
    "cline": (
        "bedrock",
        {
            "~/.cline/data/settings/providers.json": {
                "version": 1,
                "lastUsedProvider": "bedrock",
                "providers": {
                    "bedrock": {
                        "settings": {"provider": "bedrock", "model": "m"},
                        "updatedAt": "2026-11-29T00:00:00.000Z",
                        "tokenSource": "manual",
                    }
                },
            }
        },
        {},
    ),
    "continue": (
        "ollama",
        {"~/.continue/config.yaml": "models:\n- name: a\n  provider: ollama\n  model: qwen3\n"},
        {},
    ),
}


@pytest.mark.parametrize("client", CLIENTS)
def test_where_it_goes_is_told(tmp_path: Path, client: str) -> None:
    provider, files, variables = CLIENTS[client]
    seen = found(tmp_path, files, variables, client)

    assert not seen.targets
    (told,) = seen.elsewhere
    assert f"goes to {provider} (" in told


@pytest.mark.parametrize("client", CLIENTS)
def test_unasked_it_is_no_target(tmp_path: Path, client: str) -> None:
    _provider, files, variables = CLIENTS[client]
    login: Content = {"groq": {"type": "api", "key": KEY}}
    seen = found(tmp_path, {**files, "~/.local/share/opencode/auth.json": login}, variables)
    assert client not in ids(seen)


@pytest.mark.parametrize("client", CLIENTS)
def test_without_such_a_file_it_can_be_set_up(tmp_path: Path, client: str) -> None:
    seen = found(tmp_path, {}, {}, client)

    assert ids(seen) == [client]
    assert not seen.elsewhere


@pytest.fixture
def groq(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The working folder and home of somebody whose opencode goes to Groq."""
    (tmp_path / "opencode.json").write_text('{"model": "groq/llama-3.1-8b"}')
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("groq")
def test_the_command_has_nothing_to_examine(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", "opencode", "--offline"]) == 3
    told = capsys.readouterr().err
    assert "nothing to examine: opencode goes to groq (model, opencode.json:1)" in told


@pytest.mark.usefixtures("groq")
def test_another_server_can_be_named_for_it(capsys: pytest.CaptureFixture[str]) -> None:
    main(["check", "opencode", "--offline", "--base-url", "http://127.0.0.1:9/v1"])
    assert "set up opencode for 127.0.0.1:9" in capsys.readouterr().out


def test_a_known_provider_without_an_address_is_asked_at_its_own(tmp_path: Path) -> None:
    files: dict[str, Content] = {
        "~/.continue/config.yaml": "models:\n- name: a\n  provider: openrouter\n  model: m\n"
        f"  apiKey: {KEY}\n"
    }
    connection = only(found(tmp_path, files, {}, "continue"))

    assert connection.base_url.value == "https://openrouter.ai/api/v1/"
    assert connection.key is not None


@pytest.mark.parametrize(
    ("client", "files"),
    [
        ("codex", {"~/.codex/.env": "HTTPS_PROXY=http://127.0.0.1:7898\n"}),
        (
            "claude-code",
            {"~/.claude/settings.json": {"env": {"HTTPS_PROXY": "http://127.0.0.1:7898"}}},
        ),
    ],
)
def test_a_way_of_its_own_is_examined_unasked(
    tmp_path: Path, client: str, files: dict[str, Content]
) -> None:
    seen = found(tmp_path, files)

    assert ids(seen) == [client]
    assert only(seen).variables["HTTPS_PROXY"].value == "http://127.0.0.1:7898"
