"""A target for an address that the user typed, with the key that belongs to it.

A key is taken from the environment only where it is configured for that address: the provider's
own variable, or a pair of variables whose base URL lies on the same host. The SDK's own key counts
where no base URL says that it belongs elsewhere, and its shape does not.
"""

from __future__ import annotations

import dataclasses

from doctor.connection import AuthHeader, Origin, OriginKind, Setting, Shadowed
from doctor.records import dataclass
from doctor.secrets import Secret
from doctor.settings.building import (
    ANTHROPIC_SDK,
    OPENAI_SDK,
    connection,
    host_of,
    max_tokens_of,
    model_of,
    provider_of,
)
from doctor.settings.candidates import Candidate, slug
from doctor.settings.families import family_targets, general_families
from doctor.settings.providers import providers_for_key_shape
from doctor.settings.sdk_targets import anthropic_target, openai_target
from doctor.settings.variables import Space
from doctor.text import _

_SDKS = frozenset({"openai", "anthropic"})


@dataclass(frozen=True, slots=True)
class _Lent:
    """What the environment lends to an address. ``note`` says why a key was not taken."""

    key: Setting[Secret] | None = None
    model: Setting[str] | None = None
    max_tokens: Setting[int] | None = None
    auth: Setting[AuthHeader] | None = None
    note: str | None = None


def url_target(
    url: str, origin: Origin, space: Space, client: str | None = None, *, own_key: bool = False
) -> tuple[Candidate, str | None]:
    """The target at ``url``, and what is to be said about a key that was not taken for it.

    ``client`` None picks the SDK whose variables are set. ``own_key`` says that the key comes from
    elsewhere.
    """
    chosen = client or _client(space)
    sdk = _sdk(space, chosen)
    lent = _lent(url, space, sdk)
    if own_key:
        lent = dataclasses.replace(lent, key=None, auth=None, note=None)
    configured = sdk.connection.base_url
    shadows = (
        ()
        if configured.origin.kind is OriginKind.DEFAULT
        else (Shadowed(configured.value, configured.origin), *configured.shadows)
    )
    made = connection(
        chosen,
        Setting(url, origin, shadows),
        lent.key,
        model=lent.model,
        max_tokens=lent.max_tokens,
        auth=lent.auth,
    )
    name = _name(url)
    return Candidate(slug(name), name, made, named=True), lent.note


def _name(url: str) -> str:
    place = host_of(url if "://" in url else f"//{url}")
    if place is None:
        return url
    scheme, host, port = place
    usual = port == (80 if scheme == "http" else 443)
    return host if usual else f"{host}:{port}"


def _client(space: Space) -> str:
    anthropic_only = anthropic_target(space) and not openai_target(space)
    return ANTHROPIC_SDK if anthropic_only else OPENAI_SDK


def _sdk(space: Space, client: str) -> Candidate:
    if client == ANTHROPIC_SDK:
        return anthropic_target(space, always=True)[0]
    general = general_families(space, family_targets(space))
    return openai_target(space, general, always=True)[0]


def _lent(url: str, space: Space, sdk: Candidate) -> _Lent:
    known = provider_of(url)
    if known is not None and known.id not in _SDKS:
        key = space.setting(known.key_variables, Secret)
        if key is not None:
            prefixes = tuple(name.removesuffix("_API_KEY") for name in known.key_variables)
            return _Lent(
                key,
                model_of(space, prefixes, *known.model_variables) or sdk.connection.model,
                max_tokens_of(space, prefixes) or sdk.connection.max_tokens,
            )
    place = host_of(url)
    for family in family_targets(space):
        own = family.connection
        if place is not None and host_of(own.base_url.value) == place and own.key is not None:
            return _Lent(own.key, own.model, own.max_tokens)
    return _from_sdk(url, sdk)


def _from_sdk(url: str, sdk: Candidate) -> _Lent:
    own = sdk.connection
    lent = _Lent(own.key, own.model, own.max_tokens, own.auth)
    base, key = own.base_url, own.key
    if base.origin.kind is not OriginKind.DEFAULT:
        if host_of(base.value) == host_of(url):
            return lent
        return _Lent(note=None if key is None else _belongs_elsewhere(key, base.value))
    owners = () if key is None else providers_for_key_shape(key.value.reveal())
    if key is not None and owners and provider_of(url) not in owners:
        return dataclasses.replace(
            lent, key=None, auth=None, note=_belongs_elsewhere(key, owners[0].label)
        )
    return lent


def _belongs_elsewhere(key: Setting[Secret], place: str) -> str:
    return _(
        "{name} was not sent: it belongs to {place}. To send it all the same: --key-env {name}",
        name=key.origin.name,
        place=place,
    )
