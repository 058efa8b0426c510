"""Samples of a watched engine as text: columns, units, and the words for what is too much."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from doctor.enginemetrics.now import KV_BAND
from doctor.enginemetrics.sample import Gap, Sample
from doctor.text import Text, Translator, _
from doctor.untrusted import visible

NONE = "–"


@dataclass(frozen=True, slots=True)
class Column:
    """``of`` gives the text for one sample."""

    head: Text
    width: int
    of: Callable[[Sample], str]


def share(value: float | None) -> str:
    return NONE if value is None else f"{value:.0%}"


def count(value: float | None) -> str:
    return NONE if value is None else f"{value:,.0f}"


def span(value: float | None) -> str:
    """Seconds as people read them: ms below one second."""
    if value is None:
        return NONE
    if value >= 1:
        return f"{value:.1f} s"
    return f"{value * 1000:.0f} ms" if value >= 0.01 else f"{value * 1000:.1f} ms"


COLUMNS = (
    Column(_("KV"), 5, lambda s: share(s.kv_usage)),
    Column(_("run"), 5, lambda s: count(s.running)),
    Column(_("wait"), 5, lambda s: count(s.waiting)),
    Column(_("preempt"), 7, lambda s: count(s.preempted)),
    Column(_("TTFT p50"), 9, lambda s: span(s.ttft_p50)),
    Column(_("p95"), 8, lambda s: span(s.ttft_p95)),
    Column(_("token p50"), 9, lambda s: span(s.inter_token_p50)),
    Column(_("p95"), 8, lambda s: span(s.inter_token_p95)),
    Column(_("hits"), 5, lambda s: share(s.hit_rate)),
    Column(_("in/s"), 8, lambda s: count(s.prompt_rate)),
    Column(_("out/s"), 8, lambda s: count(s.generation_rate)),
)


def clock(at: float) -> str:
    """The time of day here."""
    return time.strftime("%H:%M:%S", time.localtime(at))


def cells(sample: Sample | Gap, translate: Translator) -> str:
    """The columns of one line, and in words what is too much."""
    if isinstance(sample, Gap):
        return translate(_("no answer: {reason}", reason=visible(sample.reason, 200)))
    told = " ".join(column.of(sample).rjust(column.width) for column in COLUMNS)
    notes = "; ".join(translate(note) for note in remarks(sample))
    return f"{told}  {notes}" if notes else told


def remarks(sample: Sample) -> list[Text]:
    """What lies outside the bounds within which an engine works well."""
    found = []
    if sample.saturated:
        found.append(_("KV full"))
    elif sample.kv_usage is not None and sample.kv_usage > KV_BAND[1]:
        found.append(_("KV above {band:.0%}", band=KV_BAND[1]))
    if sample.waiting:
        found.append(_("{n} waiting", n=count(sample.waiting)))
    if sample.preempted:
        found.append(_("{n} preempted", n=count(sample.preempted)))
    return found
