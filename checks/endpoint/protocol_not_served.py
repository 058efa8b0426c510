"""KVD214: the base is right, and the server lacks the API that this client speaks."""

from __future__ import annotations

from collections.abc import AsyncIterator

from doctor import bases
from doctor.checkapi import (
    Confidence,
    DeclaredFacts,
    Finding,
    Hop,
    Severity,
    Text,
    Unavailable,
    _,
    check,
    joined,
    problem,
)
from doctor.connection import Protocol
from doctor.facts.answers import OutcomeKind, Reply
from doctor.outcomes import has_error_object

from ._gathering import READS, situation
from ._situation import Situation
from ._words import appended, came_back, evidence

CODE = "KVD214"
# Most servers lack these, so that a 404 is likelier no fault of the base.
_RARE = (Protocol.OPENAI_RESPONSES, Protocol.GEMINI_GENERATE)


@check(
    code=CODE,
    slug="protocol-not-served",
    severity=Severity.ERROR,
    hop=Hop.GATEWAY,
    wants=READS,
    explains=("KVD210", "KVD501", "KVD502", "KVD510", "KVD511", "KVD515"),
)
async def protocol_not_served(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The server lacks the API that this client speaks, such as `/v1/responses` or `/v1/messages`.

    ## What it checks
    Whether the request found nothing although the base URL is right: the models list is served
    below it, or it is the base that the provider documents.

    ## Why it matters
    Codex speaks the Responses API only, Claude Code the Messages API only. one-api serves
    neither, new-api of spring 2025 only the latter; many providers have Chat Completions alone.

    ## How to fix
    Use a client that speaks what the server has, or a gateway that translates (LiteLLM, a newer
    new-api).

    ## Fix safety
    Nothing can be changed in the connection.

    ## References
    https://docs.litellm.ai/docs/response_api
    """
    s = await situation(f)
    if s.reply is None:
        raise Unavailable(s.unavailable or _("no request was made"))
    sure = _confidence(s)
    if sure is None:
        return
    host = "" if s.base is None else s.base.host
    title = (
        _("{host} does not serve {path}", host=host, path=appended(s))
        if sure is Confidence.HIGH
        else _("{host} likely does not serve {path}", host=host, path=appended(s))
    )
    yield problem(
        title,
        joined(came_back(s), _proof(s), _way_out(s)),
        evidence=evidence(s),
        confidence=sure,
        clients=(s.client.label,),
    )


def _confidence(s: Situation) -> Confidence | None:
    """How sure it is; None where another fault is likelier, or none is to be seen."""
    if s.works or s.reply is None or any(not one.guess for one in s.spoken):
        return None
    if s.completion is None:
        return None  # a models list alone says nothing of the other API
    if s.completion.outcome.kind is OutcomeKind.NOT_SERVED:
        return Confidence.HIGH
    if not s.nothing_there or s.completion.exchange.redirect is not None:
        return None
    if s.shape_is_wrong:
        return None
    listed = s.lists_models
    documented = s.provider is not None and not s.convention.takes_endpoint
    page = s.completion.outcome.kind is OutcomeKind.WEB_PAGE
    if listed or (documented and not page and not s.spoken):
        return Confidence.HIGH
    if (s.connection.protocol in _RARE and not page) or _says_so(s.completion, s):
        return Confidence.MEDIUM
    return None


def _says_so(reply: Reply, s: Situation) -> bool:
    """An error of an API's own that names the very path, of Anthropic's API: where this is at
    another base, a website or a proxy would have answered."""
    if s.connection.protocol is not Protocol.ANTHROPIC_MESSAGES or s.convention.takes_endpoint:
        return False
    return has_error_object(reply) and appended(s) in reply.exchange.body


def _proof(s: Situation) -> str:
    models = s.models
    if models is not None and models.models is not None:
        return _("The models list is served below the same base, so the base URL is right.")
    if s.lists_models:
        return _("The models list below the same base asks for a key, so the base URL is right.")
    provider = s.provider
    if provider is None:
        return ""
    if s.base is not None and not bases.right_bases(provider, s.base, s.convention):
        return _("{provider} is not known to serve this API.", provider=provider.label)
    return _("The base URL is the one that {provider} documents.", provider=provider.label)


def _way_out(s: Situation) -> Text:
    if s.connection.protocol is Protocol.OPENAI_RESPONSES:
        return _(
            "{client} speaks the Responses API here. Use a client that speaks Chat Completions, or "
            "a gateway that translates.",
            client=s.client.label,
        )
    if s.connection.protocol is Protocol.ANTHROPIC_MESSAGES:
        return _(
            "{client} speaks Anthropic's Messages API. Use an OpenAI client, or a gateway that "
            "translates.",
            client=s.client.label,
        )
    if s.connection.protocol is Protocol.GEMINI_GENERATE:
        return _(
            "{client} speaks Google's own API. Use an OpenAI or Anthropic client, or a gateway "
            "that translates.",
            client=s.client.label,
        )
    return _("{client} speaks Chat Completions, which this server lacks.", client=s.client.label)
