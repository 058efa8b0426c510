"""KVD704."""

from __future__ import annotations

from collections.abc import AsyncIterator

from checks.prefix._log import WANTS, place_of, told
from doctor.checkapi import DeclaredFacts, Finding, Hop, Severity, _, check
from doctor.facts.prefixlog import TURNS, PrefixCause

CODE = "KVD704"


@check(
    code=CODE,
    slug="prefix-whitespace-drifts",
    severity=Severity.WARNING,
    hop=Hop.KV,
    wants=WANTS,
    blocking=False,
)
async def prefix_whitespace_drifts(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The same text is sent with other blanks, line ends or Unicode forms.

    What it checks: in a request log (`kvdoctor prefix FILE`), texts that are equal once blanks and
    Unicode forms are taken away, and differ as they are sent. Arguments of calls count as the same
    where only the escapes of their JSON differ.

    Why it matters: To the engine they are different tokens from the first difference on.

    How to fix: normalise the text once, where it is loaded.

    Fix safety: `kvdoctor prefix --write` rewrites a copy of the log, never the application.

    References: facts/vllm.md §6; github/copilot-cli #4500.
    """
    async for finding in told(f, CODE, _title, _how):
        yield finding


def _title(cause: PrefixCause) -> str:
    return _("{place} is sent with changing blanks", place=place_of(cause))


def _how(cause: PrefixCause) -> str:
    if cause.path == TURNS:
        return _(
            "Send earlier turns as the text that came: JSON that is parsed and written again has"
            " other blanks and escapes."
        )
    return _(
        "Write it in one form: one line end, no trailing blanks, one Unicode normal form."
        " Templates that differ by who edited them last, and editors that change line "
        "ends, are the usual sources."
    )
