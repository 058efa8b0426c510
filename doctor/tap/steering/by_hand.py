"""Programs that take their address from files of their own alone: the user puts it there."""

from __future__ import annotations

from doctor.tap.steering.base import CannotSteer, Launch, Lead, Led, Scene, Steering
from doctor.text import _


def leads(scene: Scene) -> tuple[Lead, ...]:
    target = scene.found.targets[0]
    client = target.connection.client
    if scene.command:
        raise CannotSteer(
            _(
                "{client} takes its address from its own files alone; start 'kvdoctor tap --client "
                "{client}' without a command and put the printed address there for the time being",
                client=client,
            )
        )
    return (Lead(client, "", target.connection.base_url.value, target.connection),)


def launch(scene: Scene, leads: tuple[Lead, ...], led: Led) -> Launch:
    return Launch(scene.command)


STEERING = Steering(leads, launch)
