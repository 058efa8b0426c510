"""KVD606."""

from __future__ import annotations

from collections.abc import AsyncIterator

from checks.tokens._budget_fault import (
    BUDGET_FACTS,
    BudgetCase,
    Code,
    Fault,
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
from doctor.facts.answers import OutcomeKind


@check(
    code="KVD606",
    slug="max-tokens-not-positive",
    severity=Severity.ERROR,
    hop=Hop.CONFIGURATION,
    wants=BUDGET_FACTS,
    explains=("KVD511", "KVD516", "KVD601", "KVD602", "KVD603", "KVD605"),
)
async def max_tokens_not_positive(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """max_tokens is configured as zero or less.

    What it checks: the configured number, and the number that a refusal quotes as received. One
    that nobody sent was computed by the server from a prompt that is too long: that is KVD602. A
    -1 is none where the server may take it for "no limit" and what it says is about something
    else.

    Why it matters: some programs take -1 for "no limit"; vLLM and OpenAI refuse it with 400.

    How to fix: set a positive number, or none at all.

    Fix safety: a positive number limits the answer.

    References: facts/observed/vllm-0.32.0-http-probe.txt; cases BR-128, BR-129.
    """
    found = await judged(f, Code.NOT_POSITIVE)
    if found is None:
        return
    case, fault = found
    answered = case.reply is not None and case.reply.outcome.kind is OutcomeKind.ANSWERED
    yield problem(
        _("max_tokens is {n}", n=fault.requested if fault.requested is not None else "< 1"),
        _("{seen} {value}", seen=_seen(case), value=_value(fault)),
        evidence=evidence_of(case),
        changes=change_to(fault),
        severity=Severity.WARNING if answered else None,
        confidence=Confidence.HIGH if case.refused else Confidence.MEDIUM,
    )


def _value(fault: Fault) -> Text:
    if fault.proposal is not None:
        return _("Set it to {n}, or to nothing.", n=f"{fault.proposal:,}")
    return _("Where the client sets it was not found: it takes a positive number, or nothing.")


def _seen(case: BudgetCase) -> Text:
    if case.refused and case.reply is not None:
        return _(
            "The answer is {status}: {message}.",
            status=case.reply.exchange.status,
            message=case.reply.outcome.message.rstrip(". "),
        )
    return _(
        "{origin} holds it. vLLM and OpenAI refuse a max_tokens below 1; only some servers take -1"
        " for no limit.",
        origin=case.origin,
    )
