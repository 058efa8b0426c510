"""KVD108: the key's shape belongs to another provider than the host."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from doctor.checkapi import (
    Change,
    Confidence,
    DeclaredFacts,
    Evidence,
    Finding,
    NotApplicable,
    Secret,
    SettingName,
    Severity,
    _,
    check,
    facts,
    problem,
)
from doctor.facts.settings import Role, Settings, Sighting

from ._key_text import body, is_empty, is_url
from ._place import is_local
from ._show import key_evidence, place
from ._sources import origin_of
from ._verdict import WANTS, key_verdict

if TYPE_CHECKING:
    from doctor.settings.providers import Provider

CODE = "KVD108"
# Claude Code's login and `claude setup-token` give these out; they are no API keys.
_LOGIN_TOKEN = "sk-ant-oat"  # noqa: S105 - the prefix of a kind of token


@check(
    code=CODE,
    slug="key-of-another-provider",
    severity=Severity.ERROR,
    needs=(facts.ENDPOINT,),
    wants=(facts.SETTINGS, *WANTS),
    explains=("KVD111", "KVD114"),
)
async def key_of_another_provider(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The key's shape belongs to another provider than the host it goes to.

    What it checks: shapes that one provider alone gives out, such as `sk-or-v1-…`,
    `sk-ant-api03-…`, `sk-proj-…`. A bare `sk-…` is shared by many and says nothing. At a host
    with keys of another sure shape that is enough; at any other host, which may be a relay that
    takes every key, only a refusal makes it a fault.

    Why it matters: the server answers 401 as for a mistyped key, and the other provider's key
    has been shown to a stranger.

    How to fix: use the key of the provider that the base URL names, or the base URL of the
    provider that the key belongs to.

    Fix safety: another key that was found is tried only where its variable is named after the
    very provider that the host belongs to, and only over https.

    References: https://docs.claude.com/en/api/overview,
    https://openrouter.ai/docs/api-reference/authentication
    """
    from doctor.settings.providers import provider_for_host, providers_for_key_shape

    setting = f.connection.key
    key = "" if setting is None else body(setting.value.reveal())
    if setting is None or is_empty(key) or is_url(key):
        raise NotApplicable("there is no key")
    owners = providers_for_key_shape(key)
    endpoint = await f.get(facts.ENDPOINT)
    here = provider_for_host(endpoint.host, endpoint.port) if endpoint.host else None
    login = key.startswith(_LOGIN_TOKEN)
    if not owners or (here is not None and here in owners and not login):
        return
    verdict = await key_verdict(f)
    if verdict.let_through:
        return
    sure = not login and here is not None and bool(here.key_shapes)
    if not (verdict.turned_away or sure):
        return
    owner = " / ".join(known.label for known in owners)
    settings = await f.find(facts.SETTINGS)
    found = _keys_for(here, settings) if endpoint.scheme == "https" else []
    yield problem(
        _("The key is a login token of Claude, not an API key")
        if login
        else _("The key belongs to {owner}, the URL does not", owner=owner),
        _login(endpoint.host, here in owners)
        if login
        else _explain(endpoint.host, here, owner, sure, place(origin_of(setting))),
        evidence=(key_evidence(setting), Evidence(_("host"), _("base URL"), endpoint.host)),
        changes=tuple(_change(sighting, rank) for rank, sighting in enumerate(found)),
        confidence=Confidence.HIGH if sure or login else Confidence.MEDIUM,
    )


def _login(host: str, at_owner: bool) -> str:
    if at_owner:
        return _(
            "A token that begins with sk-ant-oat comes from the login of Claude Code or from "
            "`claude setup-token`; {host} does not take it as an API key. Use a key that begins "
            "with sk-ant-api.",
            host=host,
        )
    return _(
        "A token that begins with sk-ant-oat comes from the login of Claude Code or from "
        "`claude setup-token` and is meant for Anthropic alone; it was sent to {host}, which "
        "refuses it. Use the key of {host}, and log out and in again to make the token invalid.",
        host=host,
    )


def _explain(host: str, here: Provider | None, owner: str, sure: bool, where: str) -> str:
    if sure and here is not None:
        return _(
            "Keys of this shape are given out by {owner} alone, and {host} is {here}, which "
            "knows only its own. Put the key of {here} into {where}.",
            owner=owner,
            host=host,
            here=here.label,
            where=where,
        )
    if is_local(host):
        return _(
            "Keys of this shape are given out by {owner}. {host} refuses it: likely it wants the "
            "key that it was started with.",
            owner=owner,
            host=host,
        )
    return _(
        "Keys of this shape are given out by {owner}. {host} refuses it: likely it takes its own "
        "keys only. Put the key of {host} into {where}, or the base URL of {owner} in place of "
        "this one.",
        owner=owner,
        host=host,
        where=where,
    )


def _keys_for(here: Provider | None, settings: Settings | None) -> list[Sighting]:
    """Keys in variables that are named after the provider of this host."""
    if here is None or settings is None:
        return []
    found: dict[str, Sighting] = {}
    for sighting in settings.sightings:
        if sighting.role is not Role.KEY or sighting.provider != here.id:
            continue
        text = body(sighting.value.reveal()) if isinstance(sighting.value, Secret) else ""
        if text and text.isascii() and here.fits_key(text):
            found.setdefault(text, sighting)
    return list(found.values())


def _change(sighting: Sighting, rank: int) -> Change:
    title = _("use the key of {place}", place=place(sighting.origin))
    return Change(CODE, SettingName.KEY, sighting.value, title, guess=True, rank=rank)
