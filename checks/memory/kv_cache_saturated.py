"""KVD807."""

from __future__ import annotations

from collections.abc import AsyncIterator

from checks._engine import READS, Live, live, more_room, percent, smaller_tokens, whole
from doctor.checkapi import (
    Confidence,
    DeclaredFacts,
    Evidence,
    Finding,
    Hop,
    Severity,
    Text,
    _,
    check,
    joined,
    problem,
)


@check(
    code="KVD807",
    slug="kv-cache-saturated",
    severity=Severity.ERROR,
    hop=Hop.KV,
    wants=READS,
    explains=("KVD808", "KVD809"),
    blocking=False,
)
async def kv_cache_saturated(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The engine's KV cache is full, and requests wait for it or are thrown out of it.

    What it checks: the share of KV blocks in use, at two moments a little apart, together with
    the requests that wait and the preemptions between the two: the engine preempts only where no
    block is left. Blocks that only keep prefixes for later do not count as used in vLLM.

    Why it matters: a full cache admits nobody. Time to the first token grows without a limit, and
    what is thrown out is computed again from the start.

    How to fix: give the cache more memory, store tokens smaller, admit fewer requests at a time
    (`--max-num-seqs`), or add an engine. The finding names the flag that is in force.

    Fix safety: nothing is changed; each of these needs a restart of the engine.

    References: facts/vllm.md §§3.1, 3.2, 4.5.
    """
    seen = await live(f)
    usages = [now.kv_usage for now in (seen.before, seen.later) if now and now.kv_usage is not None]
    if len(usages) < 2 or seen.later is None:
        return
    from doctor.enginemetrics import names
    from doctor.enginemetrics.now import KV_BAND, KV_FULL

    low, high = min(usages), max(usages)
    preempted = seen.window.grown.get(names.PREEMPTIONS, 0.0) if seen.window else 0.0
    waits = bool(seen.before.waiting) and bool(seen.later.waiting)
    held_up = high >= KV_BAND[1] and low >= KV_BAND[0] and (waits or preempted > 0)
    # vLLM preempts only where no block is left: between the looks the cache was full.
    held_up = held_up or (waits and preempted > 0)
    if not held_up and low < KV_FULL:
        return
    yield problem(
        _title(seen, high, held_up, preempted),
        joined(
            _seen_text(seen, usages, preempted),
            _("New requests get no block until others end, and preempted ones are computed again.")
            if held_up
            else _("Nothing waits yet; the next request will."),
            more_room(seen.cache),
            smaller_tokens(seen.cache),
            _("A lower --max-num-seqs lets requests wait in the queue in place of being preempted.")
            if preempted
            else "",
        ),
        evidence=_evidence(seen, usages, preempted),
        severity=Severity.ERROR if held_up else Severity.WARNING,
        confidence=Confidence.HIGH if held_up else Confidence.MEDIUM,
    )


def _title(seen: Live, high: float, held_up: bool, preempted: float) -> Text:
    from doctor.enginemetrics.now import KV_BAND

    assert seen.later is not None
    waiting = seen.later.waiting or 0.0
    if held_up and preempted > 0 and high < KV_BAND[1]:
        return _(
            "The KV cache runs full again and again: {n} preemptions, and {m} requests wait",
            n=whole(preempted),
            m=whole(waiting),
        )
    if held_up and waiting:
        return _(
            "The KV cache is full ({share} used) and {n} requests wait",
            share=percent(high),
            n=whole(waiting),
        )
    if held_up:
        return _(
            "The KV cache is full ({share} used): {n} preemptions",
            share=percent(high),
            n=whole(preempted),
        )
    return _("The KV cache is nearly full: {share} used", share=percent(high))


def _seen_text(seen: Live, usages: list[float], preempted: float) -> Text:
    assert seen.later is not None
    where = ""
    if seen.later.engines > 1:
        where = _("Engine {name} of {n}.", name=seen.later.fullest, n=seen.later.engines)
    seconds = seen.window.seconds if seen.window else 0.0
    text = _(
        "In use {first}, and {last} {seconds} s later; running {running}, waiting {waiting},"
        " preempted meanwhile {preempted}.",
        first=percent(usages[0]),
        last=percent(usages[-1]),
        seconds=f"{seconds:.1f}",
        running=whole(seen.later.running or 0.0),
        waiting=whole(seen.later.waiting or 0.0),
        preempted=whole(preempted),
    )
    return joined(text, where)


def _evidence(seen: Live, usages: list[float], preempted: float) -> tuple[Evidence, ...]:
    assert seen.later is not None
    told = " → ".join(f"{usage:.3f}" for usage in usages)
    waiting = f"{whole(seen.before.waiting or 0.0)} → {whole(seen.later.waiting or 0.0)}"
    found = [
        seen.seen("vllm:kv_cache_usage_perc", told),
        seen.seen("vllm:num_requests_waiting", waiting),
    ]
    if preempted:
        found.append(seen.seen("vllm:num_preemptions_total", f"+{whole(preempted)}"))
    if seen.cache is not None and seen.cache.num_blocks is not None:
        found.append(seen.seen("cache_config_info num_gpu_blocks", whole(seen.cache.num_blocks)))
    return tuple(found)
