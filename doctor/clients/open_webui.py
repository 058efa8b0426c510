"""Open WebUI. Facts: facts/gateway-clients.md §3.11, and its public source; not run.

Addresses and keys are lists, paired by position; in variables they are separated by ";". After the
first start what it keeps wins over the variables, empty keys too, unless ENABLE_PERSISTENT_CONFIG
is off.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

from doctor.clients.base import ClientProfile
from doctor.clients.files import Files, chosen
from doctor.clients.httpx_join import join
from doctor.clients.machine import Machine
from doctor.clients.open_webui_database import Stored, kept
from doctor.connection import Connection, Origin, OriginKind, Protocol, Setting, Shadowed
from doctor.facts.settings import Role
from doctor.secrets import Secret
from doctor.settings.building import DEFAULT, host_of
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
T = TypeVar("T")
_Bases = list[Shadowed[str]]
_Key = Shadowed[Secret]
_KeyList = list[_Key]


def find(machine: Machine, *, always: bool) -> Found:
    """One target per address."""
    found = Found()
    files = Files(machine, PROFILE.id, found)
    bases, keys = _of_variables(machine)
    hidden: tuple[_Bases, _KeyList] = ([], [])
    held = _kept(machine) if _persistent(machine) else None
    if held is not None:
        path, said = held
        hidden = bases, keys
        shown = machine.places.shown(str(path))
        project = machine.places.in_project(str(path))
        bases = [_at(url, "openai.api_base_urls", n, shown, project) for n, url in _n(said.bases)]
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
    elif not always:
        return found
    for number, base in enumerate(bases):
        key = _nth(keys, number)
        files.see(None, Role.BASE_URL, base)
        files.see(None, Role.KEY, key)
        id_ = PROFILE.id if number == 0 else f"{PROFILE.id}-{number + 1}"
        label = base.origin.path or "environment"
        made = _connection(base, key, _hidden_key(base, *hidden, number))
        found.candidates.append(Candidate(id_, label, made))
        if always and held is None:
            break
    if always and not found.candidates:
        found.candidates.append(Candidate(PROFILE.id, "default", _connection(None, None)))
    return found


def _nth(values: Sequence[T], number: int) -> T | None:
    return values[number] if number < len(values) else None


def _hidden_key(base: Shadowed[str], bases: _Bases, keys: _KeyList, n: int) -> _Key | None:
    """The variables' key at this position, where it is one for the same server."""
    meant = _nth(bases, n)
    usual = PROFILE.default_base if n == 0 and not bases else None
    address = usual if meant is None else meant.value
    same = address is not None and host_of(address) == host_of(base.value)
    return _nth(keys, n) if same else None


def _connection(
    base: Shadowed[str] | None, key: _Key | None, hidden: _Key | None = None
) -> Connection:
    """``hidden`` is a key that a variable holds in vain. An empty key is sent as none."""
    used = chosen(key, hidden) if key is not None else None
    return Connection(
        client=PROFILE.id,
        protocol=Protocol.OPENAI_CHAT,
        base_url=chosen(base) or Setting(PROFILE.default_base or "", DEFAULT),
        key=used if used is not None and (used.value or used.shadows) else None,
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


def _kept(machine: Machine) -> tuple[Path, Stored] | None:
    folders: tuple[Path, ...] = (
        machine.cwd / "data",
        machine.cwd / "backend" / "data",
        machine.cwd,
        machine.system("/app/backend/data"),  # its image's
    )
    if machine.variable("DATA_DIR") is not None:
        folders = (machine.folder("DATA_DIR", machine.cwd), *folders)
    return next((held for folder in folders if (held := kept(folder)) is not None), None)
