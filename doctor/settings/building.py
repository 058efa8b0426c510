"""Builds Connections the way each client would from variables."""

from __future__ import annotations

import urllib.parse
from collections.abc import Iterable

from doctor.clients import profile
from doctor.connection import (
    AuthHeader,
    Connection,
    Origin,
    OriginKind,
    Protocol,
    Setting,
)
from doctor.facts.settings import Role
from doctor.secrets import Secret
from doctor.settings.names import ENDINGS
from doctor.settings.providers import Provider, provider_for_host
from doctor.settings.variables import Space
from doctor.text import _

DEFAULT = Origin(OriginKind.DEFAULT, _("default"))

OPENAI_SDK = "openai-sdk"
ANTHROPIC_SDK = "anthropic-sdk"


def default_protocol(client: str) -> Protocol:
    """What a client speaks unless told otherwise."""
    return next(iter(profile(client).paths))


def connection(
    client: str,
    base_url: Setting[str],
    key: Setting[Secret] | None,
    *,
    protocol: Protocol | None = None,
    model: Setting[str] | None = None,
    max_tokens: Setting[int] | None = None,
    auth: Setting[AuthHeader] | None = None,
) -> Connection:
    """A Connection with what the client itself would add."""
    return Connection(
        client=client,
        protocol=protocol or default_protocol(client),
        base_url=base_url,
        key=key,
        model=model,
        auth=auth or Setting(profile(client).auth, DEFAULT),
        max_tokens=max_tokens,
    )


def provider_origin(known: Provider) -> Origin:
    """The origin of an address that only providers.toml knows."""
    return Origin(OriginKind.PROVIDER, f"known address of {known.label}")


def host_of(url: str) -> tuple[str, str, int] | None:
    """Scheme, host and port of a URL, None where it has none."""
    try:
        parts = urllib.parse.urlsplit(url.strip())
        port = parts.port
    except ValueError:
        return None
    if not parts.hostname:
        return None
    return parts.scheme, parts.hostname, port or (80 if parts.scheme == "http" else 443)


def provider_of(url: str) -> Provider | None:
    """The provider whose API a URL names."""
    place = host_of(url)
    return None if place is None else provider_for_host(place[1], place[2])


def owner_in_clear(url: str) -> Provider | None:
    """The provider whose API, which is https alone, ``url`` would ask in clear text."""
    place = host_of(url)
    return None if place is None or place[0] != "http" else provider_for_host(place[1])


def member_names(prefix: str, endings: Iterable[str]) -> tuple[str, ...]:
    """The variables of a family: ("LLM", ("MODEL", …)) → LLM_MODEL, …"""
    return tuple(f"{prefix}_{ending}" if prefix else ending for ending in endings)


def model_of(space: Space, prefixes: Iterable[str], *more: str) -> Setting[str] | None:
    """The model that the first of the families names; ``more`` are names to ask first."""
    names = [*more]
    for prefix in prefixes:
        names += member_names(prefix, ENDINGS[Role.MODEL])
    return space.setting(names, str)


def max_tokens_of(space: Space, prefixes: Iterable[str], *more: str) -> Setting[int] | None:
    """The output budget in tokens that the first of the families names."""
    names = [*more]
    for prefix in prefixes:
        names += member_names(prefix, ENDINGS[Role.MAX_TOKENS])
    return space.setting(names, int)
