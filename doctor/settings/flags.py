"""Values that the user gives on the command line, laid over the targets that are examined."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any, TypeVar

from doctor.clients import ids, profile, speaking
from doctor.connection import Connection, Origin, OriginKind, Protocol, Setting, Shadowed
from doctor.facts.settings import Role, Sighting
from doctor.records import dataclass
from doctor.secrets import Secret
from doctor.settings.candidates import Candidate
from doctor.settings.errors import ConfigError
from doctor.settings.found import Found, KeyPlace
from doctor.settings.keyfile import key_of, read_key_file
from doctor.settings.names import looks_like_key
from doctor.settings.places import Places
from doctor.settings.request import ENV_READERS, TargetRequest
from doctor.settings.textfile import Unreadable
from doctor.settings.variables import Space
from doctor.text import _

T = TypeVar("T")


def flag(name: str) -> Origin:
    """The origin of a value that a flag gives."""
    return Origin(OriginKind.FLAG, f"--{name}")


def check_request(request: TargetRequest) -> None:
    """Refuse what cannot be meant. Raises ``ConfigError``."""
    given = [
        name for name in ("key_env", "key_file", "key_stdin") if getattr(request, name) is not None
    ]
    if len(given) > 1:
        flags = " and ".join(f"--{name.replace('_', '-')}" for name in given)
        raise ConfigError(_("{flags} give the key twice", flags=flags))
    if request.key_env is not None and looks_like_key(request.key_env):
        # The key itself on a command line is seen by every user of the machine.
        raise ConfigError(_("--key-env takes the name of a variable, not the key itself"))
    clients = ids()
    if request.client is not None and request.client not in clients:
        from doctor.suggest import nearest

        near = nearest(request.client, clients) or ", ".join(clients)
        text = _("--client {name}: unknown; known: {near}", name=request.client, near=near)
        raise ConfigError(text)
    if request.env_reader is not None and request.env_reader not in ENV_READERS:
        known = ", ".join(ENV_READERS)
        raise ConfigError(
            _("--env-reader {name}: one of {known}", name=request.env_reader, known=known)
        )
    if request.protocol is not None:
        _protocol(request)


def chosen_client(request: TargetRequest) -> str | None:
    """The client that the flags name, themselves or by its protocol."""
    if request.client is not None or request.protocol is None:
        return request.client
    protocol = Protocol(request.protocol)
    return speaking(protocol)


def gives_key(request: TargetRequest) -> bool:
    """Whether a flag says where the key is."""
    return not (request.key_env is None and request.key_file is None and request.key_stdin is None)


def apply(
    request: TargetRequest,
    candidates: list[Candidate],
    space: Space,
    places: Places,
    found: Found,
) -> list[Candidate]:
    """``candidates`` with every flag in effect. Raises ``ConfigError``."""
    if gives_key(request) and len(candidates) > 1:
        names = ", ".join(candidate.id for candidate in candidates)
        raise ConfigError(
            _("the key is for one target, but there are several ({names}): name one", names=names)
        )
    if gives_key(request) and not candidates:
        raise ConfigError(_("the key belongs to no target: say where it goes with --base-url"))
    if not candidates:
        return []
    key = _key(request, space, places, found) if gives_key(request) else None
    return [
        dataclasses.replace(
            candidate,
            connection=_laid_over(request, candidate.connection, key),
            origins=candidate.origins | _named_origins(request),
        )
        for candidate in candidates
    ]


def _named_origins(request: TargetRequest) -> set[Origin]:
    return {flag("key-env")} if request.key_env is not None else set()


def _laid_over(request: TargetRequest, connection: Connection, key: _FlagKey | None) -> Connection:
    connection = _spoken(request, connection)
    if key is not None:
        connection = dataclasses.replace(
            connection,
            key=None if key.setting is None else _over(key.setting, connection.key),
        )
    changes: dict[str, Any] = {
        name: laid(value, name.replace("_", "-"), getattr(connection, name))
        for name in ("model", "max_tokens", "proxy", "ca_bundle")
        if (value := getattr(request, name)) is not None
    }
    connection = dataclasses.replace(connection, **changes)
    if request.timeout is not None:
        connection = dataclasses.replace(connection, timeout=request.timeout)
    return connection


def _spoken(request: TargetRequest, connection: Connection) -> Connection:
    """Client and protocol as the flags want them."""
    client = chosen_client(request)
    if client is None:
        return connection
    if client == connection.client and request.protocol is None:
        return connection
    known = profile(client)
    protocol = Protocol(request.protocol) if request.protocol else next(iter(known.paths))
    auth = connection.auth
    if client != connection.client and auth.origin.kind is OriginKind.DEFAULT:
        auth = Setting(known.auth, auth.origin)
    return dataclasses.replace(connection, client=client, protocol=protocol, auth=auth)


def _protocol(request: TargetRequest) -> None:
    try:
        protocol = Protocol(request.protocol or "")
    except ValueError:
        known = ", ".join(p.value for p in Protocol)
        text = _("--protocol {name}: one of {known}", name=request.protocol, known=known)
        raise ConfigError(text) from None
    if request.client is not None and protocol not in profile(request.client).paths:
        raise ConfigError(
            _(
                "--client {client} does not speak --protocol {protocol}",
                client=request.client,
                protocol=protocol.value,
            )
        )


def laid(value: T, name: str, old: Setting[T] | None) -> Setting[T]:
    """``value`` of flag ``--name`` over ``old``, which it shadows."""
    return _over(Setting(value, flag(name)), old)


def _over(setting: Setting[T], old: Setting[T] | None) -> Setting[T]:
    if old is None or old.origin.kind is OriginKind.DEFAULT:
        return setting
    return Setting(setting.value, setting.origin, (Shadowed(old.value, old.origin), *old.shadows))


@dataclass(frozen=True, slots=True)
class _FlagKey:
    """``setting`` None: the variable that the user named is not set."""

    setting: Setting[Secret] | None


def _key(request: TargetRequest, space: Space, places: Places, found: Found) -> _FlagKey:
    if request.key_stdin is not None:
        return _FlagKey(Setting(key_of(request.key_stdin), flag("key-stdin")))
    if request.key_file is not None:
        path = Path(str(places.cwd)) / Path(request.key_file).expanduser()
        try:
            key = read_key_file(path)
        except Unreadable as unreadable:
            reason = str(unreadable)
            text = _("--key-file {name}: {reason}", name=request.key_file, reason=reason)
            raise ConfigError(text) from None
        shown = places.shown(str(path))
        found.key_places.append(KeyPlace(str(path), shown, None, "--key-file"))
        return _FlagKey(Setting(key, dataclasses.replace(flag("key-file"), path=shown)))
    name = request.key_env or ""
    found.sightings.append(
        Sighting(Role.KEY_VARIABLE, "--key-env", name, flag("key-env"), raw=name)
    )
    held = space.get(name)
    return _FlagKey(None if held is None else Setting(Secret(held.value), held.origin))
