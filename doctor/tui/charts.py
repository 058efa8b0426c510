"""What the live screen draws of an engine: one drawing per figure, from the samples so far."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from doctor.enginemetrics.now import KV_BAND
from doctor.enginemetrics.sample import Gap, Sample
from doctor.render.samples import count, share, span
from doctor.text import Text, _
from doctor.tui import signs
from doctor.tui.widgets.chart import Bound, Drawing

Say = Callable[[str], str]
History = Sequence[Sample | Gap]
Values = tuple[float | None, ...]

NAMES = ("kv", "requests", "ttft", "tokens", "hits", "throughput")


def drawings(history: History, say: Say) -> dict[str, Drawing]:
    """By the names in ``NAMES``."""
    last = history[-1] if history and isinstance(history[-1], Sample) else Sample(0.0)
    return {
        "kv": _kv(history, last, say),
        "requests": _requests(history, last, say),
        "ttft": _latency(
            _("First token"), _each(history, "ttft_p50"), _each(history, "ttft_p95"), say
        ),
        "tokens": _latency(
            _("Between tokens"),
            _each(history, "inter_token_p50"),
            _each(history, "inter_token_p95"),
            say,
        ),
        "hits": _hits(history, last, say),
        "throughput": _throughput(history, last, say),
    }


def _each(history: History, name: str) -> Values:
    return tuple(None if isinstance(s, Gap) else getattr(s, name) for s in history)


def _kv(history: History, last: Sample, say: Say) -> Drawing:
    word, style = _state(last)
    notes = [say(word)] if word else []
    if last.preempted:
        notes.append(say(_("{n} preempted", n=count(last.preempted))))
    return Drawing(
        title=say(_("KV cache")),
        value=share(last.kv_usage),
        note=" · ".join(notes),
        style=style,
        low=_each(history, "kv_usage"),
        styles=tuple(_colour(sample) for sample in history),
        bounds=tuple(Bound(value, f"{value:.0%}") for value in reversed(KV_BAND)),
    )


def _state(last: Sample) -> tuple[Text | str, str]:
    """Where the use lies: no colour without a word."""
    if last.kv_usage is None:
        return _("not exposed") if last.engines else "", signs.QUIET
    if last.saturated:
        return _("full"), signs.BROKEN
    if last.kv_usage > KV_BAND[1]:
        return _("above the band"), signs.DOUBT
    return (_("in the band"), signs.GOOD) if last.kv_usage >= KV_BAND[0] else ("", "$accent")


def _colour(sample: Sample | Gap) -> str:
    """A column's own: one sees when it was too much."""
    if isinstance(sample, Gap) or sample.kv_usage is None:
        return signs.QUIET
    if sample.saturated:
        return "$error"
    if sample.kv_usage > KV_BAND[1]:
        return "$warning"
    return "$success" if sample.kv_usage >= KV_BAND[0] else "$accent"


def _requests(history: History, last: Sample, say: Say) -> Drawing:
    running, waiting = _each(history, "running"), _each(history, "waiting")
    both = tuple(
        None if one is None and two is None else (one or 0) + (two or 0)
        for one, two in zip(running, waiting, strict=True)
    )
    top = top_of(both)
    queue: Text | str = _("none waiting") if last.waiting == 0 else ""
    if last.waiting:
        queue = _("{n} waiting", n=count(last.waiting))
    return Drawing(
        title=say(_("Requests")),
        value=say(_("{n} running", n=count(last.running))),
        note=say(queue) if queue else "",
        style="$accent",
        low=running,
        high=both if any(waiting) else (),
        high_style=signs.DOUBT,
        top=top,
        top_label=count(top) if any(both) else "",
    )


def _latency(title: Text, low: Values, high: Values, say: Say) -> Drawing:
    """The median, and above it the slowest twentieth."""
    p50 = low[-1] if low else None
    p95 = high[-1] if high else None
    top = top_of(high)
    return Drawing(
        title=say(title),
        value=span(p50),
        note=say(_("p95 {time}", time=span(p95))) if p95 is not None else "",
        style="$accent",
        low=low,
        high=high,
        top=top,
        top_label=short(top) if any(high) else "",
    )


def _hits(history: History, last: Sample, say: Say) -> Drawing:
    return Drawing(
        title=say(_("Prefix hits")),
        value=share(last.hit_rate),
        note=say(_("of prompt tokens")) if last.hit_rate is not None else "",
        style="$accent",
        low=_each(history, "hit_rate"),
        top_label="100%",
    )


def _throughput(history: History, last: Sample, say: Say) -> Drawing:
    generated = _each(history, "generation_rate")
    top = top_of(generated)
    return Drawing(
        title=say(_("Output")),
        value=say(_("{n} tokens/s", n=count(last.generation_rate))),
        note=say(_("in {n}/s", n=count(last.prompt_rate))) if last.prompt_rate is not None else "",
        style="$accent",
        low=generated,
        top=top,
        top_label=thousands(top) if any(generated) else "",
    )


def top_of(values: Values) -> float:
    """The next of 1, 2 or 5 times a power of ten: an edge that does not move with every sample."""
    most = max((value for value in values if value is not None), default=0.0)
    if most <= 0:
        return 1.0
    step = 10.0 ** len(str(int(most))) / 10 if most >= 1 else 0.0001
    while True:
        for factor in (1, 2, 5):
            if most <= factor * step:
                return factor * step
        step *= 10


def short(seconds: float) -> str:
    return f"{seconds:g}s" if seconds >= 1 else f"{seconds * 1000:g}ms"


def thousands(number: float) -> str:
    return f"{number / 1000:g}k" if number >= 1000 else f"{number:g}"
