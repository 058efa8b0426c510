"""What can be copied of a finding, as text for others: masked and harmless."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from doctor.models import Finding, Fix, TargetReport
from doctor.text import Text, _
from doctor.tui.curl import curl
from doctor.tui.markdown import finding_markdown
from doctor.tui.speech import Speech


@dataclass(frozen=True, slots=True)
class Copy:
    """``title`` says what it is; ``file_name`` is the suggestion for a file."""

    title: Text
    text: str
    file_name: str
    is_diff: bool = False


def copies_of(finding: Finding | None, report: TargetReport, speech: Speech) -> tuple[Copy, ...]:
    """The finding, its commands and diffs, and the request before and after the repair."""
    made: list[Copy] = []
    if finding is not None:
        text = speech.redact(finding_markdown(finding, speech))
        made.append(Copy(_("the finding, as Markdown"), text, f"{finding.code}.md"))
        made += _of_fixes(finding.fixes, speech, finding.code)
    before = curl(report.connection)
    if before is not None:
        made.append(Copy(_("the request as curl"), speech.redact(before), "request.sh"))
    if report.diagnosis.proved:
        connection = report.connection
        for change in report.diagnosis.changes:
            connection = connection.with_(change)
        after = curl(connection)
        if after is not None:
            text = speech.redact(after)
            made.append(Copy(_("the repaired request as curl"), text, "repaired.sh"))
    return tuple(made)


def _of_fixes(fixes: Iterable[Fix], speech: Speech, code: str) -> list[Copy]:
    copies: list[Copy] = []
    for fix in fixes:
        text = speech.block(fix.preview)
        if any(line.startswith(("+", "-")) for line in text.split("\n")):
            copies.append(Copy(_("the diff: {title}", title=fix.title), text, f"{code}.diff", True))
        else:
            copies.append(Copy(_("the command: {title}", title=fix.title), text, f"{code}.sh"))
    return copies
