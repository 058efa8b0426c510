"""The server that a client is set up for, in the words of its block."""

from __future__ import annotations

import re
from typing import Any

from doctor import bases
from doctor.bases import Convention
from doctor.checkapi import DeclaredFacts, facts
from doctor.clients import profile
from doctor.connection import OriginKind, Protocol, Setting
from doctor.facts.answers import OutcomeKind
from doctor.records import dataclass
from doctor.settings.providers import Provider, provider, provider_for_host
from doctor.urls import Base, canonical, is_local, read

USUAL = "taotoken"  # where nobody names another


@dataclass(frozen=True, slots=True)
class Server:
    """The server that the client is set up for, in the words of its block."""

    id: str
    label: str
    base_url: str
    key_variable: str | None
    console: str | None
    model: str | None
    window: int | None
    works: bool
    answers: bool


def configured_kinds(setting: Setting[Any] | None) -> tuple[OriginKind, ...]:
    """Where the values of a setting come from, those that the repair search tries left out."""
    if setting is None:
        return ()
    kinds = (setting.origin.kind, *(lost.origin.kind for lost in setting.shadows))
    return tuple(kind for kind in kinds if kind is not OriginKind.CHANGE)


async def server_of(f: DeclaredFacts, named_key: str | None) -> Server | None:
    """None where this client cannot use it."""
    connection = f.connection
    convention = Convention.of(profile(connection.client), connection.protocol)
    base = connection.base_url
    by_flag = OriginKind.FLAG in configured_kinds(base)
    given = read(base.value).base if by_flag else None
    if by_flag and given is None:
        return None
    there = provider(USUAL) if given is None else provider_for_host(given.host)
    url = _address(given, convention, there)
    if url is None:
        return None
    host = USUAL if given is None else given.host
    local = given is not None and is_local(given.host)
    model, window, let_in = await _seen(f)
    variable = named_key
    if variable is None and there is not None and there.key_variables:
        variable = there.key_variables[0]
    if variable is None and not (let_in or local):
        variable = re.sub(r"[^A-Z0-9]+", "_", host.upper()) + "_API_KEY"
    completion = await f.find(facts.COMPLETION)
    answers = completion is not None and completion.outcome.kind is OutcomeKind.ANSWERED
    return Server(
        id=_id(there, given),
        label=there.label if there is not None else _host(given),
        base_url=url,
        key_variable=variable,
        console=None if there is None else there.console_url,
        model=model,
        window=window,
        works=answers and url == canonical(base.value),
        answers=answers,
    )


def _id(there: Provider | None, given: Base | None) -> str:
    if there is not None:
        return there.id
    if given is None or is_local(given.host):
        return "local"
    return re.sub(r"[^a-z0-9]+", "-", given.host.lower()).strip("-")


def _host(given: Base | None) -> str:
    if given is None:
        return ""
    return given.host if given.port is None else f"{given.host}:{given.port}"


def _address(given: Base | None, convention: Convention, there: Provider | None) -> str | None:
    """The base in this client's form; None where the provider does not serve its protocol."""
    if there is not None and (given is None or given.port is None):
        first = there.base(convention.protocol, None if given is None else given.host)
        known = None if first is None else read(first).base
        rights = () if known is None else bases.right_bases(there, known, convention)
        return rights[0].url if rights else None
    if given is None:
        return None
    segments = given.segments
    tail = bases.endpoint_tail(given)
    segments = segments[: len(segments) - len(tail)] if tail else segments
    version = segments[-1] if segments and bases.is_version(segments[-1]) else None
    root = segments[:-1] if version else segments
    if convention.protocol is Protocol.GEMINI_GENERATE:
        return given.at(*root).url
    usual = given.at(*root, version or "v1").url
    return bases.base_for(usual, bases.OPENAI, convention)


async def _seen(f: DeclaredFacts) -> tuple[str | None, int | None, bool]:
    """The model to write, its window, and whether the server answered without a key."""
    connection = f.connection
    listed = await f.find(facts.MODELS)
    answered = listed is not None and listed.reply.outcome.kind is OutcomeKind.ANSWERED
    served = () if listed is None or not listed.models else listed.models
    chosen = connection.model
    own = chosen is None or chosen.origin.kind is OriginKind.DEFAULT
    model = None if chosen is None or own else chosen.value
    if model is None and len(served) == 1:
        model = served[0].id
    window = next((one.window for one in served if one.id == model), None)
    return model, window, answered and not configured_kinds(connection.key)
