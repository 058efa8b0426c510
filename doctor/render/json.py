"""One JSON document at the end of the run."""

from __future__ import annotations

import json

from doctor.events import Event, RunFinished
from doctor.render.base import Sink
from doctor.render.document import report_document


class JsonRenderer:
    def __init__(self, sink: Sink) -> None:
        self._sink = sink

    def handle(self, event: Event) -> None:
        if isinstance(event, RunFinished):
            text = json.dumps(report_document(event.report), ensure_ascii=False, indent=2)
            self._sink.write(text + "\n")
