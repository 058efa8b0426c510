"""``kvdoctor.launch/1``: the one place that knows its keys; ``schemas/launch-1.json`` is the
contract. Keys of the line are masked."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from doctor.launch.hidden import masked
from doctor.launch.judging import Judged
from doctor.models import Severity
from doctor.render.document import check_document, finding_document, tool
from doctor.untrusted import harmless, visible

SCHEMA = "kvdoctor.launch/1"


def launch_document(judged: Sequence[Judged], notes: Sequence[str] = ()) -> dict[str, Any]:
    """The first of ``judged`` is told at the top; all stand in ``lines``."""
    lines = [line_document(one) for one in judged]
    first = lines[0]
    return {
        "schema": SCHEMA,
        "tool": tool(),
        "vllm_version": first["vllm_version"],
        "line": first["line"],
        "corrected": first["corrected"],
        "changes": first["changes"],
        "accepted": all(line["accepted"] for line in lines),
        "lines": lines,
        "findings": [finding_document(f) for one in judged for f in one.findings],
        "checks": [check_document(result) for one in judged for result in one.results],
        "notes": [visible(note) for note in notes],
    }


def line_document(judged: Judged) -> dict[str, Any]:
    """One line: as read, as it should be, and what was changed."""
    launch, corrected = judged.launch, judged.corrected

    def shown(text: str) -> str:
        return visible(masked(launch, text), 100_000)

    return {
        "id": visible(launch.id),
        "place": visible(launch.place),
        "kind": judged.kind,
        "vllm_version": {
            "version": visible(launch.version.text),
            "judged_by": launch.version.table,
            "origin": visible(launch.version.origin),
            "assumed": launch.version.assumed,
        },
        "line": {
            "argv": [shown(word) for word in launch.argv],
            "text": harmless(masked(launch, launch.text), 1_000_000),
        },
        "corrected": {
            "argv": [shown(word) for word in corrected.argv],
            "text": harmless(masked(launch, corrected.text), 1_000_000),
            "in_place": corrected.in_place,
            "accepted": not _refused(corrected.left),
        },
        "changes": [
            {
                "flag": shown(edit.flag),
                "from": shown(edit.old),
                "to": shown(edit.new),
                "code": edit.code,
                "reason": visible(edit.reason),
            }
            for edit in corrected.edits
        ],
        "accepted": not _refused(judged.findings),
        "notes": [visible(note) for note in judged.notes],
    }


def _refused(findings: Sequence[Any]) -> bool:
    """Whether vLLM would stop at start: that is what makes a finding an error here."""
    return any(finding.severity >= Severity.ERROR for finding in findings)
