"""CC Switch: which provider it holds for each client, and whether its proxy carries the traffic.

Facts: facts/gateway-clients.md §3.3, from its sources (3.20.0). The files that it writes for other
programs are those programs' own. While its proxy has taken a client over, that client's file names
the proxy, and the request goes from there to the current provider: that is a target of its own.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from doctor.clients.base import ClientProfile
from doctor.clients.cc_switch_live import differences
from doctor.clients.machine import Machine
from doctor.clients.sqlite_files import rows
from doctor.clients.whatwg import href
from doctor.connection import AuthHeader, Connection, Origin, OriginKind, Protocol, Setting
from doctor.facts.settings import Role, Sighting
from doctor.records import dataclass
from doctor.secrets import Secret
from doctor.settings.building import DEFAULT, provider_of
from doctor.settings.candidates import Candidate
from doctor.settings.found import Found, KeyPlace
from doctor.settings.names import is_real_secret
from doctor.untrusted import visible

ID = "cc-switch"
_PROTOCOLS = {
    "claude": Protocol.ANTHROPIC_MESSAGES,
    "codex": Protocol.OPENAI_RESPONSES,
}
_PLACEHOLDER = "PROXY_MANAGED"

PROFILE = ClientProfile(
    id=ID,
    label="CC Switch",
    stack="reqwest",
    paths={
        Protocol.ANTHROPIC_MESSAGES: "/v1/messages",
        Protocol.OPENAI_RESPONSES: "/responses",
    },
    models_path=None,
    base_has_version=False,
    join=lambda base, path: href(base.rstrip("/") + path),
    default_base="https://api.anthropic.com",
)


@dataclass(frozen=True, slots=True)
class Held:
    """One provider of the database. ``origin`` is where its settings stand."""

    app: str
    name: str
    current: bool
    base: str | None
    key: str | None
    model: str | None
    origin: Origin
    auth: AuthHeader = AuthHeader.BEARER


def find(machine: Machine, *, always: bool) -> Found:
    """A target for each client that its proxy has taken over."""
    found = Found()
    path = machine.home / ".cc-switch" / "cc-switch.db"
    shown = machine.places.shown(str(path))
    held = list(_providers(path, shown))
    taken = _taken_over(path)
    if taken is not None:
        current = next((one for one in held if one.current and one.app == "claude"), None)
        if current is not None and current.base is not None and "claude" not in taken:
            found.note(differences(current.name, current.base, machine))
    for provider in held:
        _sight(provider, path, shown, found)
    for provider in held:
        if not provider.current or provider.app not in (taken or ()):
            continue
        if provider.app not in _PROTOCOLS:
            continue
        connection = _connection(provider)
        if connection is not None:
            label = f"{shown} ({visible(provider.name, 80)})"
            alias = frozenset({ID, provider.name})
            found.candidates.append(
                Candidate(f"{ID}-{provider.app}", label, connection, aliases=alias)
            )
    if always and not found.candidates:
        base = Setting(PROFILE.default_base or "", DEFAULT)
        empty = Connection(client=ID, protocol=Protocol.ANTHROPIC_MESSAGES, base_url=base)
        found.candidates.append(Candidate(ID, "environment", empty))
    return found


def _providers(path: Path, shown: str) -> Iterator[Held]:
    read = rows(path, "providers", ("id", "app_type", "name", "settings_config", "is_current"))
    for row in read.rows if read is not None else ():
        app, name = str(row.get("app_type")), str(row.get("name"))
        try:
            config = json.loads(str(row.get("settings_config")))
        except (ValueError, RecursionError):
            continue
        if not isinstance(config, dict):
            continue
        origin = Origin(OriginKind.FILE, visible(f"providers.{app}.{name}", 120), shown)
        base, key, model = _of_codex(config) if app == "codex" else _of_env(config)
        auth = _header(config) if app == "claude" else AuthHeader.BEARER
        yield Held(app, name, bool(row.get("is_current")), base, key, model, origin, auth)


def _of_env(config: Mapping[str, Any]) -> tuple[str | None, str | None, str | None]:
    """Claude Code's and Gemini CLI's are variables."""
    env = config.get("env")
    if not isinstance(env, dict):
        return None, None, None
    keys = ("ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY", "GEMINI_API_KEY")
    return (
        _first(env, ("ANTHROPIC_BASE_URL", "GOOGLE_GEMINI_BASE_URL")),
        _first(env, keys),
        _first(env, ("ANTHROPIC_MODEL", "GEMINI_MODEL")),
    )


def _header(config: Mapping[str, Any]) -> AuthHeader:
    """A key that stands under the name of an API key goes as one."""
    env = config.get("env")
    token = isinstance(env, dict) and bool(env.get("ANTHROPIC_AUTH_TOKEN"))
    return AuthHeader.BEARER if token else AuthHeader.X_API_KEY


def _of_codex(config: Mapping[str, Any]) -> tuple[str | None, str | None, str | None]:
    """Codex's are the text of config.toml and the table of auth.json."""
    auth = config.get("auth")
    key = _first(auth, ("OPENAI_API_KEY",)) if isinstance(auth, dict) else None
    try:
        toml = tomllib.loads(str(config.get("config") or ""))
    except (tomllib.TOMLDecodeError, RecursionError):
        return None, key, None
    tables, chosen = toml.get("model_providers"), toml.get("model_provider")
    own = tables.get(chosen) if isinstance(tables, dict) and isinstance(chosen, str) else None
    base = _first(own, ("base_url",)) if isinstance(own, dict) else None
    return base, key, _first(toml, ("model",))


def _first(table: Mapping[str, Any], names: tuple[str, ...]) -> str | None:
    values = (table.get(name) for name in names)
    return next((value for value in values if isinstance(value, str) and value), None)


def _taken_over(path: Path) -> set[str] | None:
    """The clients whose traffic its proxy carries; None where that is not sure, because newer rows
    may be in its log."""
    read = rows(path, "proxy_config", ("app_type", "proxy_enabled", "enabled"))
    if read is None or not read.settled:
        return None
    return {
        str(row.get("app_type"))
        for row in read.rows
        if row.get("proxy_enabled") and row.get("enabled")
    }


def _sight(provider: Held, path: Path, shown: str, found: Found) -> None:
    """What it holds for the client, in effect or not; of the others the keys alone."""
    origin = provider.origin
    if provider.base is not None and provider.current:
        known = provider_of(provider.base)
        found.sightings.append(
            Sighting(
                Role.BASE_URL,
                origin.name,
                provider.base,
                origin,
                raw=provider.base,
                provider=known.id if known else None,
            )
        )
    if provider.key is not None and is_real_secret(provider.key):
        key = Secret(provider.key)
        found.sightings.append(Sighting(Role.KEY, origin.name, key, origin, raw=key))
        found.key_places.append(KeyPlace(str(path), shown, None, origin.name))


def _connection(provider: Held) -> Connection | None:
    if provider.base is None or provider.key == _PLACEHOLDER:
        return None
    key, model = provider.key, provider.model
    return Connection(
        client=ID,
        protocol=_PROTOCOLS[provider.app],
        base_url=Setting(provider.base, provider.origin),
        key=None if key is None else Setting(Secret(key), provider.origin),
        model=None if model is None else Setting(model, provider.origin),
        auth=Setting(provider.auth, DEFAULT),
    )
