"""Settings files in a place where their program does not look."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.clients.homes import Content, found
from tests.settings.machine import KEY

BASE = "https://gateway.example/v1"
OPENCODE = {"provider": {"mine": {"options": {"baseURL": BASE, "apiKey": KEY}}}}
CLAUDE = {"env": {"ANTHROPIC_BASE_URL": "https://gateway.example", "ANTHROPIC_AUTH_TOKEN": KEY}}
CODEX = f'model_provider = "mine"\n[model_providers.mine]\nbase_url = "{BASE}"\n'
OLD_CODEX = {"model": "m", "providers": {"mine": {"baseURL": BASE, "envKey": "MY_KEY"}}}


def passed_over(folder: Path, client: str, files: dict[str, Content], **more: str) -> list[str]:
    seen = found(folder, files, more, client)
    return [f"{one.name}: {one.instead}" for one in seen.settings.unsupported if one.whole]


@pytest.mark.parametrize(
    ("client", "place", "content", "right"),
    [
        ("opencode", "~/.local/share/opencode/opencode.json", OPENCODE, "opencode/opencode.json"),
        ("opencode", "~/.opencode.json", OPENCODE, "~/.config/opencode/opencode.json"),
        ("claude-code", "~/.config/claude/settings.json", CLAUDE, "~/.claude/settings.json"),
        ("claude-code", "~/.claude/config.json", CLAUDE, "~/.claude/settings.json"),
        ("codex", "~/.codex/config.json", OLD_CODEX, "TOML in ~/.codex/config.toml"),
        ("codex", "~/.config/codex/config.toml", CODEX, "~/.codex/config.toml"),
    ],
)
def test_a_file_in_the_wrong_place_and_the_right_one(
    tmp_path: Path, client: str, place: str, content: Content, right: str
) -> None:
    (told,) = passed_over(tmp_path, client, {place: content})
    assert told.startswith(f"{place}: ")
    assert right in told


@pytest.mark.parametrize(
    ("client", "files"),
    [
        # A copy beside the file that is read.
        (
            "opencode",
            {"~/.opencode.json": OPENCODE, "~/.config/opencode/opencode.json": OPENCODE},
        ),
        ("opencode", {"~/.opencode.json": OPENCODE, "opencode.json": OPENCODE}),
        ("claude-code", {"~/.claude/config.json": CLAUDE, "~/.claude/settings.json": CLAUDE}),
        ("codex", {"~/.codex/config.json": OLD_CODEX, "~/.codex/config.toml": CODEX}),
        # Nothing in it is about a server.
        ("opencode", {"~/.local/share/opencode/config.json": {"theme": "dark"}}),
        ("claude-code", {"~/.claude/config.json": {"primaryApiKey": "any"}}),
        ("codex", {"~/.codex/config.json": {"seen": True}}),
        ("codex", {"~/.codex/config.json": "{"}),
    ],
)
def test_what_nobody_misses_is_not_told(tmp_path: Path, client: str, files: dict[str, Any]) -> None:
    assert passed_over(tmp_path, client, files) == []


def test_a_folder_that_was_moved_there_is_the_right_one(tmp_path: Path) -> None:
    files: dict[str, Content] = {"~/.config/claude/settings.json": {"env": {"A": "b"}, **CLAUDE}}
    moved = str(tmp_path / "home" / ".config" / "claude")
    assert passed_over(tmp_path, "claude-code", files, CLAUDE_CONFIG_DIR=moved) == []
