"""Settings that grew over the years are read; what is longer still is told as what it is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.clients.homes import found, only

CODEX = """model_provider = "gw"
[model_providers.gw]
base_url = "http://gateway.example/v1"
env_key = "GW_KEY"
"""
KEY = "sk-made-up-0000000000000000"


def trusted(count: int) -> str:
    return "".join(
        f'[projects."/home/user/p/{n}"]\ntrust_level = "trusted"\n' for n in range(count)
    )


def allowed(count: int) -> str:
    environment = {"ANTHROPIC_BASE_URL": "http://gateway.example", "ANTHROPIC_AUTH_TOKEN": KEY}
    rules = [f"Bash(make {n} --with-some-more-words)" for n in range(count)]
    return json.dumps({"permissions": {"allow": rules}, "env": environment}, indent=1)


@pytest.mark.parametrize(
    ("path", "text"),
    [("~/.codex/config.toml", CODEX + trusted(6_000)), ("~/.claude/settings.json", allowed(8_000))],
)
def test_a_long_file_is_read(path: str, text: str, tmp_path: Path) -> None:
    assert len(text) > 256 * 1024
    assert "gateway.example" in only(found(tmp_path, {path: text})).base_url.value


def test_one_that_is_too_long_is_no_fault_of_its_client(tmp_path: Path) -> None:
    text = CODEX + "#" * 3_000_000
    seen = found(tmp_path, {"~/.codex/config.toml": text}, None, "codex")
    assert seen.settings.problems == ()
    assert seen.notes == ("~/.codex/config.toml is larger than 2048 KiB and was not read",)
