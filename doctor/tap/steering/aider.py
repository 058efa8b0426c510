"""Aider: its ``.env`` stands before the shell, so its variable is set by ``--set-env`` where a file
has it. litellm takes OPENAI_BASE_URL before OPENAI_API_BASE, and ANTHROPIC_API_BASE before
ANTHROPIC_BASE_URL (facts/gateway-clients.md §§2.2, 3.9)."""

from __future__ import annotations

from doctor.connection import OriginKind, Protocol
from doctor.tap.steering.base import (
    CannotSteer,
    Launch,
    Lead,
    Led,
    Scene,
    Steering,
    for_a_command_line,
    past_proxies,
)
from doctor.text import _

_FIRST = {
    Protocol.OPENAI_CHAT: "OPENAI_BASE_URL",
    Protocol.ANTHROPIC_MESSAGES: "ANTHROPIC_API_BASE",
}
_OWN = ("HOSTED_VLLM_API_BASE",)


def leads(scene: Scene) -> tuple[Lead, ...]:
    connection = scene.found.targets[0].connection
    origin = connection.base_url.origin
    if origin.kind is OriginKind.FILE and origin.name.endswith("api_base"):
        raise CannotSteer(_("{place} stands before every variable of Aider", place=str(origin)))
    name = origin.name if origin.name in _OWN else _FIRST.get(connection.protocol, "")
    if not name:
        raise CannotSteer(_("how Aider is led elsewhere with this protocol is not known"))
    return (Lead("aider", name, connection.base_url.value, connection),)


def launch(scene: Scene, leads: tuple[Lead, ...], led: Led) -> Launch:
    lead = leads[0]
    past = past_proxies(lead.connection, scene.environment)
    if lead.id not in led:
        return Launch(scene.command, past)
    variables = {lead.name: led[lead.id], **past}
    setting = None if lead.connection is None else lead.connection.base_url
    if setting is None or setting.origin.kind is not OriginKind.FILE:
        return Launch(scene.command, variables)
    words = ("--set-env", f"{lead.name}={for_a_command_line(led[lead.id])}")
    return Launch(scene.with_arguments(*words), variables, words)


STEERING = Steering(leads, launch)
