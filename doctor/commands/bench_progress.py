"""How far a benchmark is, on stderr."""

from __future__ import annotations

import sys
import time

from doctor.arguments import told
from doctor.bench.progress import Event, Progress
from doctor.bench.told import rate
from doctor.columns import columns, left
from doctor.render.base import Sink
from doctor.secrets import REDACTOR
from doctor.text import Text, _
from doctor.untrusted import visible

_EVERY = 0.25


class Teller:
    """Progress on stderr: one line that changes on a terminal, else one for each load."""

    def __init__(self) -> None:
        self._sink = Sink(sys.stderr, REDACTOR)
        self._live = sys.stderr.isatty()
        self._told = self._began = time.monotonic()
        self._width = 0

    def __call__(self, now: Event) -> None:
        if not isinstance(now, Progress):
            return
        if now.done == 0:
            self._began = time.monotonic()
            if not self._live:
                begun = _("{name}: up to {n} requests", name=_name(now), n=f"{now.of:,}")
                self._sink.write(f"{told(begun)}\n")
                self._sink.flush()
        if not self._live or (now.done and time.monotonic() - self._told < _EVERY):
            return
        self._told = time.monotonic()
        speed = now.tokens / max(self._told - self._began, 0.001)
        text = told(_far(now, rate(speed)))
        self._sink.write("\r" + left(text, self._width))
        self._sink.flush()
        self._width = columns(text)

    def end(self) -> None:
        """Clear the line."""
        if self._width:
            self._sink.write("\r" + " " * self._width + "\r")
            self._sink.flush()
            self._width = 0


def _far(now: Progress, speed: str) -> Text:
    values = {"name": _name(now), "done": f"{now.done:,}", "all": f"{now.of:,}", "speed": speed}
    if not now.failed:
        return _("{name}: {done} of {all}, {speed} tokens/s", **values)
    failed = f"{now.failed:,}"
    return _("{name}: {done} of {all}, {speed} tokens/s, {failed} failed", failed=failed, **values)


def _name(now: Progress) -> Text:
    values = {"side": visible(now.side, 60), "load": now.load.name}
    if now.repeats <= 1:
        return _("{side}, load {load}", **values)
    counted = {"repeat": now.repeat, "all": now.repeats}
    return _("{side}, load {load}, repeat {repeat} of {all}", **counted, **values)
