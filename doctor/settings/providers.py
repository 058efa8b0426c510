"""What is publicly known about providers: hosts, bases per protocol, key shapes, variables.

The facts stand in ``doctor/providers.toml``; this module answers questions about them.
"""

from __future__ import annotations

import functools
import tomllib
from pathlib import Path
from typing import Any

from doctor.connection import Protocol
from doctor.patterns import Pattern
from doctor.records import dataclass

_FILE = Path(__file__).parent.parent / "providers.toml"

_FAMILY = {
    Protocol.OPENAI_CHAT: "openai",
    Protocol.OPENAI_RESPONSES: "openai",
    Protocol.ANTHROPIC_MESSAGES: "anthropic",
    Protocol.GEMINI_GENERATE: "gemini",
}

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1", "0.0.0.0", "host.docker.internal"})  # noqa: S104


@dataclass(frozen=True, slots=True)
class ApiHosts:
    """Hosts that serve the same paths. ``paths`` maps "openai", "anthropic" or "gemini" to
    the paths of a right base URL, the one to suggest first; a host "*.example" stands for its
    subdomains."""

    hosts: tuple[str, ...]
    paths: dict[str, tuple[str, ...]]

    def serves(self, host: str) -> bool:
        return any(
            host.endswith(known[1:]) if known.startswith("*.") else host == known
            for known in self.hosts
        )


@dataclass(frozen=True, slots=True)
class Provider:
    """One provider, or one server program that runs locally (``local_port`` is its default).

    ``engine`` marks what serves a model itself; everything else is a gateway.
    """

    id: str
    label: str
    apis: tuple[ApiHosts, ...]
    console_url: str | None = None
    docs_url: str | None = None
    console_hosts: tuple[str, ...] = ()
    console_paths: tuple[str, ...] = ()
    key_shapes: tuple[Pattern, ...] = ()
    key_variables: tuple[str, ...] = ()
    base_variables: tuple[str, ...] = ()
    model_variables: tuple[str, ...] = ()
    local_port: int | None = None
    engine: bool = False

    @property
    def hosts(self) -> tuple[str, ...]:
        """The hosts of its API."""
        return tuple(host for api in self.apis for host in api.hosts)

    def serves(self, host: str) -> bool:
        """Whether ``host`` is one of its API hosts."""
        name = _normal(host)
        return any(api.serves(name) for api in self.apis)

    def bases(self, protocol: Protocol, host: str | None = None) -> tuple[str, ...]:
        """The right base URLs for a client that speaks ``protocol``, the one to suggest first.

        ``host`` asks for those on that host; empty where the provider, or that host, does not
        serve the protocol. The URLs have no trailing slash.
        """
        family = _FAMILY[protocol]
        if host is not None:
            name = _normal(host)
            return tuple(
                f"https://{name}{path}"
                for api in self.apis
                if api.serves(name)
                for path in api.paths.get(family, ())
            )
        if self.local_port is not None:
            return tuple(
                f"http://localhost:{self.local_port}{path}"
                for api in self.apis
                for path in api.paths.get(family, ())
            )
        first = next((known for known in self.hosts if not known.startswith("*.")), None)
        return () if first is None else self.bases(protocol, first)

    def base(self, protocol: Protocol, host: str | None = None) -> str | None:
        """The base URL to suggest, None where it does not serve the protocol (there)."""
        return next(iter(self.bases(protocol, host)), None)

    def paths(self, protocol: Protocol) -> tuple[str, ...]:
        """The paths of right bases, whatever the host; "" is the bare host."""
        family = _FAMILY[protocol]
        return tuple(dict.fromkeys(p for api in self.apis for p in api.paths.get(family, ())))

    def is_console(self, host: str, path: str = "") -> bool:
        """Whether this address is a page for people: console, documentation, website."""
        name = _normal(host)
        if name in self.console_hosts:
            return True
        return self.serves(name) and any(
            path == page or path.startswith(page + "/") for page in self.console_paths
        )

    def fits_key(self, key: str) -> bool:
        """Whether ``key`` has a shape that only this provider (and its sisters) gives out."""
        return any(shape.fullmatch(key) for shape in self.key_shapes)


@functools.cache
def providers() -> tuple[Provider, ...]:
    """All known providers, TaoToken first."""
    with _FILE.open("rb") as file:
        document = tomllib.load(file)
    return tuple(_provider(entry) for entry in document["provider"])


def provider(provider_id: str) -> Provider:
    """By id. Raises ``KeyError``."""
    for candidate in providers():
        if candidate.id == provider_id:
            return candidate
    raise KeyError(provider_id)


def provider_for_host(host: str, port: int | None = None) -> Provider | None:
    """The provider whose API lives at ``host``.

    A server on this machine is told by its default ``port``, so that it is only a likely one.
    """
    name = _normal(host)
    for candidate in providers():
        if candidate.serves(name):
            return candidate
        if port is not None and port == candidate.local_port and name in _LOOPBACK:
            return candidate
    return None


def provider_of_console(host: str, path: str = "") -> Provider | None:
    """The provider to whose console, documentation or website this address belongs."""
    return next((known for known in providers() if known.is_console(host, path)), None)


@functools.cache
def _by_variable() -> dict[str, Provider]:
    return {
        name: known
        for known in reversed(providers())
        for name in (*known.key_variables, *known.base_variables, *known.model_variables)
    }


def provider_for_variable(name: str) -> Provider | None:
    """The provider that this environment variable is named after."""
    return _by_variable().get(name)


def providers_for_key_shape(key: str) -> tuple[Provider, ...]:
    """The providers that alone give out keys of this shape; empty for a shape that many share.

    Blanks and quotes around the key are not part of its shape.
    """
    core = key.strip().strip("\"'“”‘’")
    return tuple(known for known in providers() if known.fits_key(core))


def _normal(host: str) -> str:
    return host.strip("[]").rstrip(".").lower()


def _provider(entry: dict[str, Any]) -> Provider:
    apis = tuple(
        ApiHosts(
            hosts=tuple(api.get("hosts", ())),
            paths={
                family: tuple(api[family])
                for family in dict.fromkeys(_FAMILY.values())
                if family in api
            },
        )
        for api in entry["api"]
    )
    return Provider(
        id=entry["id"],
        label=entry["label"],
        apis=apis,
        console_url=entry.get("console_url"),
        docs_url=entry.get("docs_url"),
        console_hosts=tuple(entry.get("console_hosts", ())),
        console_paths=tuple(entry.get("console_paths", ())),
        key_shapes=tuple(Pattern(shape) for shape in entry.get("key_shapes", ())),
        key_variables=tuple(entry.get("key_variables", ())),
        base_variables=tuple(entry.get("base_variables", ())),
        model_variables=tuple(entry.get("model_variables", ())),
        local_port=entry.get("local_port"),
        engine=entry.get("engine", False),
    )
