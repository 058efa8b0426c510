"""The same report for a colour terminal. The only importer of rich."""

from __future__ import annotations

from typing import IO, cast

from doctor.columns import has_wide, wrapped
from doctor.events import Event, RunFinished
from doctor.models import Finding, HopStatus, PathHop, Report, Severity, TargetReport
from doctor.render import words
from doctor.render.base import Look
from doctor.render.hopnames import HOP_NAMES, SEVERITY_NAMES, STATUS_NAMES
from doctor.render.outlet import Outlet
from doctor.secrets import Redactor
from doctor.text import _, joined, listed
from doctor.untrusted import harmless, visible

_SYMBOLS = {
    HopStatus.OK: ("✓", "green"),
    HopStatus.BROKEN: ("✗", "bold red"),
    HopStatus.UNKNOWN: ("?", "yellow"),
    HopStatus.SKIPPED: ("–", "dim"),
}
_SEVERITIES = {
    Severity.INFO: ("i", "cyan"),
    Severity.WARNING: ("!", "yellow"),
    Severity.ERROR: ("✗", "bold red"),
    Severity.CRITICAL: ("✗", "bold white on red"),
}


class RichRenderer:
    """Writes with rich; no text of others is ever parsed as markup."""

    def __init__(self, stream: IO[str], redactor: Redactor, look: Look) -> None:
        from rich.console import Console

        self._redact = redactor
        self._look = look
        self._console = Console(
            file=cast("IO[str]", Outlet(stream)),
            width=look.width,
            markup=False,
            highlight=False,
            emoji=False,
            force_terminal=look.color,
            no_color=not look.color,
        )

    def handle(self, event: Event) -> None:
        if isinstance(event, RunFinished):
            for target in event.report.targets:
                self._target(target, event.report)
            self._footer(event.report)

    def _target(self, target: TargetReport, report: Report) -> None:
        from rich.rule import Rule
        from rich.text import Text

        self._console.print(Text(self._say(words.headline(target)), style="bold"))
        self._path(target.path)
        before = target.diagnosis.before
        proof = words.proof(target, report.spending)
        if before is None:
            self._print(target.diagnosis.summary)
        else:
            self._print(words.failure(before), "" if before.answered else "red")
            if proof is not None:
                self._print(proof, "green")
            elif not before.answered:
                self._print(target.diagnosis.summary)
        self._console.print(Rule(style="dim"))
        shown = [finding for finding in target.findings if finding.explained_by is None]
        for finding in shown:
            self._finding(finding)
        for finding in target.findings:
            if finding.explained_by is not None:
                text = _(
                    "  follows from {cause}: {title}",
                    cause=finding.explained_by,
                    title=finding.title,
                )
                self._print(text, "dim")
        if not shown and before is not None and before.answered:
            for text in words.figures(target):
                self._print(text, "green")
            detail = target.verdicts.authenticated_detail
            self._print(_("Nothing to report. Authentication: {detail}.", detail=detail), "green")

    def _path(self, path: tuple[PathHop, ...]) -> None:
        from rich.table import Table
        from rich.text import Text

        table = Table.grid(padding=(0, 2))
        for hop in path:
            symbol, style = _SYMBOLS[hop.status]
            time = words.milliseconds(hop.ms) if hop.ms is not None else ""
            broken = hop.status is HopStatus.BROKEN
            detail = self._say(hop.detail) if broken else self._say(hop.detail)[:40]
            table.add_row(
                Text(symbol, style=style),
                Text(self._say(HOP_NAMES[hop.hop]), style="bold" if broken else ""),
                Text(self._say(STATUS_NAMES[hop.status]), style=style),
                Text(time, style="dim"),
                Text(detail, style=style if broken else "dim"),
            )
        self._console.print(table)

    def _finding(self, finding: Finding) -> None:
        from rich.padding import Padding
        from rich.text import Text

        symbol, style = _SEVERITIES[finding.severity]
        severity = SEVERITY_NAMES[finding.severity]
        head = Text()
        head.append(f"{symbol} ", style)
        head.append(self._say(finding.title), "bold")
        head.append(f"   {finding.code} {self._say(severity)}", "dim")
        self._console.print(head)
        body = [Text(self._wrapped(self._say(finding.explanation), 2))]
        for evidence in finding.evidence:
            where = visible(self._look.translate(evidence.location))
            place = f"{where}: " if where else ""
            value = visible(self._look.translate(evidence.value))
            line = f"{self._say(evidence.source)}: {place}{value}"
            body.append(Text(self._redact(line), "cyan"))
        for fix in finding.fixes:
            word = _("fix, proved:") if fix.proved else _("fix:")
            body.append(Text(self._wrapped(self._say(joined(word, fix.title)), 2), "green"))
            for line in self._say(fix.preview).split("\n"):
                removed = line.startswith("- ")
                body.append(Text(self._redact(f"  {line}"), "red" if removed else "bold"))
        for text in body:
            self._console.print(Padding(text, (0, 0, 0, 2)))
        self._console.print()

    def _footer(self, report: Report) -> None:
        untested = dict.fromkeys(text for target in report.targets for text in target.not_tested)
        if untested:
            self._print(_("Not tested: {what}.", what=listed(untested, "; ")), "dim")
        self._print(words.totals(report), "dim")
        for note in report.notes:
            self._print(_("Note: {note}", note=note), "yellow")

    def _print(self, text: str, style: str = "") -> None:
        from rich.text import Text

        self._console.print(Text(self._wrapped(self._say(text)), style=style))

    def _wrapped(self, text: str, indent: int = 0) -> str:
        """Rich breaks lines at blanks alone, of which Chinese has none."""
        if not has_wide(text):
            return text
        room = self._console.width - indent
        return "\n".join(line for part in text.split("\n") for line in wrapped(part, room) or [""])

    def _say(self, text: str) -> str:
        told = self._redact(self._look.translate(text))
        return self._redact(harmless(told, limit=8_000))
