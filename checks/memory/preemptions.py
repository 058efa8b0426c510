"""KVD809."""

from __future__ import annotations

from collections.abc import AsyncIterator

from checks._engine import READS, live, more_room, percent, whole
from doctor.checkapi import (
    DeclaredFacts,
    Finding,
    Hop,
    Severity,
    _,
    check,
    joined,
    problem,
)


@check(
    code="KVD809",
    slug="preemptions",
    severity=Severity.WARNING,
    hop=Hop.KV,
    wants=READS,
    blocking=False,
)
async def preemptions(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The engine throws running requests out of the KV cache and computes them again.

    What it checks: whether vLLM's count of preemptions grows between two looks. What was counted
    earlier says nothing about now.

    Why it matters: all that was computed for a preempted request is lost, so the engine works
    more and answers less, and its user sees the stream stand still.

    How to fix: give the KV cache more memory, or admit fewer requests at a time with a lower
    `--max-num-seqs`.

    Fix safety: nothing is changed; each of these needs a restart of the engine.

    References: facts/vllm.md §3.1.
    """
    seen = await live(f)
    if seen.window is None or seen.later is None:
        return
    from doctor.enginemetrics import names

    count = seen.window.grown.get(names.PREEMPTIONS, 0.0)
    if count <= 0:
        return
    running = seen.later.running or 0.0
    usage = seen.later.kv_usage
    yield problem(
        _(
            "{n} preemptions in {s} s",
            n=whole(count),
            s=f"{seen.window.seconds:.1f}",
        ),
        joined(
            _(
                "{running} requests run, more than the KV cache can hold to their end. What is"
                " thrown out is computed again from its first token.",
                running=whole(running),
            ),
            _("The cache is {share} used now.", share=percent(usage)) if usage is not None else "",
            more_room(seen.cache),
            _("Or lower --max-num-seqs below {running}.", running=whole(running))
            if running > 1
            else "",
        ),
        evidence=(seen.seen("vllm:num_preemptions_total", f"+{whole(count)}"),),
    )
