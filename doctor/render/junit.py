"""The cases of a sheet as JUnit XML.

No standard exists; this is what both common schemas take (Ant's ``JUnit.xsd``, which fixes the
order, and the one of Jenkins' xUnit plugin).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.sax.saxutils import escape, quoteattr

from doctor.models import Finding
from doctor.render.paper import Speech
from doctor.render.sheet import Case, Outcome, Section, Sheet

# What XML 1.0 cannot hold, not even escaped.
_NO_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_HEAD = '<?xml version="1.0" encoding="UTF-8"?>'


def junit(sheet: Sheet, speech: Speech) -> str:
    """One suite per section, one case per check or item."""
    suites = [
        _suite(number, section, sheet, speech) for number, section in enumerate(sheet.sections)
    ]
    return "\n".join((_HEAD, "<testsuites>", *suites, "</testsuites>", ""))


def _suite(number: int, section: Section, sheet: Sheet, speech: Speech) -> str:
    cases = section.cases
    failures = sum(case.outcome is Outcome.FAIL for case in cases)
    errors = sum(case.outcome is Outcome.ERROR for case in cases)
    untold = (Outcome.SKIPPED, Outcome.UNTESTED, Outcome.WAIVED)
    attributes = {
        "name": _token(speech.line(section.id)),
        # The schema knows no offset; all times are UTC.
        "timestamp": sheet.started_at[:19],
        # Whoever reads the report need not know the machine's name.
        "hostname": "localhost",
        "tests": str(len(cases)),
        "failures": str(failures),
        "errors": str(errors),
        "skipped": str(sum(case.outcome in untold for case in cases)),
        "time": _seconds(sum(case.ms for case in cases)),
        "package": f"kvdoctor.{sheet.command}",
        "id": str(number),
    }
    lines = [
        f"<testsuite{_attributes(attributes)}>",
        "<properties>",
        *(
            f"<property{_attributes({'name': value.name, 'value': speech.line(value.value)})}/>"
            for value in section.settings
        ),
        "</properties>",
        *(_case(case, section, sheet, speech) for case in cases),
        f"<system-out>{_text(_told(section, speech))}</system-out>",
        "<system-err></system-err>",
        "</testsuite>",
    ]
    return "\n".join(lines)


def _case(case: Case, section: Section, sheet: Sheet, speech: Speech) -> str:
    name = speech.line(case.title) if section.listed else f"{case.id} {speech.line(case.title)}"
    attributes = {
        "name": _token(name),
        "classname": _token(f"kvdoctor.{sheet.command}.{case.group}"),
        "time": _seconds(case.ms),
    }
    head = f"<testcase{_attributes(attributes)}"
    message = speech.line(case.message)
    match case.outcome:
        case Outcome.PASS:
            return f"{head}/>"
        case Outcome.FAIL:
            failure = {"message": message, "type": case.id}
            mine = [finding for finding in section.shown if finding.code == case.id]
            inner = f"<failure{_attributes(failure)}>{_text(_details(mine, speech))}</failure>"
        case Outcome.ERROR:
            inner = f"<error{_attributes({'message': message, 'type': case.id})}></error>"
        case _:
            told = f"{case.outcome.value}: {message}" if message else case.outcome.value
            inner = f"<skipped{_attributes({'message': told})}/>"
    return f"{head}>{inner}</testcase>"


def _details(findings: Iterable[Finding], speech: Speech) -> str:
    lines: list[str] = []
    for finding in findings:
        lines.append(speech.block(finding.explanation))
        for evidence in finding.evidence:
            place = f"{speech.line(evidence.location)}: " if evidence.location else ""
            lines.append(f"{speech.line(evidence.source)}: {place}{speech.line(evidence.value)}")
        for fix in finding.fixes:
            lines += [f"{speech.line(fix.title)}:", speech.block(fix.preview)]
    return "\n".join(lines)


def _told(section: Section, speech: Speech) -> str:
    lines = [speech.line(section.title), *(speech.line(text) for text in section.lead)]
    lines += [
        f"{finding.code} ({finding.severity.word}) {speech.line(finding.title)}"
        for finding in section.shown
    ]
    return "\n".join((*lines, speech.answer(section.answer)))


def _attributes(values: dict[str, str]) -> str:
    return "".join(f" {name}={quoteattr(_clean(value))}" for name, value in values.items())


def _text(text: str) -> str:
    return escape(_clean(text))


def _clean(text: str) -> str:
    return _NO_XML.sub(lambda match: f"<U+{ord(match[0]):04X}>", text)


def _token(text: str) -> str:
    return " ".join(text.split()) or "-"


def _seconds(ms: int) -> str:
    return f"{ms / 1000:.3f}"
