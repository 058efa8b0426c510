"""claude-code-router 3: the providers of its database, as its gateway asks them.

From its sources (1347c86, 3.0.21) and by running the gateway of 3.1.1 against a stub: an endpoint,
a version behind a version, query and fragment are cut off an address; then it appends
``/chat/completions``, ``/responses``, or ``/v1/messages`` to what is left without ``/v1``. Blanks
around a key are cut off. References to variables are not resolved here.
"""

from __future__ import annotations

import json
import re
import urllib.parse
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from doctor.clients.machine import Machine
from doctor.clients.sqlite_files import rows
from doctor.connection import AuthHeader, Connection, Origin, OriginKind, Protocol, Setting
from doctor.facts.settings import Role, Sighting
from doctor.patterns import Pattern
from doctor.records import dataclass
from doctor.secrets import Secret
from doctor.settings.building import DEFAULT
from doctor.settings.candidates import Candidate, slug
from doctor.settings.found import Found, KeyPlace
from doctor.settings.names import is_real_secret
from doctor.untrusted import visible

_TABLE, _ROW = "app_config", "default"
_BASES, _KEYS = ("baseurl", "baseUrl", "api_base_url"), ("apikey", "apiKey", "api_key")
_ENDPOINT = Pattern(
    r"(?:/chat/completions|/responses|/messages|/interactions|/models(?:/[^/]+:\w+)?)$", re.I
)
_NESTED = Pattern(r"(/v\d[a-z0-9-]*)/v1$", re.I)
_VERSION = Pattern(r"/v1(?:beta)?$", re.I)
_SCHEME = Pattern(r"[a-z][a-z0-9+.-]*://", re.I)
_LOCAL = Pattern(r"localhost|127\.|0\.0\.0\.0|\[::1\]", re.I)
# What Claude Code's requests are made into, the first that a provider has.
_SPOKEN = {
    "anthropic_messages": Protocol.ANTHROPIC_MESSAGES,
    "anthropic": Protocol.ANTHROPIC_MESSAGES,
    "openai_chat_completions": Protocol.OPENAI_CHAT,
    "openai_chat": Protocol.OPENAI_CHAT,
    "openai_responses": Protocol.OPENAI_RESPONSES,
    "openai": Protocol.OPENAI_RESPONSES,
}
_PREFERRED = (Protocol.ANTHROPIC_MESSAGES, Protocol.OPENAI_CHAT, Protocol.OPENAI_RESPONSES)
_PATHS = {
    Protocol.OPENAI_CHAT: "/chat/completions",
    Protocol.OPENAI_RESPONSES: "/responses",
    Protocol.ANTHROPIC_MESSAGES: "/v1/messages",
}


def read(machine: Machine, client: str, folder: Path, found: Found) -> bool:
    """Adds a target per provider, and the keys that the database holds. False where it has no
    providers."""
    path = folder / "config.sqlite"
    shown = machine.places.shown(str(path))
    providers = [
        _Provider(number, entry, shown)
        for number, entry in _listed(path)
        if entry.get("enabled") is not False
    ]
    made = [(provider, made) for provider in providers if (made := provider.connection(client))]
    for provider, connection in made:
        identity = client if len(made) == 1 else f"{client}-{slug(provider.name)}"
        label = f"{shown} ({visible(provider.name, 80)})"
        found.candidates.append(Candidate(identity, label, connection, aliases=frozenset({client})))
    for provider in providers:
        key = provider.key
        if key is None or not is_real_secret(key.value.reveal()):
            continue
        found.sightings.append(
            Sighting(Role.KEY, key.origin.name, key.value, key.origin, raw=key.value)
        )
        found.key_places.append(KeyPlace(str(path), shown, None, key.origin.name))
    return bool(providers)


