"""What holds a server back at a load that brings no more than a smaller one did."""

from __future__ import annotations

from collections.abc import Sequence

from doctor.bench.beside import Gauges
from doctor.bench.capacity import Capacity, filled, prefills
from doctor.bench.figures import Level
from doctor.bench.gpus import GpuUse, busiest
from doctor.enginemetrics.now import KV_FULL
from doctor.models import Confidence
from doctor.records import dataclass
from doctor.text import Text, _

# The engine is at a fixed number of requests in this share of the looks while others wait.
_STEADY = 0.7
# The same, where it is known to be as many as may run.
_AT_SLOTS = 0.25
# Steps of the engine that are filled to this share on average are full ones: between prompts lie
# steps with less. Below the other one, there was room.
_FULL_STEP = 0.6
_EMPTY_STEP = 0.3
_SLOWER = 1.3
# The engine holds fewer requests than this share of those that were sent.
_UPSTREAM = 0.6
_ENOUGH_LOOKS = 4
# A GPU that has something to do in this share of the time has no time left; below the other, it is
# kept waiting by what runs on the CPU.
_BUSY = 0.9
_IDLE = 0.5
# Clocks that are held down in this share of the looks are worth a word.
_SLOWED = 0.5


@dataclass(frozen=True, slots=True)
class Limit:
    """``kind``: kv-cache, max-num-seqs, batch-tokens, compute, host (the engine's CPU side),
    gateway, rate-limit, queue, client (this machine, so nothing is known of the server) or unknown.
    ``at`` is the number of requests at once, where the limit is one of that."""

    kind: str
    confidence: Confidence
    text: Text
    at: int | None = None


