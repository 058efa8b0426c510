"""Claude Code: ``--settings`` stands before every file but an administrator's, and files stand
before the shell (facts/gateway-clients.md §3.1)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from doctor.clients.files import Files
from doctor.settings.found import Found
from doctor.settings.names import looks_like_key
from doctor.tap.steering.base import (
    CannotSteer,
    Launch,
    Lead,
    Led,
    Scene,
    Steering,
    for_a_command_line,
    machine_of,
    past_proxies,
)
from doctor.text import Text, _

BASE = "ANTHROPIC_BASE_URL"
_OPTION = "--settings"


def leads(scene: Scene) -> tuple[Lead, ...]:
    connection = scene.found.targets[0].connection
    given = _given(scene)
    base = given.get("env", {}).get(BASE) if isinstance(given.get("env"), dict) else None
    return (Lead("claude-code", BASE, base or connection.base_url.value, connection),)


def launch(scene: Scene, leads: tuple[Lead, ...], led: Led) -> Launch:
    lead = leads[0]
    if lead.id not in led:
        return Launch(scene.command)
    base = for_a_command_line(led[lead.id])
    variables = {BASE: base, **past_proxies(lead.connection, scene.environment)}
    given = _given(scene)
    env = given.get("env")
    merged = {**given, "env": {**(env if isinstance(env, dict) else {}), **variables}}
    words = (_OPTION, json.dumps(merged, ensure_ascii=False))
    command = scene.with_arguments(*words)
    if given:
        command = (*scene.command[: scene.own], *words, *_without_option(scene.arguments))
    return Launch(command, variables, words, _managed(scene))


def _managed(scene: Scene) -> tuple[Text, ...]:
    """What an administrator has set stands before everything."""
    from doctor.clients.claude_settings import layers

    machine = machine_of(scene.environment)
    read = layers(Files(machine, "claude-code", Found()))
    setting = read.variable(BASE)
    if setting is None or setting.origin.path not in read.managed:
        return ()
    place = str(setting.origin)
    return (_("{place} is the administrator's and stands before --settings", place=place),)


def _given(scene: Scene) -> dict[str, Any]:
    """The settings that the command names itself, a file's or JSON.

    Raises ``CannotSteer`` where they cannot be joined with those of the tap: on a command line
    every user of the machine could read a key.
    """
    text = scene.option(_OPTION)
    if text is None:
        return {}
    try:
        if not text.lstrip().startswith("{"):
            text = (Path(scene.environment.cwd) / text).read_text("utf-8")
        given = json.loads(text)
    except (OSError, ValueError, RecursionError):
        given = None
    if not isinstance(given, dict):
        raise CannotSteer(_("the command's own --settings cannot be read"))
    env = given.get("env")
    names = env if isinstance(env, dict) else {}
    secret = [n for n in names if n.endswith(("_KEY", "_TOKEN")) or looks_like_key(str(names[n]))]
    if secret:
        raise CannotSteer(
            _(
                "the command's own --settings hold {name}, which would have to be told on a "
                "command line; put it into the environment or a settings file",
                name=secret[0],
            )
        )
    return given


def _without_option(words: tuple[str, ...]) -> list[str]:
    kept: list[str] = []
    skip = False
    for word in words:
        if skip:
            skip = False
        elif word == _OPTION:
            skip = True
        elif not word.startswith(f"{_OPTION}="):
            kept.append(word)
    return kept


STEERING = Steering(leads, launch)
