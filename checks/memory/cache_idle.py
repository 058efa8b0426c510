"""KVD810."""

from __future__ import annotations

from collections.abc import AsyncIterator

from checks._engine import READS, Live, live, percent, whole
from doctor.checkapi import (
    Confidence,
    DeclaredFacts,
    Finding,
    Hop,
    NotApplicable,
    Severity,
    Text,
    _,
    check,
    joined,
    problem,
)

# Less than this says nothing about a usual day: seconds, requests.
_UPTIME = 6 * 3600.0
_REQUESTS = 1_000
_IDLE = 0.02
# A queue that was ever felt speaks of peaks that the mean hides (s).
_NO_QUEUE = 0.05


@check(
    code="KVD810",
    slug="cache-idle",
    severity=Severity.INFO,
    hop=Hop.KV,
    wants=READS,
    blocking=False,
)
async def cache_idle(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The KV cache is far larger than what the engine's requests ever used of it.

    What it checks: how many requests were in the engine on average since its start (the sum of
    their durations over the uptime), times their mean length in tokens, against the tokens that
    the cache holds. Only after six hours and a thousand requests of which none was preempted and
    hardly one had to wait.

    Why it matters: the memory is paid for. It could hold a second model, a larger one, or the work
    could move to a smaller GPU.

    How to fix: give the cache less, or the engine more to do.

    Fix safety: an average says nothing about peaks, and free blocks keep prefixes for later:
    compare the hit rate before and after.

    References: facts/vllm.md §§3.1, 3.2.
    """
    seen = await live(f, twice=False)
    used, capacity = _used(seen), _capacity(seen)
    if used is None or capacity is None:
        raise NotApplicable("too little is known of the engine's past")
    if used > capacity * _IDLE:
        return
    assert seen.ever is not None
    yield problem(
        _(
            "On average {share} of the KV cache is used",
            share=percent(used / capacity),
        ),
        joined(
            _(
                "In {hours} hours the requests in the engine held about {used} tokens at a time;"
                " the cache holds {capacity}. None was preempted and none waited.",
                hours=whole(seen.ever.seconds / 3600),
                used=whole(used),
                capacity=whole(capacity),
            ),
            _less_room(seen),
            _("Peaks are not known from these counts."),
        ),
        evidence=(
            seen.seen("cache_config_info", _("{n} tokens", n=whole(capacity))),
            seen.seen("vllm:e2e_request_latency_seconds", _("mean use {n}", n=whole(used))),
        ),
        confidence=Confidence.MEDIUM,
    )


def _used(seen: Live) -> float | None:
    """Tokens in the cache on average since the start; None where that cannot be said."""
    from doctor.enginemetrics import names

    ever = seen.ever
    if ever is None or ever.seconds < _UPTIME:
        return None
    lasted = ever.observed.get(names.LATENCY)
    prompt, output = ever.mean(names.PROMPT_LENGTH), ever.mean(names.OUTPUT_LENGTH)
    if lasted is None or lasted.count < _REQUESTS or prompt is None or output is None:
        return None
    if ever.grown.get(names.PREEMPTIONS, 1.0) > 0:
        return None
    mean_queue = ever.mean(names.QUEUE) or 0.0
    if mean_queue > _NO_QUEUE:
        return None
    return lasted.sum / ever.seconds * (prompt + output)


def _capacity(seen: Live) -> float | None:
    sizes = [cache.tokens for cache in seen.caches]
    if not sizes or None in sizes:
        return None
    return float(sum(size for size in sizes if size is not None))


def _less_room(seen: Live) -> Text:
    cache = seen.cache
    if cache is not None and cache.sized_by_bytes:
        return _("A smaller --kv-cache-memory-bytes would do.")
    if cache is not None and cache.utilization is not None:
        return _(
            "A lower --gpu-memory-utilization than {share:g} would do.", share=cache.utilization
        )
    return _("A smaller cache would do.")