def limit_of(level: Level, small: Level, capacity: Capacity) -> Limit:
    """What holds ``level`` back, by what the engine said; ``small`` is a load that it bears."""
    if any(error in ("http-429", "http-503") for error in level.errors):
        return Limit(
            "rate-limit",
            Confidence.HIGH,
            _("requests were turned away: {errors}", errors=", ".join(level.errors)),
        )
    looks = [g for r in level.repeats if r.engine is not None for g in r.engine.looks]
    told = [g for g in looks if g.running is not None and g.waiting is not None]
    if len(told) < _ENOUGH_LOOKS:
        return _of_client(level) or _without_metrics(level, small)
    kv = max((g.kv_usage for g in looks if g.kv_usage is not None), default=0.0)
    queue = [g for g in told if g.waiting]
    preempted = sum((r.engine.preempted or 0) for r in level.repeats if r.engine is not None)
    if preempted or (queue and kv >= KV_FULL):
        return Limit(
            "kv-cache",
            Confidence.HIGH,
            _(
                "the KV cache is full: {kv} used, {preempted} requests preempted, up to {waiting}"
                " waiting",
                kv=f"{kv:.0%}",
                preempted=f"{preempted:.0f}",
                waiting=f"{max((g.waiting or 0) for g in told):.0f}",
            ),
        )
    if len(queue) >= max(len(told) // 4, 2):
        return _queued(level, told, kv, capacity)
    # A queue is one however late the client looks; that nobody waits may be its own doing.
    return _of_client(level) or _unqueued(
        level, small, max(g.running or 0 for g in told), kv, capacity
    )


def _of_client(level: Level) -> Limit | None:
    if not level.limited_by_client:
        return None
    text = _(
        "this machine itself: the client was up to {late} ms late (P99), so what the server could"
        " do is not known; run it from another machine, or when this one has less to do",
        late=f"{level.lag * 1000:.0f}",
    )
    return Limit("client", Confidence.HIGH, text)


def _queued(level: Level, looks: Sequence[Gauges], kv: float, capacity: Capacity) -> Limit:
    """While requests wait though the KV cache has room. What the launch line allows settles it;
    else it is told by how steady the number is that runs."""
    running = [g.running or 0 for g in looks if g.waiting]
    most, waiting = max(g.running or 0 for g in looks), max(g.waiting or 0 for g in looks)
    slots = capacity.slots
    if slots is not None and most > slots:
        slots = None  # several engines, each with as many
    steady = sum(value == most for value in running) / len(running)
    if slots == most:
        # Between an end and the next beginning there are fewer: with short answers, at most looks.
        return _slots(most, waiting, kv, _sure(steady >= _AT_SLOTS))
    share = filled(level, capacity)
    if share is not None and share >= _FULL_STEP:
        return _full_steps(share, capacity, most, kv)
    if share is not None and share < _EMPTY_STEP and slots is not None:
        text = _(
            "not known: up to {waiting} requests wait though {kv} of the KV cache is used, at most"
            " {running} of --max-num-seqs {slots} run, and a step works off {share} of"
            " --max-num-batched-tokens {step}",
            waiting=f"{waiting:.0f}",
            kv=f"{kv:.0%}",
            running=f"{most:.0f}",
            slots=slots,
            share=f"{share:.0%}",
            step=capacity.step,
        )
        return Limit("unknown", Confidence.LOW, text)
    if slots is not None:
        text = _(
            "likely --max-num-batched-tokens: requests wait though {kv} of the KV cache is used at"
            " most and at most {running} of --max-num-seqs {slots} run; prompts are worked off in"
            " portions of that size",
            kv=f"{kv:.0%}",
            running=f"{most:.0f}",
            slots=slots,
        )
        return Limit("batch-tokens", Confidence.LOW, text)
    if steady >= _STEADY and not prefills(level):
        return _slots(most, waiting, kv, _sure(steady >= 0.9 and len(running) >= 10))
    text = _(
        "requests wait though {kv} of the KV cache is used: up to {running} run while up to"
        " {waiting} wait, likely for --max-num-seqs, or with long prompts for"
        " --max-num-batched-tokens; the engine's launch line would tell which",
        kv=f"{kv:.0%}",
        running=f"{most:.0f}",
        waiting=f"{waiting:.0f}",
    )
    return Limit("queue", Confidence.LOW, text)


def _sure(sure: bool) -> Confidence:
    return Confidence.HIGH if sure else Confidence.MEDIUM


def _slots(most: float, waiting: float, kv: float, sure: Confidence) -> Limit:
    text = _(
        "likely --max-num-seqs: never more than {running} run at once while up to {waiting}"
        " wait, with {kv} of the KV cache used",
        running=f"{most:.0f}",
        waiting=f"{waiting:.0f}",
        kv=f"{kv:.0%}",
    )
    return Limit("max-num-seqs", sure, text, round(most))


def _full_steps(share: float, capacity: Capacity, most: float, kv: float) -> Limit:
    text = _(
        "likely --max-num-batched-tokens {step}: its steps are full, about {tokens} tokens each,"
        " and requests wait though {kv} of the KV cache is used and at most {running} run at once",
        step=capacity.step,
        tokens=f"{min(share, 1.0) * (capacity.step or 0):.0f}",
        kv=f"{kv:.0%}",
        running=f"{most:.0f}",
    )
    return Limit("batch-tokens", Confidence.MEDIUM, text)


def _unqueued(level: Level, small: Level, running: float, kv: float, capacity: Capacity) -> Limit:
    sent = level.load.concurrency
    few = sent is not None and 1 <= running < sent * _UPSTREAM
    if few and capacity.behind:
        text = _(
            "likely what stands before the engine: of {sent} requests at once it runs {running} at"
            " most, and none waits there",
            sent=sent,
            running=f"{running:.0f}",
        )
        return Limit("gateway", Confidence.MEDIUM, text)
    gpu = _gpu(level)
    slower = _grown(level, small, "tpot")
    if gpu is not None and (gpu.busy or 0.0) >= _BUSY:
        sure = Confidence.HIGH if (slower or 0.0) >= _SLOWER else Confidence.MEDIUM
        text = _(
            "likely compute: nobody waits, {kv} of the KV cache is used, and GPU {index} is busy"
            " {busy} of the time",
            kv=f"{kv:.0%}",
            index=gpu.index,
            busy=f"{gpu.busy:.0%}",
        )
        return Limit("compute", sure, _clocks(text, gpu))
    if gpu is not None and (gpu.busy or 0.0) < _IDLE:
        text = _(
            "likely the CPU of the engine's machine: nobody waits, {kv} of the KV cache is used,"
            " and GPU {index} has something to do in only {busy} of the time",
            kv=f"{kv:.0%}",
            index=gpu.index,
            busy=f"{gpu.busy:.0%}",
        )
        return Limit("host", Confidence.LOW, text)
    if slower is not None and slower >= _SLOWER:
        text = _(
            "likely compute: nobody waits, and a token takes {times} times as long as at {small}",
            times=f"{slower:.1f}",
            small=small.load.name,
        )
        return Limit("compute", Confidence.MEDIUM, text)
    if few:
        text = _(
            "likely what takes requests in before they are scheduled, the engine's API server or"
            " what stands before it: of {sent} requests at once {running} run at most, and none"
            " waits",
            sent=sent,
            running=f"{running:.0f}",
        )
        return Limit("host", Confidence.LOW, text)
    return Limit("unknown", Confidence.LOW, _("what holds it back does not show in the metrics"))


def _gpu(level: Level) -> GpuUse | None:
    """The busiest one of the engine's; None where that was not seen often enough."""
    use = busiest(level.gpus)
    return use if use is not None and use.looks >= _ENOUGH_LOOKS else None


def _clocks(text: Text, gpu: GpuUse) -> Text:
    """``text``, and what holds the clocks down."""
    if (gpu.heat or 0.0) >= _SLOWED:
        return _(
            "{why}; heat holds its clocks down in {share} of the looks",
            why=text,
            share=f"{gpu.heat:.0%}",
        )
    if (gpu.power or 0.0) >= _SLOWED:
        return _(
            "{why}; its limit of power holds its clocks down in {share} of the looks",
            why=text,
            share=f"{gpu.power:.0%}",
        )
    return text


def _without_metrics(level: Level, small: Level) -> Limit:
    first, each = _grown(level, small, "ttft"), _grown(level, small, "tpot")
    if first is not None and each is not None and first >= 2 and each < _SLOWER:
        return Limit(
            "queue",
            Confidence.LOW,
            _(
                "likely a queue: the first token comes {times} times as late as at {small}, and"
                " tokens then come as fast; the engine's metrics would tell whether slots or the"
                " KV cache are short",
                times=f"{first:.1f}",
                small=small.load.name,
            ),
        )
    gpu = _gpu(level)
    if gpu is not None and (gpu.busy or 0.0) >= _BUSY:
        text = _(
            "likely compute: GPU {index} is busy {busy} of the time; the engine's metrics would"
            " tell whether requests wait for slots or the KV cache",
            index=gpu.index,
            busy=f"{gpu.busy:.0%}",
        )
        return Limit("compute", Confidence.MEDIUM, _clocks(text, gpu))
    if each is not None and each >= _SLOWER:
        return Limit(
            "compute",
            Confidence.LOW,
            _(
                "likely compute: a token takes {times} times as long as at {small}; without the"
                " engine's metrics this is a guess",
                times=f"{each:.1f}",
                small=small.load.name,
            ),
        )
    return Limit(
        "unknown",
        Confidence.LOW,
        _("not known: without the engine's metrics nothing tells what holds it back"),
    )


def _grown(level: Level, small: Level, name: str) -> float | None:
    now, then = level.median(name), small.median(name)
    return None if now is None or not then else now / then