def _listed(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    read_rows = rows(path, _TABLE, ("key", "value_json"))
    for row in read_rows.rows if read_rows is not None else ():
        if row.get("key") != _ROW:
            continue
        try:
            value = json.loads(str(row.get("value_json")))
        except (ValueError, RecursionError):
            return
        listed = value.get("Providers") if isinstance(value, dict) else None
        for number, provider in enumerate(listed if isinstance(listed, list) else ()):
            if isinstance(provider, dict):
                yield number, provider


@dataclass(frozen=True, slots=True)
class _Provider:
    """One entry of ``Providers``; ``shown`` is the database as people see its path."""

    number: int
    entry: Mapping[str, Any]
    shown: str

    @property
    def name(self) -> str:
        return str(self.entry.get("name", ""))

    def connection(self, client: str) -> Connection | None:
        """None for a provider without an address or models, and for an API of its own."""
        spoken = self._spoken()
        models = self.entry.get("models")
        if spoken is None or not isinstance(models, list) or not models or not self.name:
            return None
        protocol, base, where = spoken
        messages = protocol is Protocol.ANTHROPIC_MESSAGES
        return Connection(
            client=client,
            protocol=protocol,
            base_url=Setting(asked(base, protocol), self._origin(where)),
            key=self.key,
            model=Setting(str(models[0]), self._origin("models.0")),
            auth=Setting(AuthHeader.X_API_KEY if messages else AuthHeader.BEARER, DEFAULT),
            proxy=Setting("environment", DEFAULT),
        )

    def _spoken(self) -> tuple[Protocol, str, str] | None:
        """The API that is asked, the address as it stands, and where."""
        told = dict(self._capabilities())
        for protocol in _PREFERRED:
            if protocol in told:
                return protocol, *told[protocol]
        base = self._first(_BASES)
        if told or base is None:
            return None
        for name in ("type", "provider"):
            spoken = _SPOKEN.get(str(self.entry.get(name, "")).strip().lower())
            if spoken is not None:
                return spoken, *base
        inferred = _inferred(base[0], self.entry.get("transformer"))
        return None if inferred is None else (inferred, *base)

    def _capabilities(self) -> Iterator[tuple[Protocol, tuple[str, str]]]:
        listed = self.entry.get("capabilities")
        for number, one in enumerate(listed if isinstance(listed, list) else ()):
            base = one.get("baseUrl") if isinstance(one, dict) else None
            protocol = _SPOKEN.get(str(one.get("type")).lower()) if isinstance(base, str) else None
            if protocol is not None and isinstance(base, str) and base.strip():
                yield protocol, (base, f"capabilities.{number}.baseUrl")

    @property
    def key(self) -> Setting[Secret] | None:
        """The first key of its pool, else its own."""
        pool = self.entry.get("credentials")
        for number, one in enumerate(pool if isinstance(pool, list) else ()):
            if isinstance(one, dict) and one.get("enabled") is not False:
                held = _first(one, _KEYS)
                if held is not None:
                    return self._secret(held[0], f"credentials.{number}.{held[1]}")
        held = self._first(_KEYS)
        return None if held is None else self._secret(*held)

    def _secret(self, text: str, name: str) -> Setting[Secret]:
        return Setting(Secret(text), self._origin(name))

    def _first(self, names: tuple[str, ...]) -> tuple[str, str] | None:
        return _first(self.entry, names)

    def _origin(self, name: str) -> Origin:
        place = f"{_TABLE}.Providers.{self.number}.{name}"
        return Origin(OriginKind.FILE, place, self.shown)


def _first(table: Mapping[str, Any], names: tuple[str, ...]) -> tuple[str, str] | None:
    held = ((table.get(name), name) for name in names)
    return next(((text, name) for text, name in held if isinstance(text, str) and text), None)


def _inferred(base: str, transformer: object) -> Protocol | None:
    """As it guesses where a provider tells no type; None for Gemini's own APIs."""
    words = f"{base} {json.dumps(transformer)}".lower()
    if "/interactions" in words or "gemini" in words or "generativelanguage" in words:
        return None
    return Protocol.ANTHROPIC_MESSAGES if "anthropic" in words else Protocol.OPENAI_CHAT


def asked(base: str, protocol: Protocol) -> str:
    """The URL that its gateway asks for the address ``base``."""
    text = base.strip()
    if not _SCHEME.match(text):
        text = f"{'http' if _LOCAL.match(text) else 'https'}://{text}"
    try:
        parts = urllib.parse.urlsplit(text)
    except ValueError:
        return text
    path = _ENDPOINT.sub("", parts.path.rstrip("/"))
    path = _NESTED.sub(r"\1", path).rstrip("/")
    if protocol is Protocol.ANTHROPIC_MESSAGES:
        path = _VERSION.sub("", path)
    host = parts.netloc.rpartition("@")[2]
    return urllib.parse.urlunsplit((parts.scheme, host, path + _PATHS[protocol], "", ""))
