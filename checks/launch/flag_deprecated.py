"""KVD902."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from checks.launch._say import seen, sure, vllm, written
from doctor.checkapi import (
    DeclaredFacts,
    Finding,
    Hop,
    Severity,
    _,
    check,
    facts,
    joined,
    launched,
    problem,
    visible,
)

if TYPE_CHECKING:
    from doctor.launch.edits import Edit
    from doctor.launch.model import Argument, Launch


@check(
    code="KVD902",
    slug="flag-deprecated",
    severity=Severity.WARNING,
    hop=Hop.ENGINE,
    needs=(facts.LAUNCH,),
    blocking=False,
)
async def flag_deprecated(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """A flag that this version still takes and warns of.

    What it checks: the flags that vLLM itself marks as deprecated in this version, as far as its
    source tells; what is merely the default meanwhile is told in a note, not as a finding.

    Why it matters: the flag works, or is passed over, until an upgrade after which vLLM does not
    start. The version that vLLM names for that is often not the one in which it happens.

    How to fix: write what takes its place, or take it out; the corrected line does so.

    Fix safety: the new form is one that this very version has.

    References: facts/vllm.md §§1.2, 1.4.
    """
    launch = await launched(f)
    for argument in launch.arguments:
        found = _deprecated(launch, argument)
        if found is not None:
            yield found


def _deprecated(launch: Launch, argument: Argument) -> Finding | None:
    from doctor.launch.edits import removed, replaced
    from doctor.launch.replacements import replacement
    from doctor.launch.tables import life_after, table

    flags = table(launch.version.table)
    flag = flags.flags.get(argument.flag or "")
    if flag is None or not flag.deprecated or argument.path:
        return None
    known = replacement(flag.name, argument, flags)
    gone = life_after(flag.name, launch.version.table)
    if known is not None and known.words:
        edits: tuple[Edit, ...] = (replaced(argument, known.words, known.why),)
        new = _("Write {new} instead.", new=visible(" ".join(known.words)))
    elif known is not None and gone is not None:
        edits = (removed(argument, known.why),)
        new = _("Take it out.")
    else:
        edits, new = (), _("vLLM's own log says what to use.")
    return problem(
        _("{flag} is deprecated", flag=written(argument)),
        joined(
            _("{vllm} takes it and warns.", vllm=vllm(launch.version)),
            _("From {gone} on vLLM stops at it.", gone=gone) if gone else "",
            known.why if known else "",
            new,
        ),
        evidence=(seen(launch, argument),),
        confidence=sure(launch.version),
        edits=edits,
    )
