"""Every event as one line of JSON, as it happens; the last line holds the report."""

from __future__ import annotations

import json
from typing import Any

from doctor import events as e
from doctor.models import Trial
from doctor.render.base import Sink
from doctor.render.document import (
    answer_document,
    check_document,
    finding_document,
    hop_document,
    report_document,
    target_document,
)
from doctor.untrusted import visible


class JsonLinesRenderer:
    def __init__(self, sink: Sink) -> None:
        self._sink = sink

    def handle(self, event: e.Event) -> None:
        self._sink.write(json.dumps(event_document(event), ensure_ascii=False) + "\n")
        self._sink.flush()


def event_document(event: e.Event) -> dict[str, Any]:
    """The event's name and what it carries."""
    match event:
        case e.RunStarted():
            return {
                "event": "run_started",
                "targets": [visible(target) for target in event.targets],
                "checks": event.checks,
            }
        case e.TargetStarted():
            return {
                "event": "target_started",
                "target": visible(event.target),
                "label": visible(event.label),
            }
        case e.HopSeen():
            return {"event": "hop", "target": event.target, **hop_document(event.hop)}
        case e.CheckStarted():
            return {
                "event": "check_started",
                "target": event.target,
                "code": event.code,
                "slug": event.slug,
            }
        case e.CheckFinished():
            findings = [finding_document(finding) for finding in event.result.findings]
            return {
                "event": "check_finished",
                **check_document(event.result),
                "findings": findings,
            }
        case e.FindingSeen():
            return {"event": "finding", **finding_document(event.finding)}
        case e.TrialFinished():
            return {"event": "trial", "target": event.target, **trial_document(event.trial)}
        case e.TargetFinished():
            return {"event": "target_finished", **target_document(event.report)}
        case e.RunFinished():
            return {"event": "run_finished", "report": report_document(event.report)}


def trial_document(trial: Trial) -> dict[str, Any]:
    return {
        "changes": [visible(title) for title in trial.changes],
        "answer": answer_document(trial.answer),
    }
