"""The engine of a log for people: what happened, where the GPU went, what one request may be."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from doctor.columns import columns, left, wrapped
from doctor.explain.answer import Answer
from doctor.explain.log.budget import Knob, Part, knobs_of, left_of, parts_of, tightest
from doctor.explain.log.engine import Start
from doctor.explain.log.numbers import Memory
from doctor.text import Text, _
from doctor.untrusted import visible

_WIDEST = 100
# A bar of many cells says more; the name, the size and the share stand beside it.
_BAR, _LEAST, _BESIDE, _NAME = 32, 8, 39, 17
_FULL, _EMPTY = "█", "░"
_NAMES = {
    "weights": _("weights"),
    "weights_and_runtime": _("weights, runtime"),
    "runtime": _("runtime, NCCL"),
    "activations": _("activations"),
    "cuda_graphs": _("CUDA graphs"),
    "kv_cache": _("KV cache"),
    "not_requested": _("not asked for"),
}

Say = Callable[[str], str]


def summary_of(told: Answer) -> Iterator[Text]:
    """What became of the starts, in a sentence or two; nothing for a text that is no log."""
    start = told.start
    if start is None:
        return
    if told.starts > 1 and told.failures:
        yield _(
            "{starts} starts in this log, {failures} of them failed. The last one begins in line"
            " {line} and counts.",
            starts=told.starts,
            failures=told.failures,
            line=start.line,
        )
    if told.seen:
        if told.starts > 1 and not told.last_failed:
            yield _("The last start came up; what follows is of an earlier one.")
        return
    if start.ready is not None:
        yield _("No fault found: the engine came up in line {line}.", line=start.ready)
    elif start.marks:
        yield _(
            "No fault found, and no end of the start: the log ends in line {line}, while the"
            " engine was still loading or without what it said last.",
            line=start.last_line,
        )
    else:
        yield _("No fault found in these lines of an engine.")


def picture_of(start: Start, say: Say, width: int = _WIDEST) -> Iterator[str]:
    """Lines of at most ``width`` columns; none where the log tells no numbers."""
    found = tightest(start)
    if found is not None:
        yield from _memory(*found, start, say, width)
    for text in _cache(start, say):
        yield from wrapped(text, width, "", "  ") or [""]
    if found is not None:
        yield from _knobs(knobs_of(start, found[1]), say, width)


def _memory(process: str, memory: Memory, start: Start, say: Say, width: int) -> Iterator[str]:
    parts = parts_of(memory)
    spare = left_of(memory)
    if not parts or (len(parts) == 1 and memory.total is None):
        return
    known = sum(part.gib for part in parts if part.gib > 0)
    whole = memory.total or known
    if whole <= 0:
        return
    several = len(start.memory) > 1
    if start.kv.device == "CPU":
        several = False
    head = (
        _(
            "GPU memory of {process}, the tightest of {count}",
            process=visible(process or "?", 40),
            count=len(start.memory),
        )
        if several
        else _("Memory of the machine")
        if start.kv.device == "CPU"
        else _("GPU memory")
    )
    total = f", {memory.total:.2f} GiB" if memory.total else ""
    share = f" × {memory.utilization:g}" if memory.utilization else ""
    yield from wrapped(f"{say(head)}{total}{share}", width, "", "  ")
    bar = max(_LEAST, min(_BAR, width - _BESIDE))
    for part in (*parts, *((spare,) if spare is not None else ())):
        yield _bar(part, whole, bar, say)
    if spare is None and memory.total is None:
        yield from wrapped(say(_("The log does not tell how large the GPU is.")), width, "  ", "  ")
    yield ""


def _bar(part: Part, whole: float, length: int, say: Say) -> str:
    cells = max(0, min(length, round(part.gib / whole * length)))
    bar = (_FULL * cells).ljust(length, _EMPTY)
    percent = f"{part.gib / whole * 100:.0f} %"
    name = left(say(_NAMES[part.name]), _NAME)
    return f"  {name} {bar} {part.gib:>7.2f} GiB {percent:>6}"


def _cache(start: Start, say: Say) -> Iterator[str]:
    kv = start.kv
    if kv.tokens is not None or kv.blocks is not None:
        size = (
            _("{tokens:,} tokens", tokens=kv.tokens)
            if kv.tokens is not None
            else _("{blocks:,} blocks", blocks=kv.blocks)
        )
        text = _("KV cache: {size}", size=size)
        if kv.concurrency is not None and kv.window:
            text = _(
                "KV cache: {size}, {times:g} requests of the full window of {window:,}",
                size=size,
                times=kv.concurrency,
                window=kv.window,
            )
        yield say(text)
    if kv.auto_fit_from is not None and kv.window is not None:
        yield say(
            _(
                "The window was cut from {before:,} to {now:,} to fit",
                before=kv.auto_fit_from,
                now=kv.window,
            )
        )
    if kv.hybrid_off:
        yield say(
            _(
                "The hybrid cache manager is off: layers with a sliding window take as much as"
                " full ones"
            )
        )
    load = start.load
    if load.samples:
        yield say(
            _(
                "While it ran: KV cache up to {percent:g} %, up to {waiting} requests waiting",
                percent=load.peak_kv_percent,
                waiting=load.peak_waiting,
            )
        )
    if kv.tokens is not None or kv.blocks is not None or load.samples:
        yield ""


def _knobs(knobs: tuple[Knob, ...], say: Say, width: int) -> Iterator[str]:
    if not knobs:
        return
    yield from wrapped(say(_("What gives KV cache back, by the numbers of this log:")), width)
    told = []
    for knob in knobs:
        gained = []
        if knob.gib is not None:
            gained.append(f"+{knob.gib:.2f} GiB")
        if knob.tokens is not None:
            gained.append(say(_("about +{tokens:,} tokens", tokens=knob.tokens)))
        told.append((knob.flag, f"{', '.join(gained)}  ({say(knob.text)})"))
    lines = [f"  {flag:<34} {text}" for flag, text in told]
    if max(map(columns, lines)) <= width:
        yield from lines
    else:
        for flag, text in told:
            yield f"  {flag}"
            yield from wrapped(text, width, "      ", "      ")
    yield ""
