"""Fixes by way of ``doctor.fixes``: what was shown is what is written, and nothing else."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from doctor.facts.machine import Environment
from doctor.fixes import undo as taking_back
from doctor.fixes.apply import apply
from doctor.fixes.diff import diff
from doctor.fixes.journal import Entry, Journal
from doctor.fixes.prepare import Prepared, prepare
from doctor.fixes.refusal import RefusedEdit
from doctor.fixes.steps import EditFile, RunText
from doctor.fixes.verify import environment_after
from doctor.models import Applicability, Finding, Fix, TargetReport
from doctor.secrets import Redactor
from doctor.text import _
from doctor.tui.fixing import Applied, Part, Proposal, Undone
from doctor.tui.ignore_rule import ignore_file
from doctor.tui.session import Trouble


@dataclass(slots=True)
class _Plan:
    """``fixes`` by the ids of parts; ``shown`` is what was last previewed, by its parts."""

    fixes: dict[str, Fix]
    shown: dict[tuple[str, ...], Prepared]


class LiveFixes:
    """``environment`` is what the checks examine. After a start-up file was changed it is that
    of a shell started from then on, as the verdict has to be about the lasting change."""

    redactor: Redactor

    def __init__(self, environment: Environment, journal: Journal) -> None:
        self.environment = environment
        self._journal = journal
        self._before: dict[str, Environment] = {}

    # ------------------------------------------------------------------ proposing

    async def propose(self, report: TargetReport, codes: tuple[str, ...]) -> Proposal:
        return await asyncio.to_thread(self._propose, report, codes)

    def _propose(self, report: TargetReport, codes: tuple[str, ...]) -> Proposal:
        parts: list[Part] = []
        plan = _Plan({}, {})
        known: set[object] = set()
        for finding in report.findings:
            for fix in finding.fixes if finding.code in codes else ():
                # Changes of one setting have the same steps: they stand or fall together.
                if fix.steps and fix.steps in known:
                    continue
                known.add(fix.steps)
                identity = f"{finding.code} {fix.id}"
                plan.fixes[identity] = fix
                parts.append(self._part(identity, finding, fix))
        if not parts:
            raise Trouble(_("There is no fix for {codes}.", codes=", ".join(codes)))
        return Proposal(tuple(parts), plan)

    def _part(self, identity: str, finding: Finding, fix: Fix) -> Part:
        edits = [step for step in fix.steps if isinstance(step, EditFile)]
        commands = tuple(step.text for step in fix.steps if isinstance(step, RunText))
        text, refused = "", None
        if edits and fix.applicability is not Applicability.MANUAL:
            try:
                text = self._diff(prepare(edits))
            except RefusedEdit as refusal:
                refused = str(refusal)
        if not text and not commands:
            commands = tuple(fix.preview.split("\n"))
        return Part(
            id=identity,
            code=finding.code,
            title=fix.title,
            applicability=fix.applicability,
            proved=fix.proved,
            diff=text,
            commands=commands,
            refused=refused,
        )

    def _diff(self, prepared: Prepared) -> str:
        lines = [line for change in prepared.files for line in diff(change, self.redactor).lines()]
        return "\n".join(lines)

    # ------------------------------------------------------------------ writing

    async def preview(self, proposal: Proposal, parts: tuple[str, ...]) -> str:
        plan = _plan_of(proposal)
        prepared = await asyncio.to_thread(_prepared, plan, parts)
        plan.shown[parts] = prepared
        return self._diff(prepared)

    async def apply(self, proposal: Proposal, parts: tuple[str, ...]) -> Applied:
        plan = _plan_of(proposal)
        prepared = plan.shown.get(parts)
        if prepared is None:
            raise Trouble(_("What was to be written was not shown."))
        titles = [f"{plan.fixes[part].id} {plan.fixes[part].title}" for part in parts]
        return await self._write(prepared, titles)

    async def _write(self, prepared: Prepared, titles: list[str]) -> Applied:
        try:
            entry = await asyncio.to_thread(
                apply, prepared, titles, self._journal, redact=self.redactor
            )
        except RefusedEdit as refusal:
            raise Trouble(_("Nothing was written: {why}", why=str(refusal))) from None
        self._before[entry.id] = self.environment
        self.environment = environment_after(self.environment, prepared)
        return Applied(
            files=tuple(change.shown for change in prepared.files),
            commands=tuple(dict.fromkeys(text.text for text in prepared.texts)),
        )

    async def ignore(self, code: str, target: str, reason: str) -> Applied:
        try:
            change = await asyncio.to_thread(ignore_file, self.environment, code, target, reason)
        except RefusedEdit as refusal:
            raise Trouble(_("Nothing was written: {why}", why=str(refusal))) from None
        title = _("ignore {code} for {target}", code=code, target=target)
        return await self._write(Prepared((change,)), [title])

    # ------------------------------------------------------------------ taking back

    async def undoable(self) -> str | None:
        try:
            entry, text = await asyncio.to_thread(self._last)
        except RefusedEdit as refusal:
            raise Trouble(str(refusal)) from None
        return None if entry is None else text

    def _last(self) -> tuple[Entry | None, str]:
        entry = self._journal.find(None)
        if entry is None:
            return None, ""
        lines = [*entry.titles, ""]
        for shown in taking_back.preview(self._journal, entry):
            lines += shown.lines()
        return entry, "\n".join(lines)

    async def undo(self) -> Undone:
        entry = await asyncio.to_thread(self._journal.find, None)
        if entry is None:
            raise Trouble(_("There is nothing to take back."))
        try:
            await asyncio.to_thread(taking_back.undo, self._journal, entry)
        except RefusedEdit as refusal:
            raise Trouble(_("Nothing was put back: {why}", why=str(refusal))) from None
        self.environment = self._before.pop(entry.id, self.environment)
        return Undone(tuple(file.shown for file in entry.files))


def _plan_of(proposal: Proposal) -> _Plan:
    assert isinstance(proposal.plan, _Plan)
    return proposal.plan


def _prepared(plan: _Plan, parts: tuple[str, ...]) -> Prepared:
    try:
        return prepare(step for part in parts for step in plan.fixes[part].steps)
    except RefusedEdit as refusal:
        raise Trouble(str(refusal)) from None
