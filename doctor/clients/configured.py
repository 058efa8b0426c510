"""Asks the modules of those clients that are used here for what they would do.

A client's module offers ``find(machine: Machine) -> Found``: its targets (usually one), what it
saw in its files, its logins, and settings that it ignores. It makes a target of its own accord
only if a file or a login of the client says something about the connection; variables of the
shell alone belong to the SDKs. ``always=True`` makes one of whatever there is, for a user who
named the client.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from doctor.clients.catalogue import CLIENTS, Entry
from doctor.clients.machine import Machine
from doctor.settings import textfile
from doctor.settings.found import Found


def configured(machine: Machine) -> Found:
    """What the files of every client here say."""
    found = Found()
    for entry in CLIENTS.values():
        if entry.signs and shows(entry, machine):
            found.extend(_find(entry, machine, always=False))
    return found


def named(client: str, machine: Machine) -> Found:
    """What ``client`` would do with what there is, also without any file of its own.

    Raises ``KeyError`` for an unknown client.
    """
    return _find(CLIENTS[client], machine, always=True)


def _find(entry: Entry, machine: Machine, *, always: bool) -> Found:
    module = import_module(f"doctor.clients.{entry.module}")
    found: Found = module.find(machine, always=always)
    return found


def shows(entry: Entry, machine: Machine) -> bool:
    """Whether one of the signs of ``entry`` is there."""
    return any(_there(sign, machine) for sign in entry.signs)


def _there(sign: str, machine: Machine) -> bool:
    if sign.startswith("$"):
        return machine.variable(sign[1:]) is not None
    return any(textfile.exists(path) for path in places(sign, machine))


def places(sign: str, machine: Machine) -> tuple[Path, ...]:
    """The paths that a sign of the catalogue stands for."""
    first, _, rest = sign.partition("/")
    if first == "~":
        return (machine.home / rest,)
    if first == ".":
        return (machine.cwd / rest,)
    if first == "...":
        return tuple(folder / rest for folder in machine.upward())
    folders = {
        "{appdata}": machine.appdata,
        "{config}": machine.config,
        "{data}": machine.data,
    }
    return (folders[first] / rest,) if first in folders else (machine.system(sign),)
