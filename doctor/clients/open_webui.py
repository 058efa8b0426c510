"""Open WebUI. Facts: facts/gateway-clients.md §3.11, and its public source; not run.

Addresses and keys are lists, paired by position; in variables they are separated by ";". After the
first start the database wins over the variables, unless ENABLE_PERSISTENT_CONFIG is off.
"""

from __future__ import annotations

import os
from pathlib import Path

from doctor.clients.base import ClientProfile
from doctor.clients.files import Files, chosen
from doctor.clients.httpx_join import join
from doctor.clients.machine import Machine
from doctor.clients.open_webui_database import stored
from doctor.connection import Connection, Origin, OriginKind, Protocol, Setting, Shadowed
from doctor.facts.settings import Role
from doctor.secrets import Secret
from doctor.settings.building import DEFAULT
from doctor.settings.candidates import Candidate
from doctor.settings.found import Found, KeyPlace
from doctor.settings.names import is_real_secret

PROFILE = ClientProfile(
    id="open-webui",
    label="Open WebUI",
    stack="aiohttp",
    paths={Protocol.OPENAI_CHAT: "/chat/completions"},
    models_path="/models",
    base_has_version=True,
    join=join,
    default_base="https://api.openai.com/v1",
)
_BASES = ("OPENAI_API_BASE_URLS", "OPENAI_API_BASE_URL")
_KEYS = ("OPENAI_API_KEYS", "OPENAI_API_KEY")
_Bases = list[Shadowed[str]]
_KeyList = list[Shadowed[Secret]]


def find(machine: Machine, *, always: bool) -> Found:
    """One target per address."""
    found = Found()
    files = Files(machine, PROFILE.id, found)
    bases, keys = _of_variables(machine)
    path = _database(machine)
    in_file = False
    if path is not None and _persistent(machine):
        shown = machine.places.shown(str(path))
        project = machine.places.in_project(str(path))
        said = stored(path)
        if said.bases:
            in_file = True
            bases = [
                _at(url, "openai.api_base_urls", n, shown, project) for n, url in _n(said.bases)
            ]
            keys = [
                Shadowed(Secret(key.value), key.origin)
                for key in (
                    _at(text, "openai.api_keys", n, shown, project) for n, text in _n(said.keys)
                )
            ]
            found.key_places += [
                KeyPlace(str(path), shown, None, key.origin.name)
                for key in keys
                if is_real_secret(key.value.reveal())
            ]
    if not in_file and not always:
        return found
    for number, base in enumerate(bases):
        key = keys[number] if number < len(keys) else None
        files.see(None, Role.BASE_URL, base)
        files.see(None, Role.KEY, key)
        id_ = PROFILE.id if number == 0 else f"{PROFILE.id}-{number + 1}"
        label = base.origin.path or "environment"
        found.candidates.append(Candidate(id_, label, _connection(base, key)))
        if always and not in_file:
            break
    if always and not found.candidates:
        found.candidates.append(Candidate(PROFILE.id, "default", _connection(None, None)))
    return found


def _connection(base: Shadowed[str] | None, key: Shadowed[Secret] | None) -> Connection:
    return Connection(
        client=PROFILE.id,
        protocol=Protocol.OPENAI_CHAT,
        base_url=chosen(base) or Setting(PROFILE.default_base or "", DEFAULT),
        key=chosen(key) if key is not None and key.value else None,
    )


def _n(values: tuple[str, ...]) -> list[tuple[int, str]]:
    return list(enumerate(values))


def _at(value: str, name: str, number: int, shown: str, project: bool) -> Shadowed[str]:
    return Shadowed(value, Origin(OriginKind.FILE, f"{name}.{number}", shown, None, project))


def _of_variables(machine: Machine) -> tuple[_Bases, _KeyList]:
    """The plural names win; an empty entry stands for OpenAI's own address."""
    bases = next((held for name in _BASES if (held := machine.variable(name))), None)
    keys = next((held for name in _KEYS if (held := machine.variable(name))), None)
    listed = [] if bases is None else bases.value.split(";")
    secrets = [] if keys is None else keys.value.split(";")
    usual = PROFILE.default_base or ""
    return (
        [Shadowed(url.strip() or usual, bases.origin) for url in listed if bases is not None],
        [Shadowed(Secret(key.strip()), keys.origin) for key in secrets if keys is not None],
    )


def _persistent(machine: Machine) -> bool:
    held = machine.variable("ENABLE_PERSISTENT_CONFIG")
    return held is None or held.value.lower() != "false"


def _database(machine: Machine) -> Path | None:
    folders: tuple[Path, ...] = (
        machine.cwd / "data",
        machine.cwd / "backend" / "data",
        machine.cwd,
    )
    if machine.variable("DATA_DIR") is not None:
        folders = (machine.folder("DATA_DIR", machine.cwd), *folders)
    return next((f / "webui.db" for f in folders if os.path.isfile(f / "webui.db")), None)
