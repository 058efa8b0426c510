"""Two runs held against each other: what differs in how they were made, and whether one is faster
beyond what chance explains."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from doctor.bench.figures import Level
from doctor.bench.gpus import GpuUse
from doctor.bench.running import Run
from doctor.bench.stats import Group, Interval, mean, quantile, ratio_interval
from doctor.records import dataclass

BETTER, WORSE, SAME, UNCLEAR = "better", "worse", "same", "unclear"

# Less is of no use to know, whatever is sure of it.
_MATTERS = 0.03
# Of a GPU's memory, and of the time in which it is busy: less is not told.
_GPU_MATTERS = 0.02
# With one repeat nothing tells how much runs differ by themselves.
_MATTERS_ONCE = 0.1
_ALIKE = 0.05
# As long as the client's own measuring may be off, in seconds.
_FLOORS = {"ttft": 0.002, "tpot": 0.0002, "latency": 0.002}


@dataclass(frozen=True, slots=True)
class Difference:
    """Of one figure at one load. ``change`` is a share (0.1: 10 % more), with its interval.
    ``verdict``: better, worse, same (within 5 %) or unclear."""

    load: str
    figure: str
    before: float
    after: float
    change: float
    sure: Interval | None
    verdict: str


@dataclass(frozen=True, slots=True)
class Changed:
    """One thing about how the runs were made; "" is "not there"."""

    name: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class GpuChange:
    """What one GPU did at one load, in the one run and in the other: no verdict, since more memory
    or work is neither better nor worse."""

    load: str
    before: GpuUse
    after: GpuUse


@dataclass(frozen=True, slots=True)
class Comparison:
    """``once`` says that a run has one repeat only. ``missing`` are loads of one run alone.
    ``gpus`` are those that did something else."""

    name: str
    changed: tuple[Changed, ...]
    differences: tuple[Difference, ...]
    missing: tuple[str, ...]
    once: bool
    gpus: tuple[GpuChange, ...] = ()

    @property
    def verdict(self) -> str:
        """Worse where anything is; then better, same; unclear where nothing else is known."""
        found = {difference.verdict for difference in self.differences}
        return next((word for word in (WORSE, BETTER, SAME) if word in found), UNCLEAR)


def median(values: Group) -> float:
    """Raises ``ValueError`` for none."""
    return quantile(values, 0.5)


_FIGURES: tuple[tuple[str, str, Callable[[Group], float], bool], ...] = (
    # name, field of a repeat, statistic, whether more is better
    ("ttft", "ttft", median, False),
    ("tpot", "tpot", median, False),
    ("latency", "latency", median, False),
    ("output_rate", "rates", mean, True),
)


def compared(before: Run, after: Run, name: str) -> Comparison:
    """``before`` is kept as ``name``."""
    pairs, missing = _pairs(before.levels, after.levels)
    return Comparison(
        name=name,
        changed=changes(before.setup, after.setup),
        differences=tuple(d for old, new in pairs for d in differences(old, new)),
        missing=missing,
        once=any(len(level.repeats) < 2 for pair in pairs for level in pair),
        gpus=tuple(change for old, new in pairs for change in gpu_changes(old, new)),
    )


def gpu_changes(old: Level, new: Level) -> list[GpuChange]:
    """Of the GPUs that were looked at in both, those whose figures differ enough to be told."""
    before = {use.index: use for use in old.gpus}
    pairs = [(before[use.index], use) for use in new.gpus if use.index in before]
    return [
        GpuChange(new.load.name, first, second)
        for first, second in pairs
        if _differs(first.full, second.full) or _differs(first.busy, second.busy)
    ]


def _differs(first: float | None, second: float | None) -> bool:
    return first is not None and second is not None and abs(second - first) >= _GPU_MATTERS


def overhead_of(run: Run) -> list[Difference]:
    """Of the other way. Whole answers are left out where they are not of one length."""
    found: list[Difference] = []
    for direct, through in zip(run.levels, run.through, strict=False):
        lengths = [
            sum(r.output_tokens for r in level.repeats) / max(level.answers, 1)
            for level in (direct, through)
        ]
        alike = max(lengths) - min(lengths) <= 0.02 * max(lengths)
        figures = ("ttft", "tpot", "latency", "output_rate") if alike else ("ttft", "tpot")
        found += differences(direct, through, figures)
    return found


def changes(before: dict[str, str], after: dict[str, str]) -> tuple[Changed, ...]:
    """What is told of both in the same way is no change; in the order of ``after``."""
    return tuple(
        Changed(name, before.get(name, ""), after.get(name, ""))
        for name in dict.fromkeys((*after, *before))
        if before.get(name) != after.get(name)
    )


def differences(old: Level, new: Level, figures: Sequence[str] = ()) -> list[Difference]:
    """By figure; ``figures`` names those that count, none: all that both have."""
    found = []
    for name, field, statistic, more in _FIGURES:
        if figures and name not in figures:
            continue
        first = [getattr(repeat, field) for repeat in old.repeats]
        second = [getattr(repeat, field) for repeat in new.repeats]
        if not any(first) or not any(second):
            continue
        before = statistic([value for group in first for value in group])
        after = statistic([value for group in second for value in group])
        if before <= 0:
            continue
        sure = ratio_interval(first, second, statistic)
        once = min(len(old.repeats), len(new.repeats)) < 2
        floor = _floor(name, old, new)
        matters = max(_MATTERS_ONCE if once else _MATTERS, floor / before)
        if old.limited_by_client or new.limited_by_client:
            sure = None
        found.append(
            Difference(
                load=new.load.name,
                figure=name,
                before=before,
                after=after,
                change=after / before - 1,
                sure=sure,
                verdict=_verdict(after / before - 1, sure, matters, more=more),
            )
        )
    return found


def _floor(name: str, old: Level, new: Level) -> float:
    """Smaller changes, in the unit of the figure, may be the client's own."""
    if name not in _FLOORS:
        return 0.0
    lag = max(old.lag, new.lag)
    if name == "tpot":
        # It is spread over all tokens of an answer.
        tokens = sum(repeat.output_tokens for repeat in new.repeats) / max(new.answers, 1)
        lag /= max(tokens - 1, 1)
    return max(_FLOORS[name], lag)


def _verdict(change: float, sure: Interval | None, matters: float, *, more: bool) -> str:
    if sure is None:
        return UNCLEAR
    if (sure.low > 0 or sure.high < 0) and abs(change) >= matters:
        return BETTER if (change > 0) == more else WORSE
    return SAME if sure.low >= -_ALIKE and sure.high <= _ALIKE else UNCLEAR


def _pairs(
    before: Sequence[Level], after: Sequence[Level]
) -> tuple[list[tuple[Level, Level]], tuple[str, ...]]:
    olds = {level.load.name: level for level in before}
    news = {level.load.name: level for level in after}
    pairs = [(olds[name], level) for name, level in news.items() if name in olds]
    return pairs, tuple(sorted(olds.keys() ^ news.keys()))
