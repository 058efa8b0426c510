"""KVD514."""

from __future__ import annotations

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
)
from doctor.facts.answers import OutcomeKind
from doctor.token_usage import CUT, Limit, limit_of, usage_of


@check(
    code="KVD514",
    slug="answer-cut-short",
    severity=Severity.WARNING,
    hop=Hop.ENGINE,
    needs=(facts.COMPLETION,),
)
async def answer_cut_short(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The answer ends because its token budget ended, not because the model was done.

    What it checks: `finish_reason` "length" ("max_tokens" in the Messages API) of an answer
    that was written under the client's own max_tokens, or that outgrew the doctor's own small one.

    Why it matters: code, JSON and tool calls that break off do not parse. It is no cause of a
    missing `choices`: a cut answer has them.

    How to fix: raise max_tokens, or continue the answer in a second request.

    Fix safety: a larger budget may cost more per answer; it has to fit the window (KVD601).

    References: facts/gateway-clients.md §§2.3, 4.4 row 18.
    """
    reply = await f.get(facts.COMPLETION)
    outcome, exchange = reply.outcome, reply.exchange
    finish = outcome.finish_reason or ""
    if outcome.kind is not OutcomeKind.ANSWERED or exchange.cancelled or finish not in CUT:
        return
    limit = limit_of(f.connection, exchange)
    if limit is Limit.DOCTOR:
        return
    used = usage_of(exchange).output
    own = f.connection.max_tokens
    yield problem(
        _("The answer is cut off at {n} tokens", n=f"{used:,}")
        if used
        else _("The answer is cut off"),
        _meaning(limit, None if own is None else own.value, used),
        evidence=(Evidence(_("answer"), "finish_reason", finish),),
    )


def _meaning(limit: Limit, own: int | None, used: int | None) -> Text:
    if limit is Limit.CLIENT and own is not None:
        if used is not None and used < own - 2:
            return _(
                "The client allows max_tokens {own}, yet the answer ended at {used}: the window or"
                " a cap of the gateway's route ended it.",
                own=f"{own:,}",
                used=f"{used:,}",
            )
        return _(
            "max_tokens is {own}, and the answer to the doctor's short question does not fit.",
            own=f"{own:,}",
        )
    return _(
        "The limit is not the request's: a default of the server or a cap of the gateway's route"
        " ended the answer."
    )
