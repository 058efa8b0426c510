"""A run for people: a table of loads, bars, the knee, what changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from doctor.bench.compare import (
    BETTER,
    SAME,
    UNCLEAR,
    WORSE,
    Comparison,
    Difference,
    GpuChange,
    overhead_of,
)
from doctor.bench.figures import Level
from doctor.bench.gpus import GpuUse
from doctor.bench.knee import Knee, Limit
from doctor.bench.running import Run
from doctor.columns import columns, right
from doctor.render.lines import Lines
from doctor.render.samples import NONE, count, share, span
from doctor.text import Text, _

_BAR = 32
# From here on a change is told as how many times as much.
_FOLD = 9
_ROWS: tuple[tuple[Text, int, Callable[[Level], str]], ...] = (
    (_("load"), 7, lambda level: level.load.name),
    (_("answers"), 8, lambda level: f"{level.answers:,}"),
    (_("failed"), 7, lambda level: f"{level.failures:,}"),
    (_("out tok/s"), 10, lambda level: rate(level.output_rate)),
    (_("all tok/s"), 10, lambda level: rate(level.total_rate)),
    (_("TTFT p50"), 9, lambda level: share_of(level, "ttft", "p50")),
    (_("p90"), 8, lambda level: share_of(level, "ttft", "p90")),
    (_("p99"), 8, lambda level: share_of(level, "ttft", "p99")),
    (_("TPOT p50"), 9, lambda level: share_of(level, "tpot", "p50")),
    (_("p99"), 8, lambda level: share_of(level, "tpot", "p99")),
)
_MORE: tuple[tuple[Text, int, Callable[[Level], str]], ...] = (
    (_("load"), 7, lambda level: level.load.name),
    (_("between tokens p50"), 19, lambda level: share_of(level, "inter_token", "p50")),
    (_("p90"), 8, lambda level: share_of(level, "inter_token", "p90")),
    (_("p99"), 8, lambda level: share_of(level, "inter_token", "p99")),
    (_("whole p50"), 10, lambda level: share_of(level, "latency", "p50")),
    (_("p90"), 8, lambda level: share_of(level, "latency", "p90")),
    (_("p99"), 8, lambda level: share_of(level, "latency", "p99")),
    (_("TTFT p50 at 95 %"), 20, lambda level: _sure(level)),
)
_GPU_ROWS: tuple[tuple[Text, int, Callable[[GpuUse], str]], ...] = (
    (_("GPU"), 5, lambda use: f"{use.index}"),
    (_("most memory"), 20, lambda use: f"{gibibytes(use.used)} / {gibibytes(use.total)}"),
    (_("busy"), 6, lambda use: share(use.busy)),
    (_("slowed by power"), 17, lambda use: share(use.power)),
    (_("by heat"), 9, lambda use: share(use.heat)),
)
_GIB = 2**30
_FIGURES = {
    "ttft": _("TTFT p50"),
    "tpot": _("TPOT p50"),
    "latency": _("whole p50"),
    "output_rate": _("out tok/s"),
}
VERDICTS = {
    BETTER: _("better"),
    WORSE: _("worse"),
    SAME: _("the same"),
    UNCLEAR: _("not decided"),
}


def rate(value: float) -> str:
    """Per second, with as many digits as say something."""
    return count(value) if value >= 100 else f"{value:.1f}"


def gibibytes(value: int | None) -> str:
    """Bytes of a GPU's memory as people read them."""
    return NONE if value is None else f"{value / _GIB:.1f} GiB"


def tell(
    lines: Lines, run: Run, comparison: Comparison | None, overhead: Sequence[Difference]
) -> None:
    """Everything about ``run``."""
    lines.wrap(_what(run))
    lines.line("")
    _tables(lines, run.levels)
    _failures(lines, run.levels)
    if len(run.levels) > 1:
        _bars(lines, run.levels)
    if run.knee is not None:
        _knee(lines, run)
    if run.through_url:
        _through(lines, run, overhead)
    if comparison is not None:
        tell_comparison(lines, comparison)
    for note in run.notes:
        lines.wrap(note, hang=2)


