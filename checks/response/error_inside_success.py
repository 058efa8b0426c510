"""KVD511."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

from doctor.checkapi import (
    DeclaredFacts,
    Evidence,
    Finding,
    Hop,
    Severity,
    Text,
    _,
    check,
    facts,
    problem,
    visible,
)
from doctor.connection import Protocol
from doctor.facts.answers import OutcomeKind
from doctor.patterns import Pattern

# Known messages of gateways and what each speaks of (facts/gateway-clients.md §§1.3, 2.3).
_SPEAKS_OF: tuple[tuple[Pattern, Text], ...] = tuple(
    (Pattern(pattern, re.I), meaning)
    for pattern, meaning in (
        (
            r"insufficient[_ ](?:user_)?quota|exceeded your current quota|quota is not enough"
            r"|额度不足|额度已用尽|余额不足|insufficient balance|payment required",
            _("It speaks of the balance behind the key: the key is good and has nothing left."),
        ),
        (
            r"invalid (?:api[ _-]?key|token)|incorrect api key|unauthori[sz]ed|authentication"
            r"|login|登录|无效的令牌|未提供令牌",
            _("It speaks of the key: it is not accepted as it was sent."),
        ),
        (
            r"rate[ _]limit|too many requests|请求数限制|负载已饱和|concurrency",
            _("It speaks of a rate limit: the same request may answer later."),
        ),
        (
            r"无可用渠道|可用渠道不存在|no available channel",
            _("It speaks of a missing channel: the gateway has no route for this model."),
        ),
        (
            r"model[^.]{0,80}(?:not exist|not found|not supported|not a valid)"
            r"|模型[^。]{0,40}不存在",
            _("It speaks of the model: the id is not served there."),
        ),
        (
            r"context length|max_tokens|maximum context|too many tokens|token limit",
            _("It speaks of the token budget: prompt or max_tokens are over a limit."),
        ),
        (
            r"invalid url|not found",
            _("It speaks of the path: the base URL leads to no API there."),
        ),
        (
            r"upstream|do[_ ]request[_ ]failed|bad response status code|connection refused"
            r"|timed? ?out",
            _("It speaks of what is behind the gateway: its upstream failed."),
        ),
        (
            r"content[_ ]filter|content policy|sensitive|敏感",
            _("It speaks of a filter: the prompt was refused for its content."),
        ),
    )
)


@check(
    code="KVD511",
    slug="error-inside-success",
    severity=Severity.ERROR,
    hop=Hop.ENGINE,
    needs=(facts.COMPLETION,),
    explains=("KVD510", "KVD513", "KVD515"),
)
async def error_inside_success(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """An error object came with HTTP status 200.

    What it checks: the body of a 200: `{"error": …}`, `{"success": false, …}` and the like.

    Why it matters: an SDK takes 200 for success and fails only when `choices` is read, so the
    program prints a text of its own ("reading '0'", "KeyError: 'choices'") and the server's
    message, which says what is wrong, is lost.

    How to fix: act on the server's message. Whoever runs the gateway should let errors keep
    their status.

    Fix safety: nothing is changed.

    References: facts/gateway-clients.md §§1.1, 1.5, 2.3; case BR-117.
    """
    reply = await f.get(facts.COMPLETION)
    outcome, exchange = reply.outcome, reply.exchange
    if outcome.kind is not OutcomeKind.ERROR_IN_SUCCESS:
        return
    message = outcome.message or outcome.error_code or outcome.error_type
    if not message:
        message = visible(exchange.body, 200)
    yield problem(
        _("An error came with status {status}: {message}", status=exchange.status, message=message),
        _(
            "{meaning} {prints}",
            meaning=_meaning(" ".join((outcome.message, outcome.error_code, outcome.error_type))),
            prints=_prints(f.connection.protocol),
        ),
        evidence=(
            Evidence(
                _("answer"),
                f"{exchange.method} {exchange.url} → {exchange.status}",
                visible(exchange.body, 300) or message,
            ),
        ),
    )


def _meaning(said: str) -> Text:
    for pattern, meaning in _SPEAKS_OF:
        if pattern.search(said):
            return meaning
    return _("The message is the server's own and says what is wrong.")


def _prints(protocol: Protocol) -> Text:
    if protocol is not Protocol.OPENAI_CHAT:
        return _("The status says success, so the client reports a malformed answer instead.")
    return _(
        "The status says success, so Python prints \"'NoneType' object is not subscriptable\" or"
        " \"KeyError: 'choices'\", Node \"Cannot read properties of undefined (reading '0')\"; with"
        " streaming there is no chunk and no error."
    )
