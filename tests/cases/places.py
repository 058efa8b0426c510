"""Where on its host the reconstructed server has its API."""

from __future__ import annotations

import functools
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from .configured import Configured

_PROVIDERS = Path(__file__).parents[2] / "doctor" / "providers.toml"
_CONVENTIONAL = ("/v1", "/api/v1")
_APPENDED = {
    "openai-chat": "/chat/completions",
    "openai-responses": "/responses",
    "anthropic-messages": "/v1/messages",
}
ENDPOINTS = ("/chat/completions", "/responses", "/messages")


def configured_path(configured: Configured) -> str:
    """The path of the request as it was configured."""
    return base_path(configured) + _APPENDED[configured.protocol]


def base_path(configured: Configured) -> str:
    try:
        return urlsplit((configured.base_url or "").strip()).path.rstrip("/")
    except ValueError:
        return ""


def api_paths(configured: Configured) -> frozenset[str]:
    """Every path at which a server of this host conventionally answers."""
    own = tuple(_provider_paths(configured.host))
    if own:
        return frozenset(own)
    roots = _CONVENTIONAL[:1] if configured.engine else _CONVENTIONAL
    return frozenset(root + end for root in roots for end in (*ENDPOINTS, "/models"))


def beside(path: str) -> frozenset[str]:
    """The paths that go with ``path`` on a server that has its API there."""
    for end in ENDPOINTS:
        if path.endswith(end):
            root = path.removesuffix(end)
            return frozenset(root + other for other in (*ENDPOINTS, "/models"))
    return frozenset()


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
    known = tomllib.loads(_PROVIDERS.read_text("utf-8"))["provider"]
    return tuple(api for provider in known for api in provider.get("api", ()))