def tell_in_words(lines: Lines, run: Run, comparison: Comparison | None) -> None:
    """What the figures come to, for who shows the figures in another way."""
    if comparison is not None:
        tell_comparison(lines, comparison)
    if run.knee is not None:
        _knee(lines, run)
    if run.through_url:
        lines.wrap(_("The same through {url}:", url=run.through_url))
        _differences(lines, overhead_of(run))
        lines.line("")
    _failures(lines, run.levels)
    for note in run.notes:
        lines.wrap(note, hang=2)
    lines.wrap(_what(run))


def _what(run: Run) -> Text:
    return _(
        "{model} at {server}: {requests} requests, {tokens} tokens",
        model=run.setup.get("model", ""),
        server=run.setup.get("server", ""),
        requests=f"{run.requests:,}",
        tokens=f"{run.spent:,}",
    )


def _tables(lines: Lines, levels: Sequence[Level]) -> None:
    for rows in (_ROWS, _MORE):
        # As wide as a head is in the reader's language, at least.
        heads = [lines.say(head) for head, _width, _of in rows]
        widths = [
            max(width, columns(head) + 1)
            for head, (_head, width, _of) in zip(heads, rows, strict=True)
        ]
        lines.line("".join(map(right, heads, widths)))
        for level in levels:
            cells = (of(level) for _head, _width, of in rows)
            lines.line("".join(map(right, cells, widths)))
        lines.line("")
    _gpus(lines, levels)


def _gpus(lines: Lines, levels: Sequence[Level]) -> None:
    """The engine's GPUs at each load; nothing where none was looked at."""
    rows = [(level.load.name, use) for level in levels for use in level.gpus]
    if not rows:
        return
    heads = "".join(right(lines.say(head), width) for head, width, _of in _GPU_ROWS)
    lines.line(right(lines.say(_("load")), 7) + heads)
    for load, use in rows:
        lines.line(load.rjust(7) + "".join(of(use).rjust(width) for _h, width, of in _GPU_ROWS))
    lines.line("")


def _failures(lines: Lines, levels: Sequence[Level]) -> None:
    for level in levels:
        if level.failures:
            kinds = ", ".join(f"{name} {number}" for name, number in level.errors.items())
            said = next((repeat.said for repeat in level.repeats if repeat.said), "")
            lines.wrap(
                _("{load}: failed: {kinds}. {said}", load=level.load.name, kinds=kinds, said=said)
            )


_BARS: tuple[tuple[Text, Callable[[Level], float], Callable[[float], str]], ...] = (
    (_("output tokens/s"), lambda level: level.output_rate, rate),
    (_("first token, p50"), lambda level: level.median("ttft") or 0.0, span),
)


def _bars(lines: Lines, levels: Sequence[Level]) -> None:
    for head, of, show in _BARS:
        lines.line(lines.say(head))
        most = max(of(level) for level in levels) or 1.0
        for level in levels:
            bar = "█" * round(of(level) / most * _BAR)
            lines.line(f"{level.load.name:>7} {bar} {show(of(level))}")
        lines.line("")


def _knee(lines: Lines, run: Run) -> None:
    knee = run.knee
    assert knee is not None, "told only where there is one"
    lines.wrap(knee_told(knee))
    if knee.limit is not None:
        lines.wrap(limit_told(knee.limit), hang=2)
    lines.line("")


def knee_told(knee: Knee) -> Text:
    """Where it is, or that there was none."""
    if not knee.reached:
        return _("Throughput still grew at the largest load: no limit was reached.")
    return _(
        "The knee is at {load}: {rate} output tokens/s; a larger load brings no more, only"
        " longer waits.",
        load=knee.load,
        rate=rate(knee.output_rate),
    )


def limit_told(limit: Limit) -> Text:
    """What holds the largest load back."""
    return _("Limit: {text}.", text=limit.text)


