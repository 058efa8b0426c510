"""KVD601."""

from __future__ import annotations

from collections.abc import AsyncIterator

from checks.tokens._budget_fault import (
    BUDGET_FACTS,
    BudgetCase,
    Code,
    Fault,
    arithmetic,
    change_to,
    evidence_of,
    judged,
)
from doctor.checkapi import (
    Confidence,
    DeclaredFacts,
    Finding,
    Hop,
    Severity,
    Text,
    _,
    check,
    problem,
)


@check(
    code="KVD601",
    slug="max-tokens-over-window",
    severity=Severity.ERROR,
    hop=Hop.ENGINE,
    wants=BUDGET_FACTS,
    explains=("KVD511", "KVD516", "KVD602", "KVD603", "KVD604"),
)
async def max_tokens_over_window(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """max_tokens is larger than the model's window, or than a cap on its output.

    What it checks: a refusal that names the limit, and the configured max_tokens against the
    window that the models list tells.

    Why it matters: such a request is refused with 400 however short the prompt is.

    How to fix: set max_tokens to the number that is proposed. Under a window it leaves a quarter
    for the prompt, since many servers count both together; under a cap it is the cap.

    Fix safety: answers longer than the new number are cut; the old one was never served.

    References: facts/gateway-clients.md §§0.12, 4.4 row 16; facts/real-servers.md; case BR-121.
    """
    found = await judged(f, Code.OVER_LIMIT)
    if found is None:
        return
    case, fault = found
    yield problem(
        _title(case, fault),
        _("{why} {value}", why=_why(case, fault), value=_value(case, fault)),
        evidence=evidence_of(case),
        changes=change_to(fault),
        severity=Severity.WARNING if case.accepted else None,
        confidence=Confidence.HIGH if case.refused else Confidence.MEDIUM,
    )


def _title(case: BudgetCase, fault: Fault) -> Text:
    if fault.limit is None:
        return _("The server refuses max_tokens as too large")
    asked = fault.requested
    if asked is None or asked <= fault.limit or case.is_doctors(asked):
        return _("The server takes a max_tokens of at most {limit}", limit=f"{fault.limit:,}")
    if fault.is_window:
        return _(
            "max_tokens {asked} is over the window of {limit}",
            asked=f"{asked:,}",
            limit=f"{fault.limit:,}",
        )
    return _(
        "max_tokens {asked} is over the model's output cap of {limit}",
        asked=f"{asked:,}",
        limit=f"{fault.limit:,}",
    )


def _why(case: BudgetCase, fault: Fault) -> Text:
    if case.refused and case.reply is not None:
        return _(
            "The answer is {status}: {message}.",
            status=case.reply.exchange.status,
            message=case.reply.outcome.message.rstrip(". "),
        )
    if case.accepted:
        return _(
            "The models list tells a window of {limit}; a request with this max_tokens was answered"
            " all the same, so something on the way lowers it.",
            limit=f"{fault.limit:,}",
        )
    return _(
        "The models list tells a window of {limit}; a max_tokens above it is likely refused.",
        limit=f"{fault.limit:,}",
    )


def _value(case: BudgetCase, fault: Fault) -> Text:
    if fault.proposal is not None and fault.is_window:
        return arithmetic(fault)
    if fault.proposal is not None:
        return _("Set max_tokens to {n}.", n=f"{fault.proposal:,}")
    sent = None if case.reply is None else case.reply.exchange.request_max_tokens
    if sent is not None and fault.limit is not None and sent <= fault.limit and not case.anthropic:
        return _(
            "The doctor sent {sent}, which is within the limit: a route or default on the way"
            " likely sets a larger number.",
            sent=f"{sent:,}",
        )
    if case.anthropic:
        return _("In Claude Code the setting is CLAUDE_CODE_MAX_OUTPUT_TOKENS.")
    return _("Where the client sets it was not found: it is in its code or its model settings.")
