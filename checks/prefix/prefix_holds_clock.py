"""KVD701."""

from __future__ import annotations

from collections.abc import AsyncIterator

from checks.prefix._log import MOVE, WANTS, place_of, told
from doctor.checkapi import DeclaredFacts, Finding, Hop, Severity, _, check, joined
from doctor.facts.prefixlog import PrefixCause

CODE = "KVD701"


@check(
    code=CODE,
    slug="prefix-holds-clock",
    severity=Severity.WARNING,
    hop=Hop.KV,
    wants=WANTS,
    blocking=False,
)
async def prefix_holds_clock(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The date or the time stands in front of text that requests share.

    What it checks: in a request log (`kvdoctor prefix FILE`), dates, times and timestamps that
    differ from request to request, in the system prompt, in the tools or in earlier turns.

    Why it matters: An engine reuses the KV cache of the longest prefix that a prompt shares with an
    earlier one, in whole blocks. After the first character that differs nothing is reused, so a
    clock on top makes every prompt be computed from the start.

    How to fix: put the time behind the last user message and leave it out of the history, or give
    the date alone.

    Fix safety: `kvdoctor prefix --write` rewrites a copy of the log, never the application.

    References: facts/vllm.md §6.
    """
    async for finding in told(f, CODE, _title, _how):
        yield finding


def _title(cause: PrefixCause) -> str:
    return _("{place} holds a clock", place=place_of(cause))


def _how(cause: PrefixCause) -> str:
    return joined(
        MOVE,
        _("Where the date alone would do, write it without the time: it then changes once a day."),
    )
