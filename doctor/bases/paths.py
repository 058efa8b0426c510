"""What the segments of a path say: versions, endpoints, pages; and what a query says."""

from __future__ import annotations

import re
from collections.abc import Iterable

from doctor.patterns import Pattern
from doctor.urls import Base, query_names

_VERSION = Pattern(r"v[0-9]{1,2}(?:(?:alpha|beta)[0-9]*)?", re.IGNORECASE)
# Longest first. The first two are endpoints wherever they stand, the others below a version only,
# since a path such as /models or /chat may as well be a page.
_TAILS = (
    ("chat", "completions"),
    ("completions",),
    ("messages", "count_tokens"),
    ("responses", "compact"),
    ("images", "generations"),
    ("images", "edits"),
    ("audio", "speech"),
    ("audio", "transcriptions"),
    ("audio", "translations"),
    ("text", "chatcompletion_v2"),  # MiniMax
    ("messages",),
    ("responses",),
    ("embeddings",),
    ("moderations",),
    ("rerank",),
    ("models",),
    ("chat",),
    ("generate",),  # KoboldCpp, text-generation-webui
)
_ANYWHERE = 2
# Endpoints of a server's own API, which is no base of any client's: right below the host, where
# these servers have it. Ollama, then TGI, TEI and llama.cpp.
_NATIVE = frozenset(
    {("api", name) for name in ("chat", "embed", "embeddings", "generate", "ps", "show", "tags")}
    | {("generate",), ("generate_stream",), ("completion",), ("embed",), ("rerank",)}
)
# What stands behind the model in the endpoints of Google's API.
_GENERATING = (":generatecontent", ":streamgeneratecontent", ":counttokens")
_PAGES = frozenset(
    {
        "account",
        "admin",
        "api-keys",
        "apidocs",
        "chat",
        "coding-plan",
        "console",
        "dashboard",
        "doc",
        "docs",
        "documentation",
        "home",
        "index.html",
        "keys",
        "login",
        "models",
        "overview",
        "panel",
        "playground",
        "pricing",
        "profile",
        "redoc",
        "register",
        "settings",
        "signin",
        "swagger",
        "token",
        "tokens",
        "topup",
        "ui",
        "user",
        "welcome",
    }
)
_TRACKING = Pattern(
    r"(?:utm_\w+|gclid|fbclid|msclkid|spm|ref|referrer|referer|source|from|channel|aff|invite"
    r"|invite_code|share|track\w*)",
    re.IGNORECASE,
)


def is_version(segment: str) -> bool:
    """``v1``, ``v4``, ``v1beta``."""
    return _VERSION.fullmatch(segment) is not None


def has_version(segments: Iterable[str]) -> bool:
    return any(is_version(segment) for segment in segments)


def endpoint_tail(base: Base) -> tuple[str, ...]:
    """The segments of an endpoint at the end of the base, empty where there are none."""
    segments = base.segments
    lower = tuple(segment.lower() for segment in segments)
    if lower[-2:-1] == ("models",) and lower[-1].endswith(_GENERATING):
        return segments[-2:]
    for position, tail in enumerate(_TAILS):
        if lower[-len(tail) :] != tail:
            continue
        before = segments[: -len(tail)]
        if position < _ANYWHERE or (before and is_version(before[-1])):
            return segments[-len(tail) :]
    return native_endpoint(base)


def native_endpoint(base: Base) -> tuple[str, ...]:
    """All segments of a base that is an endpoint of a server's own API (``/api/generate``)."""
    lower = tuple(segment.lower() for segment in base.segments)
    return base.segments if lower in _NATIVE else ()


def undoubled(segments: tuple[str, ...]) -> tuple[str, ...] | None:
    """The path with a repeated version, or a repeated block that ends in one, there once."""
    lower = tuple(segment.lower() for segment in segments)
    for size in range(len(segments) // 2, 0, -1):
        block = lower[-size:]
        if block == lower[-2 * size : -size] and is_version(block[-1]):
            return segments[:-size]
    return None


def two_versions(base: Base) -> bool:
    """``/v4/v1``: one version was appended to a base that had another."""
    return len(base.segments) > 1 and all(is_version(part) for part in base.segments[-2:])


def is_page(base: Base) -> bool:
    """The path looks like a page for people: /console, /docs, a hash route."""
    if base.fragment is not None and base.fragment.lstrip("!").startswith("/"):
        return True
    return not has_version(base.segments) and any(part.lower() in _PAGES for part in base.segments)


def tracks(query: str | None) -> bool:
    """Whether every parameter of the query only says where a visitor came from."""
    names = query_names(query)
    return all(_TRACKING.fullmatch(name) is not None for name in names)
