"""Qwen Code: variables of the shell stand before its files (facts/gateway-clients.md §3.12)."""

from __future__ import annotations

from doctor.connection import OriginKind, Protocol
from doctor.tap.steering.base import (
    CannotSteer,
    Launch,
    Lead,
    Led,
    Scene,
    Steering,
    past_proxies,
)
from doctor.text import _

_BASES = {
    Protocol.OPENAI_CHAT: "OPENAI_BASE_URL",
    Protocol.OPENAI_RESPONSES: "OPENAI_BASE_URL",
    Protocol.ANTHROPIC_MESSAGES: "ANTHROPIC_BASE_URL",
    Protocol.GEMINI_GENERATE: "GOOGLE_GEMINI_BASE_URL",
}


def leads(scene: Scene) -> tuple[Lead, ...]:
    connection = scene.found.targets[0].connection
    origin = connection.base_url.origin
    if origin.kind is OriginKind.FILE and origin.name.startswith("modelProviders"):
        raise CannotSteer(
            _(
                "{place} stands before every variable; start 'kvdoctor tap --client qwen-code' "
                "without a command and put the printed address there for the time being",
                place=str(origin),
            )
        )
    name = _BASES[connection.protocol]
    return (Lead("qwen-code", name, connection.base_url.value, connection),)


def launch(scene: Scene, leads: tuple[Lead, ...], led: Led) -> Launch:
    lead = leads[0]
    variables = {lead.name: led[lead.id]} if lead.id in led else {}
    return Launch(scene.command, {**variables, **past_proxies(lead.connection, scene.environment)})


STEERING = Steering(leads, launch)
