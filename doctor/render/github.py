"""Findings as workflow commands of GitHub: annotations of a run and of lines of files.

Source: docs.github.com, "Workflow commands for GitHub Actions"; the escapes are those of the
toolkit (``%``, CR, LF in a message; ``:`` and ``,`` as well in a property). GitHub shows ten errors
and ten warnings of a step, so the worst come first.
"""

from __future__ import annotations

from collections.abc import Iterable

from doctor.models import Finding, Severity
from doctor.render.outlet import inert
from doctor.render.paper import Speech
from doctor.render.places import place_of
from doctor.render.sheet import Outcome, Section, Sheet
from doctor.text import _

_LEVELS = {
    Severity.INFO: "notice",
    Severity.WARNING: "warning",
    Severity.ERROR: "error",
    Severity.CRITICAL: "error",
}


def github(sheet: Sheet, speech: Speech) -> str:
    """One command per finding, then one line of text that sums up."""
    lines: list[str] = []
    for section in sheet.sections:
        if section.listed:
            lines += _items(section, speech)
        worst_first = sorted(section.shown, key=lambda finding: -finding.severity)
        lines += [_finding(finding, section, speech) for finding in worst_first]
    for note in sheet.notes:
        lines.append(command("notice", {}, speech.line(note)))
    return "".join(f"{line}\n" for line in (*lines, inert(_summary(sheet, speech))))


def _finding(finding: Finding, section: Section, speech: Speech) -> str:
    place = place_of(finding)
    properties: dict[str, str] = {}
    if place is not None and not place.home:
        properties = {"file": place.path, "line": str(place.line)}
    properties["title"] = f"{finding.code} {speech.line(finding.title)}"
    told = [speech.block(finding.explanation)]
    told += [f"{speech.line(fix.title)}:\n{speech.block(fix.preview)}" for fix in finding.fixes[:1]]
    told.append(speech.line(section.title))
    return command(_LEVELS[finding.severity], properties, "\n".join(told))


def _items(section: Section, speech: Speech) -> Iterable[str]:
    for case in section.cases:
        if case.outcome in (Outcome.FAIL, Outcome.ERROR):
            title = {"title": speech.line(case.title)}
            yield command("error", title, speech.line(case.message or case.title))


def _summary(sheet: Sheet, speech: Speech) -> str:
    listed = [section for section in sheet.sections if section.listed]
    if listed:
        return speech.line(_("{title}: {verdict}", title=sheet.title, verdict=listed[0].lead[0]))
    found = [finding for section in sheet.sections for finding in section.shown]
    failed = sum(finding.severity >= sheet.threshold for finding in found)
    text = _(
        "{title}: {failed} of {all} findings at or above {severity}.",
        title=sheet.title,
        failed=failed,
        all=len(found),
        severity=sheet.threshold.word,
    )
    return speech.line(text)


def command(name: str, properties: dict[str, str], message: str) -> str:
    """``::name key=value::message``, escaped."""
    pairs = ",".join(f"{key}={_property(value)}" for key, value in properties.items())
    return f"::{name}{' ' if pairs else ''}{pairs}::{_data(inert(message))}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(inert(text)).replace(":", "%3A").replace(",", "%2C")
