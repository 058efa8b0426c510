"""Codex CLI. Facts: facts/gateway-clients.md §3.2, and observed with Codex 0.171.0.

Beyond those: ``.env`` in Codex's own folder is read over the shell's variables, but for names that
begin with ``CODEX_``; a trusted project's file may choose the model and wins over ``--profile``,
and what it says of providers is ignored; ``managed_config.toml`` wins over all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from doctor.clients.base import ClientProfile
from doctor.clients.codex_auth import Stored, stored_login
from doctor.clients.codex_layers import Layers, home_of, layers, profile_names, with_profile
from doctor.clients.codex_provider import (
    DEFAULT_BASE,
    LOGIN_BASE,
    TABLE,
    Made,
    connection_of,
    see,
)
from doctor.clients.codex_refusals import missing_home, refusals_in, refused
from doctor.clients.files import Files
from doctor.clients.machine import Machine
from doctor.clients.strays import move_to, of_table, strays
from doctor.clients.whatwg import href
from doctor.connection import Connection, OriginKind, Protocol
from doctor.settings.candidates import Candidate, slug
from doctor.settings.found import Found
from doctor.text import Text, _

_REFUSAL = "stream disconnected before completion: builder error"


def join(base: str, path: str) -> str:
    """All slashes at the end of the base go. Raises ``ClientRefusal``."""
    return href(f"{base.rstrip('/')}{path}", _REFUSAL)


def add_query(url: str, query: tuple[tuple[str, str], ...]) -> str:
    """Parameters are put behind a "?", whether there is one already or not, and not encoded."""
    return href(url + "?" + "&".join(f"{name}={value}" for name, value in query), _REFUSAL)


def prepare_key(key: str) -> str:
    """A key that cannot stand in a header is dropped without a word."""
    bad = any((ord(char) < 0x20 and char != "\t") or ord(char) == 0x7F for char in key)
    return "" if bad else key


PROFILE = ClientProfile(
    id="codex",
    label="Codex",
    stack="codex",
    paths={Protocol.OPENAI_RESPONSES: "/responses"},
    models_path="/models",
    base_has_version=True,
    join=join,
    add_query=add_query,
    prepare_key=prepare_key,
    headers={"originator": "codex_cli_rs"},
    default_base=DEFAULT_BASE,
)


def find(machine: Machine, *, always: bool) -> Found:
    """The connection of ``codex``, and one of each ``codex --profile NAME`` that has another."""
    found = Found()
    files = Files(machine, PROFILE.id, found)
    usual = layers(files)
    stored = stored_login(files, usual)
    see(usual.every, usual, files)
    made = connection_of(usual, files, stored)
    found.unsupported += missing_home(machine)
    found.unsupported += refused(usual, made.connection, always=always)
    if not usual.names(TABLE):
        found.unsupported += strays(files, _unread(machine), _SIGN, _advice(machine))
    if always or _leads_somewhere(made.connection):
        found.candidates.append(_candidate(PROFILE.id, _label(made.connection), made))
    for name in profile_names(machine):
        found.candidates += _of_profile(name, usual, files, stored)
    return found


# The first is of today's files, the other of those that versions in TypeScript had.
_SIGN = of_table(TABLE, "providers")


def _unread(machine: Machine) -> Iterator[Path]:
    """Files of Codex before it was written anew, and another program's folder."""
    for name in ("config.json", "config.yaml"):
        yield home_of(machine) / name
    yield machine.config / "codex" / "config.toml"


def _advice(machine: Machine) -> Callable[[Path], Text]:
    right = machine.places.shown(str(home_of(machine) / "config.toml"))

    def advice(path: Path) -> Text:
        if path.suffix == ".toml":
            return move_to(right)(path)
        return _(
            "Write it as TOML in {place}: [model_providers.ID] with base_url and env_key.",
            place=right,
        )

    return advice


def _of_profile(name: str, usual: Layers, files: Files, stored: Stored) -> Iterator[Candidate]:
    """Nothing where the profile says nothing about where the request goes."""
    own = with_profile(usual, files, name)
    if own.profile is None:
        return
    see((own.profile,), own, files)
    files.found.unsupported += refusals_in(own.profile, own)
    about = (own.profile.at(key) for key in (TABLE, "model_provider", "openai_base_url"))
    if all(value is None for value in about):
        return
    made = connection_of(own, files, stored)
    if _leads_somewhere(made.connection):
        yield _candidate(slug(f"{PROFILE.id}-{name}"), own.profile.shown, made)


def _candidate(id_: str, label: str, made: Made) -> Candidate:
    kind = "engine" if made.local else "gateway"
    return Candidate(id_, label, made.connection, kind=kind, origins=made.origins)


def _leads_somewhere(connection: Connection) -> bool:
    """Whether Codex is set to go anywhere but to its vendor's default, or by a way of its own."""
    base = connection.base_url
    elsewhere = base.origin.kind is not OriginKind.DEFAULT
    return elsewhere or base.value not in (DEFAULT_BASE, LOGIN_BASE) or bool(connection.variables)


def _label(connection: Connection) -> str:
    """The file that its address, or else its key, comes from."""
    settings = (connection.base_url, connection.key, connection.unsent)
    paths = (setting.origin.path for setting in settings if setting is not None)
    return next((path for path in paths if path is not None), "environment")
