"""Linear text: for pipes, screen readers and dumb terminals. Complete, no colour, no boxes."""

from __future__ import annotations

from doctor.events import Event, RunFinished
from doctor.models import Finding, Report, TargetReport
from doctor.render import words
from doctor.render.base import Look, Sink
from doctor.render.hopnames import SEVERITY_NAMES
from doctor.render.lines import Lines
from doctor.text import _, joined, listed


class PlainRenderer:
    def __init__(self, sink: Sink, look: Look) -> None:
        self._out = Lines(sink, look)

    def handle(self, event: Event) -> None:
        if isinstance(event, RunFinished):
            for number, target in enumerate(event.report.targets):
                if number:
                    self._out.line("")
                self._target(target, event.report)
            self._footer(event.report)

    # ---------------------------------------------------------------- one target

    def _target(self, target: TargetReport, report: Report) -> None:
        self._out.line(self._out.say(words.headline(target)))
        before = target.diagnosis.before
        if before is not None:
            self._out.wrap(words.failure(before))
        else:
            self._out.wrap(target.diagnosis.summary)
        proof = words.proof(target, report.spending)
        if proof is not None:
            self._out.wrap(proof)
        elif before is not None and not before.answered:
            self._out.wrap(target.diagnosis.summary)
        ignored = words.ignored(target)
        if ignored is not None:
            self._out.wrap(ignored)
        if not target.findings:
            self._well(target)
            return
        shown = [finding for finding in target.findings if finding.explained_by is None]
        for number, finding in enumerate(shown, 1):
            self._out.line("")
            self._finding(number, finding, target)
        folded = [finding for finding in target.findings if finding.explained_by is not None]
        if folded:
            self._out.line("")
        for finding in folded:
            text = _(
                "Follows from {cause}: {code} {title}",
                cause=finding.explained_by or "",
                code=finding.code,
                title=finding.title,
            )
            self._out.wrap(text)

    def _well(self, target: TargetReport) -> None:
        before = target.diagnosis.before
        if before is None or not before.answered:
            return
        for text in words.figures(target):
            self._out.wrap(text)
        detail = target.verdicts.authenticated_detail
        if detail:
            self._out.wrap(_("Authentication: {detail}.", detail=detail))

    def _finding(self, number: int, finding: Finding, target: TargetReport) -> None:
        mark = self._out.say(SEVERITY_NAMES[finding.severity])
        root = finding.code in target.diagnosis.root_causes
        place = words.where(finding)
        head = f"{number}. {finding.code}  {self._out.say(finding.title)}"
        if not root:
            head += f"  ({mark})"
        if place:
            head += f"   {self._out.flat(place)}"
        self._out.wrap(head, hang=4)
        self._out.wrap(finding.explanation, indent=3)
        for evidence in finding.evidence:
            place = f"{self._out.flat(evidence.location)}: " if evidence.location else ""
            text = f"{self._out.say(evidence.source)}: {place}{self._out.flat(evidence.value)}"
            self._out.wrap(text, indent=3, hang=2)
        for fix in finding.fixes:
            state = _("Fix, proved:") if fix.proved else _("Fix:")
            self._out.wrap(joined(state, fix.title), indent=3)
            for line in self._out.say(fix.preview).split("\n"):
                self._out.line(f"     {line}")

    # ---------------------------------------------------------------- the whole run

    def _footer(self, report: Report) -> None:
        self._out.line("")
        untested = dict.fromkeys(text for target in report.targets for text in target.not_tested)
        if untested:
            self._out.wrap(_("Not tested: {what}.", what=listed(untested, "; ")))
        self._out.wrap(words.totals(report))
        for note in report.notes:
            self._out.wrap(_("Note: {note}", note=note))
