"""Fixes in the settings of Claude Code, whose ``env`` beats the shell."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from doctor.connection import AuthHeader, SettingName
from doctor.fixes.apply import apply
from doctor.fixes.journal import Journal
from doctor.fixes.prepare import prepare
from doctor.fixes.undo import undo
from doctor.models import Applicability, Fix
from doctor.settings.discover import TargetRequest
from tests.fixes.strategies import KEY
from tests.fixes.world import World, change

SETTINGS = "~/.claude/settings.json"
LOCAL, REMOTE = "http://127.0.0.1:8000", "https://gateway.example"
DEAD = "http://127.0.0.1:7890"
DIRECT = change("KVD301", SettingName.PROXY, "direct")
BEARER = change("KVD114", SettingName.AUTH, AuthHeader.BEARER)


@pytest.fixture
def world(tmp_path: Path) -> World:
    request = TargetRequest(names=("claude-code",))
    return World(tmp_path / "home", {"SHELL": "/bin/zsh"}, request)


def settings(world: World, **env: Any) -> str:
    text = json.dumps({"env": env, "theme": "dark"}, indent=2)
    world.write({SETTINGS: text})
    return text


def applied(fix: Fix, world: World) -> dict[str, Any]:
    journal = Journal(world.home / "state")
    before = world.read(SETTINGS)
    entry = apply(prepare(fix.steps), [fix.title], journal)
    after: dict[str, Any] = json.loads(world.read(SETTINGS))
    undo(journal, entry)
    assert world.read(SETTINGS) == before
    return after


def test_a_key_gets_the_name_whose_header_the_server_looks_at(world: World) -> None:
    before = settings(world, ANTHROPIC_BASE_URL=LOCAL, ANTHROPIC_API_KEY=KEY)

    fix = world.fix(BEARER)

    assert fix.applicability is Applicability.SAFE
    assert KEY not in fix.preview
    after = json.loads(before.replace("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"))
    assert applied(fix, world) == after


def test_a_name_that_is_taken_is_left_to_the_user(world: World) -> None:
    settings(world, ANTHROPIC_BASE_URL=LOCAL, ANTHROPIC_API_KEY=KEY, ANTHROPIC_AUTH_TOKEN="")

    fix = world.fix(BEARER)

    assert fix.applicability is Applicability.MANUAL
    assert "Rename ANTHROPIC_API_KEY to ANTHROPIC_AUTH_TOKEN" in fix.preview


def test_a_key_of_the_shell_is_moved_without_naming_it(world: World) -> None:
    settings(world, ANTHROPIC_BASE_URL=LOCAL)
    world.variables["ANTHROPIC_API_KEY"] = KEY

    fix = world.fix(BEARER)

    assert fix.applicability is Applicability.MANUAL
    line = 'export ANTHROPIC_AUTH_TOKEN="$ANTHROPIC_API_KEY"; unset ANTHROPIC_API_KEY'
    assert line in fix.preview
    assert KEY not in fix.preview


def test_a_local_target_is_excluded_beside_the_proxy_of_the_file(world: World) -> None:
    settings(world, ANTHROPIC_BASE_URL=LOCAL, ANTHROPIC_AUTH_TOKEN=KEY, HTTP_PROXY=DEAD)

    fix = world.fix(DIRECT)

    assert fix.applicability is Applicability.SAFE
    env = applied(fix, world)["env"]
    assert env["NO_PROXY"] == "localhost,127.0.0.1,::1"
    assert env["HTTP_PROXY"] == DEAD


def test_an_exclusion_of_the_file_is_extended(world: World) -> None:
    settings(
        world,
        ANTHROPIC_BASE_URL=LOCAL,
        ANTHROPIC_AUTH_TOKEN=KEY,
        HTTP_PROXY=DEAD,
        NO_PROXY=".corp",
    )

    env = applied(world.fix(DIRECT), world)["env"]

    assert env["NO_PROXY"] == ".corp,localhost,127.0.0.1,::1"


def test_a_dead_proxy_of_the_file_before_a_remote_target_is_taken_out(world: World) -> None:
    settings(world, ANTHROPIC_BASE_URL=REMOTE, ANTHROPIC_AUTH_TOKEN=KEY, HTTPS_PROXY=DEAD)

    fix = world.fix(DIRECT)

    assert fix.applicability is Applicability.UNSAFE  # something is removed
    assert "HTTPS_PROXY" not in applied(fix, world)["env"]


def test_a_proxy_of_the_shell_is_excluded_for_this_client_alone(world: World) -> None:
    settings(world, ANTHROPIC_BASE_URL=LOCAL, ANTHROPIC_AUTH_TOKEN=KEY)
    world.variables["HTTP_PROXY"] = DEAD

    fix = world.fix(DIRECT)

    assert fix.applicability is Applicability.SAFE
    assert applied(fix, world)["env"]["NO_PROXY"] == "localhost,127.0.0.1,::1"


def test_a_start_up_file_that_sets_the_proxy_comes_first(world: World) -> None:
    settings(world, ANTHROPIC_BASE_URL=LOCAL, ANTHROPIC_AUTH_TOKEN=KEY)
    world.write({"~/.zshrc": f"export HTTP_PROXY={DEAD}\n"})
    world.variables["HTTP_PROXY"] = DEAD

    fix = world.fix(DIRECT)

    assert "~/.zshrc" in fix.preview
    assert "settings.json" not in fix.preview
