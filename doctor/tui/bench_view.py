"""A benchmark as the app shows it: what was heard of it, its charts and its rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from doctor.bench.beside import Beside, Gauges
from doctor.bench.figures import Level
from doctor.bench.gpus import GpuUse
from doctor.bench.progress import Looked, Measured, Progress
from doctor.bench.running import Run
from doctor.bench.told import gibibytes, rate, share_of
from doctor.render.samples import NONE, count, share, span
from doctor.text import Text, _
from doctor.tui import signs
from doctor.tui.benching import Heard
from doctor.tui.charts import Say, short, thousands, top_of
from doctor.tui.widgets.level_table import Head, LevelRow
from doctor.tui.widgets.load_chart import Bar, LoadDrawing

CHARTS = ("output", "first", "each", "engine")


@dataclass(slots=True)
class BenchView:
    """``run`` is there when it is over. ``now`` is the load that is put on at this moment, and
    ``gauges`` what the engine has last said."""

    levels: list[Level] = field(default_factory=list)
    now: Progress | None = None
    gauges: Gauges | None = None
    run: Run | None = None

    def apply(self, heard: Heard) -> None:
        match heard:
            case Progress():
                self.now = heard
            case Looked(gauges=gauges):
                self.gauges = gauges
            case Measured(level=level):
                self.levels.append(level)
                self.now = None
            case Run():
                self.levels = list(heard.levels)
                self.now, self.run = None, heard

    @property
    def knee(self) -> str:
        """The name of the load where it is, "" where none was reached."""
        knee = self.run.knee if self.run is not None else None
        return knee.load if knee is not None and knee.reached else ""

    @property
    def rate_now(self) -> float | None:
        """Output tokens per second of the load that is put on."""
        if self.now is None or not self.now.tokens:
            return None
        return self.now.tokens / max(self.now.seconds, 0.001)


def drawings(view: BenchView, say: Say) -> dict[str, LoadDrawing]:
    """By the names in ``CHARTS``."""
    now = view.now
    return {
        "output": _drawing(
            view, say(_("Output")), _output(view, say), "", (view.rate_now, None), _rate, thousands
        ),
        "first": _drawing(
            view,
            say(_("First token")),
            *_median(view, "ttft", say),
            (now.ttft if now is not None else None, None),
            _of_times("ttft"),
            short,
        ),
        "each": _drawing(
            view,
            say(_("Per token")),
            *_median(view, "tpot", say),
            (now.tpot if now is not None else None, None),
            _of_times("tpot"),
            short,
        ),
        "engine": _engine(view, say),
    }


Ends = tuple[float | None, float | None]


def _drawing(
    view: BenchView,
    title: str,
    value: str,
    key: str,
    now: Ends,
    of: Callable[[Level], Ends],
    label: Callable[[float], str],
) -> LoadDrawing:
    bars = [Bar(level.load.name, *of(level), marked=level.load.name == view.knee)
            for level in view.levels]  # fmt: skip
    if view.now is not None:
        bars.append(Bar(view.now.load.name, *now, under_way=True))
    top = top_of(tuple(value for bar in bars for value in (bar.low, bar.high)))
    return LoadDrawing(title, value, key, tuple(bars), top, label(top) if bars else "")


def _rate(level: Level) -> Ends:
    return level.output_rate, None


def _of_times(name: str) -> Callable[[Level], Ends]:
    def of(level: Level) -> Ends:
        held = level.times.get(name)
        return (
            (None, None) if held is None else (held.shares["p50"].value, held.shares["p90"].value)
        )

    return of


def _output(view: BenchView, say: Say) -> str:
    """While a load is put on its own rate, after that the best one."""
    if view.now is not None:
        here = view.now.load.name
        told = NONE if view.rate_now is None else rate(view.rate_now)
        return say(_("{rate} tokens/s at {load}", rate=told, load=here))
    best = max(view.levels, key=lambda level: level.output_rate, default=None)
    if best is None:
        return NONE
    return say(_("up to {rate} tokens/s", rate=rate(best.output_rate)))


def _median(view: BenchView, name: str, say: Say) -> tuple[str, str]:
    """That of the load that is put on, else of the last one; and where its whisker ends."""
    now: float | None = getattr(view.now, name) if view.now is not None else None
    if view.now is not None and now is not None:
        return say(_("{time} at {load}", time=span(now), load=view.now.load.name)), ""
    if not view.levels:
        return NONE, ""
    last = view.levels[-1]
    value = say(_("{time} at {load}", time=span(last.median(name)), load=last.load.name))
    return value, say(_("│ p90 {time}", time=share_of(last, name, "p90")))


def _engine(view: BenchView, say: Say) -> LoadDrawing:
    """What ran and what waited, the most at each load."""
    title = say(_("Engine"))
    told = [beside for level in view.levels for beside in _besides(level)]
    if view.gauges is None and not told:
        text = say(_("no metrics")) if view.levels or view.now is not None else NONE
        return LoadDrawing(title, text, "", ())
    now = view.gauges if view.run is None else None
    if now is not None:
        running, waiting, usage = now.running, now.waiting, now.kv_usage
    else:
        running, waiting, usage = (_most(told, name) for name in ("running", "waiting", "kv_usage"))
    value = say(_("{n} run", n=count(running)))
    key = say(_("│ {n} wait · KV {share}", n=count(waiting), share=share(usage)))
    ends = (now.running, _both(now.running, now.waiting)) if now is not None else (None, None)
    return _drawing(view, title, value, key, ends, _of_engine, thousands)


def _besides(level: Level) -> list[Beside]:
    return [repeat.engine for repeat in level.repeats if repeat.engine is not None]


def _most(besides: Sequence[Beside], name: str) -> float | None:
    values = [getattr(beside, name) for beside in besides]
    return max((value for value in values if value is not None), default=None)


def _of_engine(level: Level) -> Ends:
    besides = _besides(level)
    running, waiting = _most(besides, "running"), _most(besides, "waiting")
    return running, _both(running, waiting)


def _both(running: float | None, waiting: float | None) -> float | None:
    return None if running is None or not waiting else running + waiting


# ------------------------------------------------------------------ the table


@dataclass(frozen=True, slots=True)
class _Column:
    head: Text
    rank: int
    of: Callable[[Level], str]


def _share(name: str, part: str) -> Callable[[Level], str]:
    return lambda level: share_of(level, name, part)


def _engine_column(name: str, show: Callable[[float | None], str]) -> Callable[[Level], str]:
    return lambda level: show(_most(_besides(level), name))


def _gpu_memory(level: Level) -> str:
    """The most that was held on one device."""
    used = [gpu.used for gpu in level.gpus if gpu.used is not None]
    return gibibytes(max(used, default=None))


# What is left out first, where there is no room, has the largest rank.
_COLUMNS = (
    _Column(_("load"), 0, lambda level: level.load.name),
    _Column(_("answers"), 5, lambda level: f"{level.answers:,}"),
    _Column(_("failed"), 2, lambda level: f"{level.failures:,}"),
    _Column(_("out tok/s"), 0, lambda level: rate(level.output_rate)),
    _Column(_("TTFT p50"), 0, _share("ttft", "p50")),
    _Column(_("p90"), 3, _share("ttft", "p90")),
    _Column(_("p99"), 1, _share("ttft", "p99")),
    _Column(_("TPOT p50"), 0, _share("tpot", "p50")),
    _Column(_("p90"), 3, _share("tpot", "p90")),
    _Column(_("p99"), 1, _share("tpot", "p99")),
    _Column(_("whole p50"), 6, _share("latency", "p50")),
    _Column(_("p99"), 6, _share("latency", "p99")),
    _Column(_("run"), 4, _engine_column("running", count)),
    _Column(_("wait"), 4, _engine_column("waiting", count)),
    _Column(_("KV"), 4, _engine_column("kv_usage", share)),
    _Column(_("GPU memory"), 5, lambda level: _gpu_memory(level)),
)


def _shown(view: BenchView) -> list[_Column]:
    """GPUs have a column only where they were looked at."""
    gpus = any(level.gpus for level in view.levels)
    return list(_COLUMNS if gpus else _COLUMNS[:-1])


def heads(view: BenchView, say: Say) -> list[Head]:
    return [Head(say(column.head), column.rank) for column in _shown(view)]


def rows(view: BenchView) -> list[LevelRow]:
    """A row for each load that is over."""
    shown = _shown(view)
    return [_row(level, shown, level.load.name == view.knee) for level in view.levels]


def _row(level: Level, shown: Sequence[_Column], knee: bool) -> LevelRow:
    symbol, style = ("◆", signs.KEY) if knee else (" ", "")
    if level.failures:
        symbol, style = "✗", signs.BROKEN
    return LevelRow(level.load.name, tuple(column.of(level) for column in shown), symbol, style)


# ------------------------------------------------------------------ one level


_TIMES = (
    ("ttft", _("time to the first token")),
    ("tpot", _("time per token after it")),
    ("inter_token", _("between tokens")),
    ("latency", _("whole answer")),
)


def figures_of(level: Level) -> list[tuple[str, str]]:
    """Everything about a load, as names and values."""
    found: list[tuple[str, str]] = [
        (_("answers"), f"{level.answers:,}"),
        (_("failed"), _failed(level)),
        (_("output tokens/s"), _sure_rate(level)),
        (_("all tokens/s"), rate(level.total_rate)),
        (_("answers/s"), f"{level.request_rate:.2f}"),
    ]
    found += [(label, _shares(level, name)) for name, label in _TIMES]
    besides = _besides(level)
    if besides:
        found += [
            (_("running, waiting at most"), f"{count(_most(besides, 'running'))}, "
             f"{count(_most(besides, 'waiting'))}"),
            (_("KV cache at most"), share(_most(besides, "kv_usage"))),
            (_("preempted"), count(sum(beside.preempted or 0 for beside in besides))),
        ]  # fmt: skip
    found += [(_("GPU {n}", n=gpu.index), _gpu(gpu)) for gpu in level.gpus]
    return found


def _gpu(gpu: GpuUse) -> Text:
    return _(
        "{used} of {total} held at most, busy {busy}, slowed by power {power}, by heat {heat}",
        used=gibibytes(gpu.used),
        total=gibibytes(gpu.total),
        busy=share(gpu.busy),
        power=share(gpu.power),
        heat=share(gpu.heat),
    )


def _failed(level: Level) -> str:
    kinds = ", ".join(f"{name} {number:,}" for name, number in level.errors.items())
    said = next((repeat.said for repeat in level.repeats if repeat.said), "")
    text = f"{level.failures:,}: {kinds}" if kinds else "0"
    return f"{text} ({said})" if said else text


def _sure_rate(level: Level) -> str:
    text = rate(level.output_rate)
    if level.sure is None:
        return text
    return f"{text} ({rate(level.sure.low)}–{rate(level.sure.high)})"


def _shares(level: Level, name: str) -> str:
    held = level.times.get(name)
    if held is None:
        return NONE
    told = []
    for part, one in held.shares.items():
        known = one.interval
        sure = "" if known is None else f" ({span(known.low)}–{span(known.high)})"
        told.append(f"{part} {span(one.value)}{sure}")
    return ", ".join(told)
