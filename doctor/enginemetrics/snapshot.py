"""From the text of ``/metrics`` to one series per engine process and model."""

from __future__ import annotations

import math
from dataclasses import field
from typing import TypeVar

from doctor.enginemetrics import names
from doctor.enginemetrics.exposition import Tally, number, samples
from doctor.facts.engine import Distribution, EngineSeries, Metrics
from doctor.records import dataclass
from doctor.untrusted import visible

_PLAIN = frozenset({names.STARTED})
_SUFFIXES = ("_bucket", "_count", "_sum")
# More engines than any deployment has behind one address, and fewer than fill a screen for ever.
_MOST_SERIES = 256
_MOST_BOUNDS = 200
_MOST_LABELS = 100

T = TypeVar("T")


@dataclass(slots=True)
class _Histogram:
    count: float = 0.0
    sum: float = 0.0
    buckets: dict[float, float] = field(default_factory=dict)

    def distribution(self) -> Distribution:
        bounds = tuple(sorted(bound for bound in self.buckets if math.isfinite(bound)))
        total = max(self.count, self.buckets.get(math.inf, 0.0))
        return Distribution(total, self.sum, bounds, tuple(self.buckets[b] for b in bounds))


@dataclass(slots=True)
class _Series:
    """In the making. Values are by (meaning, rank of the name): the first name counts."""

    values: dict[tuple[str, int], float] = field(default_factory=dict)
    histograms: dict[tuple[str, int], _Histogram] = field(default_factory=dict)

    def add(self, meaning: str, rank: int, value: float) -> None:
        key = (meaning, rank)
        if key not in self.values:
            self.values[key] = value
        elif meaning in names.SHARES:
            self.values[key] = max(self.values[key], value)
        else:
            self.values[key] += value

    def observe(self, meaning: str, rank: int, part: str, value: float, bound: float) -> None:
        held = self.histograms.get((meaning, rank))
        if held is None:
            held = self.histograms[meaning, rank] = _Histogram()
        if part == "_count":
            held.count += value
        elif part == "_sum":
            held.sum += value
        elif len(held.buckets) < _MOST_BOUNDS or bound in held.buckets:
            held.buckets[bound] = held.buckets.get(bound, 0.0) + value


def _by_name(table: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, int]]:
    return {name: (key, rank) for key, known in table.items() for rank, name in enumerate(known)}


_SINGLE = _by_name(names.SINGLE)
_HISTOGRAMS = {
    name + suffix: (*meaning, suffix)
    for name, meaning in _by_name(names.HISTOGRAMS).items()
    for suffix in _SUFFIXES
}


def _wanted(name: str) -> bool:
    base = name.removesuffix("_total")
    return base in _SINGLE or name in _HISTOGRAMS or base in names.SPLIT or name == names.CONFIG


def read(text: str, url: str = "", at: float = 0.0, *, complete: bool = True) -> Metrics:
    """The snapshot in ``text``, which came from ``url`` at ``at`` (seconds since 1970).

    Never raises: a text that is no metrics at all has no series. Labels are harmless and bounded.
    """
    if not complete:
        # The last line was likely cut in the middle of its number.
        text = text.rpartition("\n")[0]
    reading = _Reading()
    tally = Tally()
    for name, labels, value in samples(text, _wanted, _PLAIN, tally):
        reading.take(name, labels, value)
    return Metrics(url, at, reading.series(), reading.started, tally.malformed, complete)


class _Reading:
    def __init__(self) -> None:
        self.started: float | None = None
        self._found: dict[tuple[str, str], _Series] = {}
        self._configs: dict[str, dict[str, str]] = {}

    def take(self, name: str, labels: dict[str, str], value: float) -> None:
        if name == names.STARTED:
            self.started = value if math.isfinite(value) else None
            return
        if name == names.CONFIG:
            self._config(labels)
            return
        series = self._series_of(labels)
        if series is None:
            return
        base = name.removesuffix("_total")
        if name in _HISTOGRAMS:
            meaning, rank, part = _HISTOGRAMS[name]
            bound = number(labels.get("le", "")) if part == "_bucket" else 0.0
            if bound is not None and not math.isnan(bound) and math.isfinite(value):
                series.observe(meaning, rank, part, value, bound)
        elif not math.isfinite(value):
            return
        elif base in names.SPLIT:
            label, meanings = names.SPLIT[base]
            split = meanings.get(labels.get(label, ""), meanings.get(""))
            if split is not None:
                series.add(split, 0, value)
        elif base in _SINGLE:
            series.add(*_SINGLE[base], value)

    def _series_of(self, labels: dict[str, str]) -> _Series | None:
        key = (labels.get("engine", ""), labels.get("model_name", ""))
        series = self._found.get(key)
        if series is None and len(self._found) < _MOST_SERIES:
            series = self._found[key] = _Series()
        return series

    def _config(self, labels: dict[str, str]) -> None:
        told = list(labels.items())[:_MOST_LABELS]
        config = {visible(name, 80): visible(value, 120) for name, value in told}
        config.pop("engine", None)
        if len(self._configs) < _MOST_SERIES:
            self._configs[labels.get("engine", "")] = config

    def series(self) -> tuple[EngineSeries, ...]:
        """By engine and model. What names no engine belongs to the first one of its model."""
        self._settle()
        return tuple(
            EngineSeries(
                engine=visible(engine, 60),
                model=visible(model, 200),
                values=_first_named(series.values),
                histograms={
                    meaning: held.distribution()
                    for meaning, held in _first_named(series.histograms).items()
                },
                cache=self._configs.get(engine) or self._only_config(),
            )
            for (engine, model), series in sorted(self._found.items())
        )

    def _settle(self) -> None:
        for engine, model in [key for key in self._found if not key[0]]:
            home = min((e for e, m in self._found if e and m == model), default=None)
            if home is None:
                continue
            stray = self._found.pop((engine, model))
            for (meaning, rank), value in stray.values.items():
                self._found[home, model].add(meaning, rank, value)

    def _only_config(self) -> dict[str, str]:
        return next(iter(self._configs.values())) if len(self._configs) == 1 else {}


def _first_named(found: dict[tuple[str, int], T]) -> dict[str, T]:
    chosen: dict[str, T] = {}
    for (meaning, _rank), value in sorted(found.items(), key=lambda entry: entry[0]):
        chosen.setdefault(meaning, value)
    return chosen
