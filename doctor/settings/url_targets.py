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
from doctor.settings.providers import Provider, providers_for_key_shape
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
    url: str,
    origin: Origin,
    space: Space,
    client: str | None = None,
    *,
    own_key: bool = False,
    beside: bool = False,
) -> tuple[Candidate, str | None]:
    """The target at ``url``, and what is to be said about a key that was not taken for it.

    ``client`` None picks the SDK whose variables are set. ``own_key`` says that the key comes from
    elsewhere, ``beside`` that another address is typed as well, which a key without an address of
    its own may be for.
    """
    chosen = client or _client(space)
    sdk = _sdk(space, chosen)
    lent = _lent(url, space, sdk, beside=beside)
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


def _lent(url: str, space: Space, sdk: Candidate, *, beside: bool) -> _Lent:
    known = provider_of(url)
    withheld = None
    if known is not None and known.id not in _SDKS:
        key = space.setting(known.key_variables, Secret)
        if key is not None and _is_of_another_origin(url, known, beside=beside):
            withheld = key
        elif key is not None:
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
    lent = _from_sdk(url, sdk, beside=beside)
    if withheld is not None and place is not None and lent.key is None:
        note = _belongs_elsewhere(withheld, f"https://{place[1]}", beside)
        return dataclasses.replace(lent, note=note)
    return lent


def _is_of_another_origin(url: str, known: Provider, *, beside: bool) -> bool:
    """Whether the provider's host is named with another port than its API has, or ``beside`` with
    another scheme; else that is a fault to be found, and no request takes the key there."""
    place = host_of(url)
    if known.local_port is not None:
        return False
    if place is None:
        return beside
    return (place[0], place[2]) != ("https", 443) and (beside or place[0] == "https")


def _from_sdk(url: str, sdk: Candidate, *, beside: bool) -> _Lent:
    own = sdk.connection
    lent = _Lent(own.key, own.model, own.max_tokens, own.auth)
    base, key = own.base_url, own.key
    if base.origin.kind is not OriginKind.DEFAULT:
        if host_of(base.value) == host_of(url):
            return lent
        return _Lent(note=None if key is None else _belongs_elsewhere(key, base.value, beside))
    if beside and host_of(base.value) != host_of(url):
        return dataclasses.replace(
            lent, key=None, auth=None, note=None if key is None else _for_no_address(key)
        )
    owners = () if key is None else providers_for_key_shape(key.value.reveal())
    if key is not None and owners and provider_of(url) not in owners:
        return dataclasses.replace(
            lent, key=None, auth=None, note=_belongs_elsewhere(key, owners[0].label, beside)
        )
    return lent


def _for_no_address(key: Setting[Secret]) -> str:
    return _(
        "{name} was not sent to the second address: nothing says that it is meant for that one. To"
        " send it there as well: --through-key-env {name}",
        name=key.origin.name,
    )


def _belongs_elsewhere(key: Setting[Secret], place: str, beside: bool) -> str:
    if beside:
        return _(
            "{name} was not sent to the second address: it belongs to {place}. To send it there all"
            " the same: --through-key-env {name}",
            name=key.origin.name,
            place=place,
        )
    return _(
        "{name} was not sent: it belongs to {place}. To send it all the same: --key-env {name}",
        name=key.origin.name,
        place=place,
    )
