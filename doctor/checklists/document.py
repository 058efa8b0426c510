"""``kvdoctor.checklist/1``: the one place that knows its keys; ``schemas/checklist-1.json`` is the
contract."""

from __future__ import annotations

from typing import Any

from doctor.checklists.model import Judged, Line, Verdict
from doctor.models import Report
from doctor.render.document import finding_document, tool
from doctor.untrusted import visible

SCHEMA = "kvdoctor.checklist/1"


def checklist_document(judged: Judged, report: Report) -> dict[str, Any]:
    """The verdicts, and the findings that they rest on."""
    checklist = judged.checklist
    verdicts = [line.verdict for line in judged.lines]
    return {
        "schema": SCHEMA,
        "tool": tool(),
        "started_at": report.started_at,
        "duration_ms": report.duration_ms,
        "checklist": {
            "name": visible(checklist.name),
            "title": visible(checklist.title),
            "about": visible(checklist.about),
            "place": visible(checklist.place),
        },
        "targets": [target.id for target in report.targets],
        "passes": judged.passes,
        "counts": {verdict.value: verdicts.count(verdict) for verdict in Verdict},
        "items": [line_document(line) for line in judged.lines],
        "findings": [finding_document(finding) for finding in report.findings],
        "notes": [visible(note) for note in (*judged.notes, *report.notes)],
    }


def line_document(line: Line) -> dict[str, Any]:
    return {
        "id": line.item.id,
        "title": visible(line.item.title),
        "verdict": line.verdict.value,
        "required": line.item.required,
        "blocks": line.blocks,
        "detail": visible(line.detail),
        "codes": list(line.codes),
        "question": visible(line.item.question) or None,
    }
