"""KVD513."""

from __future__ import annotations

from collections.abc import AsyncIterator

from doctor.checkapi import (
    Confidence,
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
from doctor.facts.answers import Exchange, OutcomeKind, Reply
from doctor.token_usage import CUT, Limit, is_empty, limit_of, thinking_took_budget, usage_of

_TOOLS = frozenset({"tool_calls", "function_call", "tool_use"})
_FILTERS = frozenset({"content_filter", "safety", "refusal", "sensitive"})


@check(
    code="KVD513",
    slug="content-empty",
    severity=Severity.ERROR,
    hop=Hop.ENGINE,
    needs=(facts.COMPLETION,),
    explains=("KVD515",),
)
async def content_empty(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The answer is well formed and its content is null or empty.

    What it checks: an answer without text, and why it has none: `finish_reason`, a reasoning
    field, tool calls, a filter. An answer that the doctor's own small budget cut tells nothing.

    Why it matters: programs show an empty reply, or fail on `content.strip()` of None.

    How to fix: read what is filled instead (tool_calls), or have the engine put the answer where
    it belongs. Where thinking used up the budget, see KVD605.

    Fix safety: nothing is changed.

    References: facts/gateway-clients.md §2.3; cases BR-127, BR-134.
    """
    reply = await f.get(facts.COMPLETION)
    finish = reply.outcome.finish_reason or ""
    calls = reply.outcome.kind is OutcomeKind.ANSWERED and finish in _TOOLS
    if reply.exchange.cancelled or reply.outcome.text or not (is_empty(reply.outcome) or calls):
        return
    limit = limit_of(f.connection, reply.exchange)
    if limit is Limit.DOCTOR and (finish in CUT or _used_up(reply.exchange)):
        return
    if thinking_took_budget(f.connection, reply):
        return
    title, explanation, severity = _told(reply, finish)
    yield problem(
        title,
        explanation,
        evidence=(
            Evidence(_("answer"), "finish_reason", visible(finish) or _("(none)")),
            Evidence(_("answer"), "content", visible(reply.outcome.text) or _("(empty)")),
        ),
        severity=severity,
        confidence=Confidence.HIGH if finish in _TOOLS | _FILTERS else Confidence.MEDIUM,
    )


def _used_up(exchange: Exchange) -> bool:
    """Whether the doctor's budget is spent, whatever finish_reason says (case BR-127)."""
    sent, used = exchange.request_max_tokens, usage_of(exchange).output
    written = len(exchange.events) if used is None else used
    return sent is not None and written >= sent - 2


def _told(reply: Reply, finish: str) -> tuple[Text, Text, Severity]:
    usage = usage_of(reply.exchange)
    if finish in _TOOLS and is_empty(reply.outcome):
        return (
            _("The answer announces a tool call and holds none"),
            _(
                "finish_reason is {finish}, and there is neither text nor a call: on vLLM the"
                " --tool-call-parser likely does not fit the model.",
                finish=finish,
            ),
            Severity.ERROR,
        )
    if finish in _TOOLS:
        return (
            _("The answer is a tool call and has no content"),
            _("That is by design: read tool_calls first, and content only where there are none."),
            Severity.INFO,
        )
    if finish in _FILTERS:
        return (
            _("A content filter emptied the answer"),
            _("finish_reason is {finish}: the provider's filter took the text out.", finish=finish),
            Severity.ERROR,
        )
    if reply.outcome.reasoning or usage.reasoning:
        return (
            _("The answer has reasoning and no content"),
            _(
                "finish_reason is {finish}, so the model was done: the answer likely stands in the"
                " reasoning field. On vLLM the --reasoning-parser then does not fit the model, or"
                " thinking is off while the parser expects it.",
                finish=finish or _("missing"),
            ),
            Severity.ERROR,
        )
    if finish in CUT:
        return (
            _("The budget ended before any content came"),
            _(
                "finish_reason is {finish}, and no text was written. A model that thinks without"
                " showing it likely used the budget: raise max_tokens or switch thinking off.",
                finish=finish,
            ),
            Severity.ERROR,
        )
    return (
        _("The answer has no content"),
        _(
            "finish_reason is {finish}, and there is neither text nor reasoning nor a tool call."
            " A chat template that does not fit the model likely makes it end at once.",
            finish=finish or _("missing"),
        ),
        Severity.ERROR,
    )
