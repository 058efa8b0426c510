"""Where on its host the reconstructed server has its API."""

from __future__ import annotations

import functools
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from .configured import Configured

_PROVIDERS = Path(__file__).parents[2] / "doctor" / "providers.toml"
_CONVENTIONAL = ("/v1", "/api/v1")
# A website is what an API makes room for with /api; without one it may stand at the root.
_WITHOUT_SITE = ("/v1", "")
_APPENDED = {
    "openai-chat": "/chat/completions",
    "openai-responses": "/responses",
    "anthropic-messages": "/v1/messages",
}
# claude-relay-service, by its README and src/app.js.
_RELAY_ROUTE = re.compile(r'"message": ?"Route /\S* not found", ?"timestamp"')
_ROUTE_NAMED = re.compile(r"\bRoute (/\S*) not found")
_RELAY_PATHS = frozenset(
    {"/api/v1/messages", "/claude/v1/messages", "/api/v1/models", "/api/v1/chat/completions"}
    | {"/openai/responses", "/openai/v1/responses", "/openai/v1/chat/completions"}
)
ENDPOINTS = ("/chat/completions", "/responses", "/messages")


def configured_path(configured: Configured) -> str:
    """The path of the request as it was configured."""
    return base_path(configured) + _APPENDED[configured.protocol]


def base_path(configured: Configured) -> str:
    try:
        return urlsplit((configured.base_url or "").strip()).path.rstrip("/")
    except ValueError:
        return ""


def api_paths(configured: Configured, *, has_site: bool = True) -> frozenset[str]:
    """Every path at which a server of this host conventionally answers.

    ``has_site`` says that it may have pages for people as well.
    """
    own = tuple(_provider_paths(configured.host))
    if own:
        return frozenset(own)
    roots: tuple[str, ...] = _CONVENTIONAL if has_site else _WITHOUT_SITE
    if configured.engine:
        roots = roots[:1]
    return frozenset(root + end for root in roots for end in (*ENDPOINTS, "/models"))


def paths_of_product(body: str) -> frozenset[str]:
    """Where the product has its APIs that says of a path what ``body`` says; empty where none is
    known to."""
    return _RELAY_PATHS if _RELAY_ROUTE.search(body) else frozenset()


def named_as_missing(body: str) -> str | None:
    """The path that ``body`` itself says was asked for; None where it names none."""
    match = _ROUTE_NAMED.search(body)
    return None if match is None else match.group(1).partition("?")[0]


def beside(path: str) -> frozenset[str]:
    """The paths that go with ``path`` on a server that has its API there."""
    for end in ENDPOINTS:
        if path.endswith(end):
            root = path.removesuffix(end)
            return frozenset(root + other for other in (*ENDPOINTS, "/models"))
    return frozenset()


def is_vendors(host: str) -> bool:
    """Whether the host is that of a vendor whose API is known."""
    return bool(tuple(_provider_paths(host)))


def assigned_in(env_file: str) -> tuple[str, ...]:
    """The names of the variables that an env file sets."""
    lines = (line.partition("=") for line in env_file.splitlines())
    return tuple(name.strip() for name, equals, _value in lines if equals)


def vendors_base(variable: str) -> str | None:
    """The address to which the key in ``variable`` belongs, None for no vendor's own variable."""
    for provider in _providers():
        api: dict[str, Any] = next(iter(provider.get("api", ())), {})
        hosts, bases = api.get("hosts", ()), api.get("openai", ())
        if variable in provider.get("key_variables", ()) and hosts and bases:
            return None if hosts[0].startswith("*") else f"https://{hosts[0]}{bases[0]}"
    return None


def _provider_paths(host: str) -> Iterator[str]:
    for api in _apis():
        if not any(_is(host, known) for known in api.get("hosts", ())):
            continue
        for base in api.get("openai", ()):
            yield from (base + end for end in ("/chat/completions", "/responses", "/models"))
        for base in api.get("anthropic", ()):
            yield from (f"{base}/v1/messages", f"{base}/v1/models")


def _is(host: str, known: str) -> bool:
    return host.endswith(known[1:]) if known.startswith("*.") else host == known


@functools.cache
def _apis() -> tuple[dict[str, Any], ...]:
    return tuple(api for provider in _providers() for api in provider.get("api", ()))


@functools.cache
def _providers() -> tuple[dict[str, Any], ...]:
    return tuple(tomllib.loads(_PROVIDERS.read_text("utf-8"))["provider"])
