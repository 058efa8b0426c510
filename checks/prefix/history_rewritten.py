"""KVD712."""

from __future__ import annotations

from collections.abc import AsyncIterator

from checks.prefix._log import WANTS, told
from doctor.checkapi import DeclaredFacts, Finding, Hop, Severity, _, check
from doctor.facts.prefixlog import PrefixCause

CODE = "KVD712"


@check(
    code=CODE,
    slug="history-rewritten",
    severity=Severity.WARNING,
    hop=Hop.KV,
    wants=WANTS,
    blocking=False,
)
async def history_rewritten(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """Earlier turns of a conversation change from one request to the next.

    What it checks: in a request log (`kvdoctor prefix FILE`), conversations whose later turns are
    the same as before while an earlier one differs, is missing, or was merged or summed up.

    Why it matters: Everything behind the changed turn is computed again, with every turn more.

    How to fix: append to the history only. Stripping thinking, trimming a turn at a time, and
    summaries that are renewed with each request all break it.

    Fix safety: `kvdoctor prefix --write` rewrites a copy of the log, never the application.

    References: facts/vllm.md §6.
    """
    async for finding in told(f, CODE, _title, _how):
        yield finding


def _title(cause: PrefixCause) -> str:
    if cause.kind == "wrapped":
        return _("conversations are sent again inside other prompts")
    if cause.kind == "evicted":
        return _("the oldest turns fall out of the history with each request")
    return _("earlier turns change ({path})", path=cause.path)


def _how(cause: PrefixCause) -> str:
    if cause.kind == "wrapped":
        return _(
            "Titles, tags and summaries put an instruction in front of the conversation. Put it "
            "behind the turns as they were sent, turn such tasks off, or give them a model of "
            "their own."
        )
    if cause.kind == "evicted":
        return _(
            "Where the history begins moves, so all that was sent of it before is computed again, "
            "and the longer the history the more. Drop many turns at a time and seldom; in between "
            "only append."
        )
    return _(
        "Send earlier turns exactly as they were sent or received. If history must be shortened, "
        "do it rarely and by a large step rather than with each turn."
    )
