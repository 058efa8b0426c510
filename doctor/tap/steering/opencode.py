"""opencode: ``OPENCODE_CONFIG_CONTENT`` stands before every file but an administrator's
(facts/gateway-clients.md §3.8). Every provider of its files is led, whichever is chosen."""

from __future__ import annotations

import json
from typing import Any

from doctor.clients.files import Files
from doctor.clients.opencode_auth import stored
from doctor.clients.opencode_layers import first, merged_names, sources
from doctor.clients.opencode_provider import Provider
from doctor.connection import Connection, Origin, OriginKind, Shadowed
from doctor.settings.documents import Malformed, parse_json
from doctor.settings.found import Found
from doctor.tap.steering.base import (
    CannotSteer,
    Launch,
    Lead,
    Led,
    Scene,
    Steering,
    machine_of,
    past_proxies,
)
from doctor.text import _

_CONTENT = "OPENCODE_CONFIG_CONTENT"


def leads(scene: Scene) -> tuple[Lead, ...]:
    machine = machine_of(scene.environment)
    files = Files(machine, "opencode", Found())
    read, auth = sources(files), stored(files)
    known = scene.found.targets[0].connection
    chosen = scene.option("-m", "--model") or next((t.value for t in first(read, "model")), "")
    used, _slash, model = chosen.partition("/")
    made: dict[str, Lead] = {}
    for name in dict.fromkeys((*filter(None, (used,)), *merged_names(read, "provider"))):
        connection: Connection | None = None
        asked = None
        if name == used and model:
            asked = Shadowed(model, Origin(OriginKind.FLAG, "--model"))
        connection = Provider(read, machine, name, asked).connection(auth)
        if connection is None or not connection.base_url.value:
            continue
        if connection.base_url == known.base_url and connection.protocol is known.protocol:
            connection = known if asked is None or known.model is None else connection
        id_ = "opencode" if not made else f"opencode-{name}"
        made[name] = Lead(id_, name, connection.base_url.value, connection)
    return tuple(made.values())


def launch(scene: Scene, leads: tuple[Lead, ...], led: Led) -> Launch:
    config = _given(scene)
    for lead in leads:
        if lead.id in led:
            options = _below(config, "provider", lead.name, "options")
            options["baseURL"] = led[lead.id]
    connection = leads[0].connection if leads else None
    variables = past_proxies(connection, scene.environment)
    return Launch(scene.command, {**variables, _CONTENT: json.dumps(config, ensure_ascii=False)})


def _given(scene: Scene) -> dict[str, Any]:
    """What the variable holds already. Raises ``CannotSteer`` where that makes no sense."""
    text = scene.environment.variables.get(_CONTENT)
    if not text:
        return {}
    try:
        given = parse_json(text).data
    except Malformed:
        given = None
    if not isinstance(given, dict):
        raise CannotSteer(_("{name} holds no settings", name=_CONTENT))
    return dict(given)


def _below(config: dict[str, Any], *keys: str) -> dict[str, Any]:
    for key in keys:
        inner = config.get(key)
        config[key] = dict(inner) if isinstance(inner, dict) else {}
        config = config[key]
    return config


STEERING = Steering(leads, launch)
