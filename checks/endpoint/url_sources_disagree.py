"""KVD212: two sources hold different bases."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

from doctor.checkapi import (
    DeclaredFacts,
    Evidence,
    Finding,
    NotApplicable,
    Severity,
    Text,
    _,
    check,
    problem,
)
from doctor.connection import Origin, OriginKind, Setting, Shadowed
from doctor.urls import canonical, shown

from ._gathering import READS, situation
from ._situation import Situation

CODE = "KVD212"
# Per library which names are read, the first first (facts/gateway-clients.md §2.2).
_OPENAI, _ANTHROPIC = "OPENAI_BASE_URL", "ANTHROPIC_BASE_URL"
_LANGCHAIN, _ANTHROPIC_LANGCHAIN = "OPENAI_API_BASE", "ANTHROPIC_API_URL"
_SOURCES = (OriginKind.ENVIRONMENT, OriginKind.FILE)


@check(
    code=CODE,
    slug="url-sources-disagree",
    severity=Severity.WARNING,
    wants=READS,
)
async def url_sources_disagree(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """Two sources hold different base URLs, or the one that is set is not the one that is read.

    ## What it checks
    The base in effect against those that it shadows: under another name (`OPENAI_BASE_URL` and
    `OPENAI_API_BASE`, `ANTHROPIC_BASE_URL` and `ANTHROPIC_API_URL`) always, under the same name in
    another source where the request fails.

    ## Why it matters
    Libraries read different names: the OpenAI SDKs `OPENAI_BASE_URL` alone, LangChain and
    LlamaIndex `OPENAI_API_BASE` first, LiteLLM the SDK's name first. So one program goes to one
    server and the next to another, with the same key. With `OPENAI_API_BASE` alone the OpenAI
    SDK goes to api.openai.com and sends the gateway's key there.

    ## How to fix
    Keep one value; where several libraries are in use, give both names the same one.

    ## Fix safety
    Which of two servers is meant only the user can say, so nothing is changed.

    ## References
    https://github.com/openai/openai-python
    """
    base_url = f.connection.base_url
    if base_url.origin.kind not in _SOURCES:
        raise NotApplicable(_("the base URL comes from one place"))
    s = await situation(f)
    own = _variable(base_url.origin)
    other = next((lost for lost in _differing(base_url) if _variable(lost.origin) != own), None)
    if other is not None:
        yield _two_names(s, other)
    elif own == _LANGCHAIN and s.client.id == "openai-sdk":
        yield _not_read(s)
    elif not s.works:
        for lost in _differing(base_url):
            yield _two_places(s, lost)


def _variable(origin: Origin) -> str:
    """The variable itself, also where it stands below a key of a settings file."""
    return origin.name.rpartition(".")[2]


def _differing(base_url: Setting[str]) -> Iterator[Shadowed[str]]:
    """The shadowed bases that lead elsewhere than the one in effect, each place once."""
    told = {canonical(base_url.value) or base_url.value}
    for lost in base_url.shadows:
        where = canonical(lost.value) or lost.value
        if lost.origin.kind in _SOURCES and where not in told:
            told.add(where)
            yield lost


def _two_names(s: Situation, lost: Shadowed[str]) -> Finding:
    origin = s.connection.base_url.origin
    one, other = _variable(origin), _variable(lost.origin)
    return problem(
        _("{one} and {other} hold different base URLs", one=one, other=other),
        _who_reads_what(s, one, other, lost.value),
        evidence=_evidence(s, lost),
    )


def _who_reads_what(s: Situation, one: str, other: str, lost: str) -> Text:
    given, lost = shown(s.given), shown(lost)
    if (one, other) == (_OPENAI, _LANGCHAIN):
        return _(
            "The OpenAI SDKs read OPENAI_BASE_URL alone and LiteLLM reads it first: they go to "
            "{first}. LangChain and LlamaIndex read OPENAI_API_BASE first: they go to {second}. "
            "Give both the same value.",
            first=given,
            second=lost,
        )
    if (one, other) == (_ANTHROPIC, _ANTHROPIC_LANGCHAIN):
        return _(
            "The Anthropic SDKs read ANTHROPIC_BASE_URL and go to {first}; LangChain reads "
            "ANTHROPIC_API_URL first and goes to {second}. Give both the same value.",
            first=given,
            second=lost,
        )
    return _(
        "{client} takes {first} from {one}. A program that reads {other} goes to {second}. Give "
        "both the same value.",
        client=s.client.label,
        first=given,
        one=one,
        other=other,
        second=lost,
    )


def _not_read(s: Situation) -> Finding:
    """OPENAI_API_BASE alone, which the SDK has not read since its version 1."""
    origin = s.connection.base_url.origin
    return problem(
        _("OPENAI_API_BASE is set, but the OpenAI SDK reads OPENAI_BASE_URL"),
        _(
            "LangChain, LlamaIndex and LiteLLM read OPENAI_API_BASE. A program that leaves the "
            "address to the OpenAI SDK goes to https://api.openai.com/v1 instead and sends this "
            "key there. Set OPENAI_BASE_URL={base} as well.",
            base=shown(s.given),
        ),
        evidence=(Evidence(_("base URL"), str(origin), shown(s.given)),),
        clients=("openai-sdk",),
    )


def _two_places(s: Situation, lost: Shadowed[str]) -> Finding:
    return problem(
        _("Two sources hold different base URLs for {client}", client=s.client.label),
        _(
            "{client} takes {winner} from {place}; {loser} in {other} is without effect.",
            client=s.client.label,
            winner=shown(s.given),
            place=str(s.connection.base_url.origin),
            loser=shown(lost.value),
            other=str(lost.origin),
        ),
        evidence=_evidence(s, lost),
    )


def _evidence(s: Situation, lost: Shadowed[str]) -> tuple[Evidence, ...]:
    origin = s.connection.base_url.origin
    return (
        Evidence(_("base URL"), str(origin), shown(s.given)),
        Evidence(_("base URL"), str(lost.origin), shown(lost.value)),
    )
