"""KVD705."""

from __future__ import annotations

from collections.abc import AsyncIterator

from checks.prefix._log import WANTS, place_of, told
from doctor.checkapi import DeclaredFacts, Finding, Hop, Severity, _, check
from doctor.facts.prefixlog import PrefixCause

CODE = "KVD705"


@check(
    code=CODE,
    slug="tools-order-drifts",
    severity=Severity.WARNING,
    hop=Hop.KV,
    wants=WANTS,
    blocking=False,
)
async def tools_order_drifts(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """Tools or JSON keys are serialised in changing order.

    What it checks: in a request log (`kvdoctor prefix FILE`), definitions that hold the same
    characters in another order from request to request.

    Why it matters: Tools are rendered near the front of the prompt, so everything behind them is
    computed again.

    How to fix: sort the tools, and serialise with sorted keys.

    Fix safety: `kvdoctor prefix --write` rewrites a copy of the log, never the application.

    References: facts/vllm.md §6.
    """
    async for finding in told(f, CODE, _title, _how):
        yield finding


def _title(cause: PrefixCause) -> str:
    return (
        _("{place} come in changing order", place=place_of(cause))
        if cause.path == "tools"
        else _("{place} is serialised in changing order", place=place_of(cause))
    )


def _how(cause: PrefixCause) -> str:
    if cause.path != "tools":
        return _(
            "Write lists, examples and JSON keys in one order, sorted or as they were first sent;"
            " sets, samples drawn at random and concurrent reading are the usual sources."
        )
    return _(
        "Sort the tools by name and serialise with sorted keys; sets and concurrent "
        "discovery are the usual sources of a changing order."
    )
