"""KVD703."""

from __future__ import annotations

from collections.abc import AsyncIterator

from checks.prefix._log import MOVE, WANTS, place_of, told
from doctor.checkapi import DeclaredFacts, Finding, Hop, Severity, _, check
from doctor.facts.prefixlog import PrefixCause

CODE = "KVD703"
_GIT = "git of Claude Code"


@check(
    code=CODE,
    slug="prefix-holds-counter-or-state",
    severity=Severity.WARNING,
    hop=Hop.KV,
    wants=WANTS,
    blocking=False,
)
async def prefix_holds_counter_or_state(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """Numbers or states that change with each request stand in front of text that requests share.

    What it checks: in a request log (`kvdoctor prefix FILE`), token counts, remaining budgets, turn
    numbers, working folders, git state, user names.

    Why it matters: Everything behind it is computed again whenever it changes.

    How to fix: put it behind the last user message, and leave it out of the history. Claude Code
    leaves git's state out with `"includeGitInstructions": false`.

    Fix safety: `kvdoctor prefix --write` rewrites a copy of the log, never the application.

    References: facts/vllm.md §6.
    """
    async for finding in told(f, CODE, _title, _how):
        yield finding


def _title(cause: PrefixCause) -> str:
    if cause.kind == _GIT:
        return _("{place} holds the state of the git repository", place=place_of(cause))
    return (
        _("{place} holds a counter", place=place_of(cause))
        if cause.kind == "counter"
        else _("{place} holds text that changes with each request", place=place_of(cause))
    )


def _how(cause: PrefixCause) -> str:
    if cause.kind == _GIT:
        return _(
            "It is Claude Code's own snapshot: another state begins another prompt from there on."
            ' "includeGitInstructions": false in its settings.json, or'
            " CLAUDE_CODE_DISABLE_GIT_INSTRUCTIONS=1, leaves it out."
        )
    return MOVE