def _through(lines: Lines, run: Run, overhead: Sequence[Difference]) -> None:
    lines.wrap(_("The same through {url}:", url=run.through_url))
    lines.line("")
    _tables(lines, run.through)
    _failures(lines, run.through)
    lines.wrap(_("What that way adds:"))
    _differences(lines, overhead)
    lines.line("")


def tell_comparison(lines: Lines, comparison: Comparison) -> None:
    """Against a kept run."""
    lines.wrap(_("Against {name}:", name=comparison.name))
    if not comparison.changed:
        lines.wrap(_("Nothing that is known of how they were made has changed."), indent=2)
    for change in comparison.changed:
        lines.wrap(
            _(
                "{name}: {before} → {after}",
                name=change.name,
                before=change.before or NONE,
                after=change.after or NONE,
            ),
            indent=2,
            hang=2,
        )
    _differences(lines, comparison.differences)
    for gpu in comparison.gpus:
        lines.wrap(_gpu_told(gpu), indent=2, hang=2)
    if comparison.missing:
        lines.wrap(_("In one run only: {loads}.", loads=", ".join(comparison.missing)), indent=2)
    if comparison.once:
        lines.wrap(
            _(
                "One repeat tells nothing of how much runs differ by themselves: only changes of"
                " 10 % and more are judged. --repeats 3 would settle more."
            ),
            indent=2,
        )
    verdict = VERDICTS[comparison.verdict]
    lines.wrap(_("Altogether: {verdict}.", verdict=verdict), indent=2)
    lines.line("")


def _gpu_told(change: GpuChange) -> Text:
    return _(
        "GPU {index} at {load}: memory {before} → {after}, busy {then} → {now}",
        index=change.after.index,
        load=change.load,
        before=gibibytes(change.before.used),
        after=gibibytes(change.after.used),
        then=share(change.before.busy),
        now=share(change.after.busy),
    )


def _differences(lines: Lines, differences: Sequence[Difference]) -> None:
    for found in differences:
        show = rate if found.figure == "output_rate" else span
        sure = "" if found.sure is None else f" ({found.sure.low:+.0%} … {found.sure.high:+.0%})"
        text = _(
            "{figure} at {load}: {before} → {after}, {change}{sure}: {verdict}",
            figure=_FIGURES[found.figure],
            load=found.load,
            before=show(found.before),
            after=show(found.after),
            change=f"{found.change:+.1%}" if found.change < _FOLD else f"× {found.change + 1:,.0f}",
            sure=sure,
            verdict=VERDICTS[found.verdict],
        )
        lines.wrap(text, indent=2, hang=2)


def tell_kept(lines: Lines, kept: Sequence[tuple[str, Run]]) -> None:
    """A table of kept runs."""
    if not kept:
        lines.wrap(_("No run is kept yet: --save NAME keeps one."))
        return
    for name, run in kept:
        best = max(run.levels, key=lambda level: level.output_rate, default=None)
        first = run.levels[0] if run.levels else None
        lines.wrap(
            _(
                "{name}: {started}, {model} at {server}; {rate} output tokens/s at {load}, TTFT"
                " p50 {ttft} at {small}",
                name=name,
                started=run.started,
                model=run.setup.get("model", ""),
                server=run.setup.get("server", ""),
                rate=NONE if best is None else rate(best.output_rate),
                load=NONE if best is None else best.load.name,
                ttft=NONE if first is None else span(first.median("ttft")),
                small=NONE if first is None else first.load.name,
            ),
            hang=2,
        )


def share_of(level: Level, name: str, share: str) -> str:
    """A quantile of one kind of times: ``share_of(level, "ttft", "p50")``."""
    held = level.times.get(name)
    return span(None if held is None else held.shares[share].value)


def _sure(level: Level) -> str:
    held = level.times.get("ttft")
    known = None if held is None else held.shares["p50"].interval
    return NONE if known is None else f"{span(known.low)}–{span(known.high)}"
