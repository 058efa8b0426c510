"""Codex: ``-c`` overrides stand before its files, and it takes no address from the shell
(facts/gateway-clients.md §3.2). Every provider of its files is led, whichever is chosen."""

from __future__ import annotations

import json

from doctor.clients.codex_layers import Layers, layers, with_profile
from doctor.clients.codex_provider import LOCAL, OPENAI, TABLE
from doctor.clients.files import Files
from doctor.patterns import Pattern
from doctor.settings.found import Found
from doctor.tap.steering.base import (
    Launch,
    Lead,
    Led,
    Scene,
    Steering,
    for_a_command_line,
    machine_of,
    past_proxies,
)

_PLAIN = Pattern(r"[A-Za-z0-9_-]+")
_LOCAL_VARIABLE = "CODEX_OSS_BASE_URL"


def leads(scene: Scene) -> tuple[Lead, ...]:
    connection = scene.found.targets[0].connection
    read = _layers(scene)
    used = next((text.value for text in read.texts("model_provider")), OPENAI)
    made = {used: Lead("codex", used, connection.base_url.value, connection)}
    for name in read.names(TABLE):
        base = next((text.value for text in read.texts(TABLE, name, "base_url")), None)
        if base is not None and name not in made:
            made[name] = Lead(f"codex-{name}", name, base)
    return tuple(made.values())


def launch(scene: Scene, leads: tuple[Lead, ...], led: Led) -> Launch:
    words: list[str] = []
    variables = past_proxies(leads[0].connection, scene.environment)
    for lead in leads:
        if lead.id not in led:
            continue
        if lead.name in LOCAL:
            variables[_LOCAL_VARIABLE] = led[lead.id]
            continue
        key = "openai_base_url"
        if lead.name != OPENAI:
            name = lead.name if _PLAIN.fullmatch(lead.name) else json.dumps(lead.name)
            key = f"{TABLE}.{name}.base_url"
        # JSON's strings are TOML's.
        words += ["-c", f"{key}={json.dumps(for_a_command_line(led[lead.id]))}"]
    return Launch(scene.with_arguments(*words), variables, tuple(words))


def _layers(scene: Scene) -> Layers:
    machine = machine_of(scene.environment)
    files = Files(machine, "codex", Found())
    read = layers(files)
    profile = scene.option("-p", "--profile")
    return read if profile is None else with_profile(read, files, profile)


STEERING = Steering(leads, launch)
