"""Entries of a client's own files that a change of its connection needs: a place for a value that
no source holds yet, and what stands beside a new one."""

from __future__ import annotations

from doctor.connection import Connection, SettingName
from doctor.fixes.documents import format_of
from doctor.fixes.prepare import prepare
from doctor.fixes.refusal import RefusedEdit
from doctor.fixes.scene import Scene
from doctor.fixes.steps import EditFile, Operation, Value
from doctor.secrets import Secret


def placed_in_own_file(
    name: SettingName, new: Value, connection: Connection, scene: Scene
) -> EditFile | None:
    """The line to add to a settings file of the client; None where it has none for that."""
    from doctor.clients.machine import Machine
    from doctor.clients.setup import place_of
    from doctor.settings.places import Places

    if isinstance(new, Secret) or not scene.environment.home:
        return None
    machine = Machine.of(scene.environment, Places.of(scene.environment))
    place = place_of(connection.client, name, connection, machine)
    if place is None:
        return None
    path = scene.absolute(place.path)
    value = new if isinstance(place.new, int) else str(new)
    step = EditFile(
        path=path,
        shown=place.path,
        format=format_of(path),
        at=place.keys,
        line=None,
        old=None,
        new=value,
        operation=Operation.ADD,
    )
    try:
        prepare((step,))
    except RefusedEdit:
        return None
    return step


def listed_beside(
    name: SettingName, new: Value, connection: Connection, scene: Scene
) -> tuple[EditFile, ...]:
    """What the client wants to have beside a new value: a model in its list of models."""
    from doctor.clients.machine import Machine
    from doctor.clients.setup import beside
    from doctor.fixes.lasting import steps_of
    from doctor.settings.places import Places

    if name is not SettingName.MODEL or not scene.environment.home:
        return ()
    machine = Machine.of(scene.environment, Places.of(scene.environment))
    entries = beside(connection.client, str(new), connection, machine)
    try:
        return tuple(steps_of(entries, scene)) if entries else ()
    except RefusedEdit:
        return ()
