"""KVD808."""

from __future__ import annotations

from collections.abc import AsyncIterator

from checks._engine import READS, Live, live, percent, whole
from doctor.checkapi import (
    DeclaredFacts,
    Finding,
    Hop,
    Severity,
    Text,
    _,
    check,
    joined,
    problem,
)

# A wait of this many seconds before the first token is felt; shorter ones are how batching works.
_FELT = 1.0
_LONG = 10.0
_GROWS = 1.2


@check(
    code="KVD808",
    slug="requests-waiting",
    severity=Severity.WARNING,
    hop=Hop.ENGINE,
    wants=READS,
    blocking=False,
)
async def requests_waiting(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """Requests stand in the engine's queue, and the queue grows or moves slowly.

    What it checks: the waiting requests at two moments a little apart, how many requests ended in
    between, and how long those had waited. A queue that is emptied within a second is none.

    Why it matters: a request in the queue has no first token yet. SDKs repeat what runs into
    their time limit, which makes the queue longer still.

    How to fix: where the KV cache is full, that is the cause (KVD807). Otherwise the engine runs
    as many requests as it may: raise `--max-num-seqs`, or `--max-num-batched-tokens` where prompts
    are long, or add an engine.

    Fix safety: nothing is changed; more requests at a time make each of them slower.

    References: facts/vllm.md §3.1.
    """
    seen = await live(f)
    before, later = seen.before, seen.later
    if later is None or seen.window is None or not before.waiting or not later.waiting:
        return
    from doctor.enginemetrics import names

    admitted = seen.window.observed.get(names.QUEUE)
    waited = seen.window.quantile(names.QUEUE, 0.5)
    stuck = admitted is not None and admitted.count <= 0
    grows = later.waiting > before.waiting * _GROWS
    # vLLM counts the time in the queue when a request ends, which may be long after its wait: who
    # waits now is served at the pace at which others end.
    pace = None
    if admitted is not None and admitted.count > 0:
        pace = later.waiting * seen.window.seconds / admitted.count
    slow = max(waited or 0.0, pace or 0.0)
    if not (stuck or grows or slow >= _FELT):
        return
    over = later.waiting > (later.running or 0.0)
    worse = slow >= _LONG or (over and (grows or stuck))
    yield problem(
        _("{n} requests wait in the engine, {m} run", n=whole(later.waiting), m=_running(seen)),
        joined(_course(seen, waited, pace, stuck), _meaning(seen)),
        evidence=(
            seen.seen(
                "vllm:num_requests_waiting", f"{whole(before.waiting)} → {whole(later.waiting)}"
            ),
            seen.seen("vllm:num_requests_running", _running(seen)),
        ),
        severity=Severity.ERROR if worse else Severity.WARNING,
    )


def _running(seen: Live) -> str:
    assert seen.later is not None
    return whole(seen.later.running or 0.0)


def _course(seen: Live, waited: float | None, pace: float | None, stuck: bool) -> Text:
    assert seen.window is not None
    assert seen.later is not None
    span = f"{seen.window.seconds:.1f}"
    queue = {"first": whole(seen.before.waiting or 0), "last": whole(seen.later.waiting or 0)}
    text = _("In {span} s the queue went from {first} to {last}.", span=span, **queue)
    if stuck:
        return joined(text, _("No request ended meanwhile."))
    if pace is not None and pace > (waited or 0.0):
        return joined(text, _("At this pace the last of them waits about {s} s.", s=f"{pace:.1f}"))
    if waited is None:
        return text
    return joined(text, _("Half of those that ended had waited {s} s or more.", s=f"{waited:.1f}"))


def _meaning(seen: Live) -> Text:
    assert seen.later is not None
    usage, deferred = seen.later.kv_usage, seen.later.deferred or 0.0
    if deferred > (seen.later.waiting or 0.0) / 2:
        return _(
            "Most are deferred: they wait for something else than room, such as KV blocks from"
            " another engine or a grammar that is being compiled."
        )
    from doctor.enginemetrics import names
    from doctor.enginemetrics.now import KV_BAND

    preempted = seen.window.grown.get(names.PREEMPTIONS, 0.0) if seen.window else 0.0
    if preempted > 0:
        return _(
            "The KV cache ran full meanwhile ({n} preemptions), so they wait for its blocks.",
            n=whole(preempted),
        )
    if usage is not None and usage >= KV_BAND[1]:
        return _("The KV cache is {share} used, so they wait for its blocks.", share=percent(usage))
    if usage is None:
        return _("Raise --max-num-seqs if memory allows, or add an engine.")
    return _(
        "The KV cache is only {share} used, so they do not wait for memory: likely for"
        " --max-num-seqs or, with long prompts, for --max-num-batched-tokens. Raise it, or add an"
        " engine.",
        share=percent(usage),
    )
