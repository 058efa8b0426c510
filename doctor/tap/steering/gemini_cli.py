"""Gemini CLI: its variable of the shell stands before its files, and may name plain http on
loopback (facts/gateway-clients.md §3.12)."""

from __future__ import annotations

from doctor.connection import Unsent
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

_BASE = "GOOGLE_GEMINI_BASE_URL"


def leads(scene: Scene) -> tuple[Lead, ...]:
    connection = scene.found.targets[0].connection
    login = connection.unsent
    if login is not None and login.value is Unsent.GOOGLE_LOGIN:
        raise CannotSteer(
            _("with a Google login Gemini CLI takes no other address; give it GEMINI_API_KEY")
        )
    return (Lead("gemini-cli", _BASE, connection.base_url.value, connection),)


def launch(scene: Scene, leads: tuple[Lead, ...], led: Led) -> Launch:
    lead = leads[0]
    variables = {_BASE: led[lead.id]} if lead.id in led else {}
    return Launch(scene.command, {**variables, **past_proxies(lead.connection, scene.environment)})


STEERING = Steering(leads, launch)
