"""One text in, the judged and corrected lines out: what ``kvdoctor launch`` is made of."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from doctor import facts
from doctor.checkapi import Check
from doctor.context import Options, RunContext
from doctor.engine import fold, run_checks
from doctor.facts.machine import Environment
from doctor.facts.settings import Settings
from doctor.facts.store import Fact, Facts, Unavailable
from doctor.launch.correct import Corrected, correct
from doctor.launch.lines import Wanted, launches
from doctor.launch.memory import memory_case
from doctor.launch.model import Launch
from doctor.launch.notes import notes_of
from doctor.launch.reading.detect import MADE, Reading, read_argv, read_text
from doctor.launch.reading.found import NothingFound
from doctor.models import Applicability, CheckResult, Finding, Fix
from doctor.records import dataclass
from doctor.secrets import REDACTOR, Redactor

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Judged:
    """One line: what was read, what was found, and the line as it should be."""

    launch: Launch
    findings: tuple[Finding, ...]
    results: tuple[CheckResult, ...]
    corrected: Corrected
    notes: tuple[str, ...]
    kind: str


class _Seeded:
    """A recorder that gives the store its launch line, and the memory plan that follows from it;
    nothing is gathered or kept."""

    def __init__(self, launch: Launch) -> None:
        self._known: dict[str, Any] = {facts.LAUNCH.key: launch}
        case = memory_case(launch)
        if case is not None:
            self._known[facts.MEMORY.key] = case

    def recall(self, scope: str, fact: Fact[T]) -> T | Unavailable | None:
        known: T | None = self._known.get(fact.key)
        if known is None and fact.key == facts.MEMORY.key:
            return None  # gathered: there is none
        return Unavailable("only the launch line is examined") if known is None else known

    def keep(self, scope: str, fact: Fact[Any], value: object) -> None:
        """Nothing to keep."""


def launch_checks(checks: Sequence[Check]) -> tuple[Check, ...]:
    """Those that read a launch line, or the memory plan of one."""
    read = (facts.LAUNCH, facts.MEMORY)
    return tuple(c for c in checks if any(fact in read for fact in (*c.needs, *c.wants)))


def read(source: str | Sequence[str]) -> Reading:
    """A text of any kind, or the words of a command. Raises ``NothingFound``."""
    return read_text(source) if isinstance(source, str) else read_argv(list(source))


def judge(
    reading: Reading,
    place: str,
    wanted: Wanted,
    checks: Sequence[Check],
    redactor: Redactor = REDACTOR,
) -> tuple[Judged, ...]:
    """Every line of ``reading``. Raises ``NothingFound``, ``ValueError`` for a version that is
    none."""
    return asyncio.run(_judge(reading, place, wanted, launch_checks(checks), redactor))


async def _judge(
    reading: Reading, place: str, wanted: Wanted, checks: Sequence[Check], redactor: Redactor
) -> tuple[Judged, ...]:
    from doctor.launch.hidden import learn

    made = launches(reading, place, wanted)
    judged: list[Judged] = []
    # Each line is corrected in the text that the lines ahead of it have left.
    now = made
    for index, (launch, _kinds) in enumerate(made):
        learn(launch, redactor)
        results = await _run(launch, checks, redactor)
        findings = _findings(results)
        known = dataclasses.replace(wanted, version=_version_of(launch, wanted))

        def again(
            text: str, at: int = index, known: Wanted = known
        ) -> tuple[Launch, tuple[str, ...]]:
            found = launches(_same_kind(reading, text), place, known)
            if len(found) != len(made):
                raise NothingFound(place)  # an edit has joined lines, or left nothing of one
            return found[at]

        def alone(text: str, whole: Launch = launch, known: Wanted = known) -> Launch:
            found = launches(read_text(text), place, known)[0][0]
            # What was told around the command is still so.
            return dataclasses.replace(
                found,
                entry=whole.entry,
                container=whole.container,
                variables=whole.variables,
                open_ended=whole.open_ended,
            )

        current, kinds = now[index]
        corrected = await _corrected(
            current, kinds, findings if now is made else None, again, alone, checks, redactor
        )
        if corrected.in_place and corrected.edits and len(made) > 1:
            now = launches(_same_kind(reading, corrected.text), place, wanted)
        fixed = tuple(_fixed(finding, launch) for finding in findings)
        judged.append(Judged(launch, fixed, results, corrected, notes_of(launch), reading.kind))
    whole = now[0][0].text if len(made) > 1 else None
    return tuple(_with_text(one, whole) for one in judged)


def _with_text(one: Judged, whole: str | None) -> Judged:
    """All lines of one text have the same corrected text."""
    if whole is None or not one.corrected.in_place:
        return one
    return dataclasses.replace(one, corrected=dataclasses.replace(one.corrected, text=whole))


def _version_of(launch: Launch, wanted: Wanted) -> str | None:
    """What was told outside the text must hold for the corrected text as well."""
    return wanted.version if launch.version.assumed else launch.version.text


def _same_kind(reading: Reading, text: str) -> Reading:
    """Read a changed text as what it was."""
    again = read_text(text)
    if reading.kind not in MADE:
        return again
    for old, new in zip(reading.found, again.found, strict=False):
        # What was told beside the line is still so.
        new.name, new.declared, new.container = old.name, old.declared, old.container
        new.variables = [*old.variables, *new.variables]
    return Reading(reading.kind, again.text, again.found, again.kinds)


async def _corrected(
    launch: Launch,
    kinds: tuple[str, ...],
    findings: tuple[Finding, ...] | None,
    again: Callable[[str], tuple[Launch, tuple[str, ...]]],
    alone: Callable[[str], Launch],
    checks: Sequence[Check],
    redactor: Redactor,
) -> Corrected:
    # The checks of a launch line wait for nothing, so that their coroutines end at once.
    def found(one: Launch) -> tuple[Finding, ...]:
        return _findings(_at_once(one, checks, redactor))

    def work() -> Corrected:
        known = found(launch) if findings is None else findings
        return correct(launch, kinds, known, again, alone, found)

    return await asyncio.to_thread(work)


def _at_once(
    launch: Launch, checks: Sequence[Check], redactor: Redactor
) -> tuple[CheckResult, ...]:
    return asyncio.run(_run(launch, checks, redactor))


async def _run(
    launch: Launch, checks: Sequence[Check], redactor: Redactor
) -> tuple[CheckResult, ...]:
    context = RunContext(
        options=Options(offline=True),
        environment=Environment({}, "", "", ""),
        settings=Settings(),
        recorder=_Seeded(launch),
        redactor=redactor,
        requester=None,  # type: ignore[arg-type]  # nothing is asked
    )
    store = Facts(context, launch.id, None)
    try:
        return await run_checks(checks, store, lambda _event: None)
    finally:
        store.close()


def _findings(results: Sequence[CheckResult]) -> tuple[Finding, ...]:
    found = fold(finding for result in results for finding in result.findings)
    return tuple(sorted(found, key=lambda f: (-f.severity, -f.confidence, f.code)))


def _fixed(finding: Finding, launch: Launch) -> Finding:
    """With its edits as fixes to be read."""
    from doctor.launch.hidden import masked

    fixes = tuple(
        Fix(
            id=f"{finding.code}-{number}",
            title=edit.reason,
            applicability=Applicability.MANUAL,
            proved=False,
            preview=masked(launch, _preview(edit.old, edit.new)),
        )
        for number, edit in enumerate(finding.edits, 1)
        if edit.old or edit.new
    )
    return dataclasses.replace(finding, fixes=fixes)


def _preview(old: str, new: str) -> str:
    lines = [f"- {old}"] if old else []
    return "\n".join([*lines, *([f"+ {new}"] if new else [])])


__all__ = ["Judged", "NothingFound", "Wanted", "judge", "launch_checks", "read"]
