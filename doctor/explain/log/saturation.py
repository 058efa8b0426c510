"""What an engine's own figures show without any error: requests that waited, a cache of no room."""

from __future__ import annotations

from doctor.explain.log.budget import tightest
from doctor.explain.log.engine import Start
from doctor.explain.log.refine import no_blocks
from doctor.explain.model import Cause
from doctor.explain.read import Seen
from doctor.explain.texts.engine_memory import NO_BLOCKS
from doctor.secrets import REDACTOR
from doctor.text import _
from doctor.untrusted import visible

# Of the lines in which requests ran: a queue that empties again is no fault (share). A whole log
# has to show it several times; whoever pastes a few lines has chosen them.
_OFTEN, _OFTEN_PASTED, _LEAST = 0.5, 0.2, 3
# Of the lines in which requests waited.
_MOSTLY = 0.5
# With less of the cache in use, nobody can tell how many requests would fill it (percent).
_TELLING = 20.0
_KEPT = 500
_FULL_CACHE = _("the cache was full while requests waited")


def overloaded(start: Start, chosen: bool) -> Seen | None:
    """Requests that were thrown out of the cache, or waited again and again; None where hardly any
    were. ``chosen``: the lines were picked, they are no whole log."""
    load = start.load
    if load.preempted_samples >= (1 if chosen else _LEAST):
        return _preempted(start)
    share, least = (_OFTEN_PASTED, 1) if chosen else (_OFTEN, _LEAST)
    if load.waiting_samples < max(least, share * load.busy_samples):
        return None
    return _waited(start)


def _preempted(start: Start) -> Seen:
    load, fitting = start.load, _over_capacity(start, proved=True)
    return Seen(
        visible(REDACTOR(load.text).strip(), _KEPT),
        load.line,
        _("requests were thrown out of the KV cache and computed again"),
        (
            *fitting,
            Cause(
                "KVD809",
                0.75 if fitting else 0.85,
                _("lower --max-num-seqs, or give the cache more room"),
            ),
            *((Cause("KVD807", 0.6, _FULL_CACHE),) if load.full_samples else ()),
        ),
        False,
        load.preempted_samples,
    )


def _over_capacity(start: Start, proved: bool = False) -> tuple[Cause, ...]:
    """How many requests the cache holds, by those that were in it; ``proved``: it was too small
    for those that were let in."""
    load, slots = start.load, start.args.get("max_num_seqs")
    if load.peak_kv_percent < _TELLING or not load.running_at_peak:
        return ()
    count = max(1, int(load.running_at_peak * 100 / load.peak_kv_percent))
    if isinstance(slots, int):
        if slots <= count:
            return ()
        proved = True
    told = (
        _("about {count} requests of that size fill the cache, and more are let in", count=count)
        if proved
        else _("about {count} requests of that size fill the cache: are more let in?", count=count)
    )
    return (Cause("KVD804", 0.9 if proved else 0.5, told, (f"--max-num-seqs {count}",)),)


def _waited(start: Start) -> Seen:
    load = start.load
    peak = load.peak_kv_percent
    if load.full_samples >= _MOSTLY * load.waiting_samples:
        meaning = _("requests wait, and the KV cache is full")
        causes = (
            Cause(
                "KVD807",
                0.85,
                _(
                    "it was {percent:g} % full: fewer requests at once or a shorter window leave"
                    " each more, a larger share of the GPU or an fp8 cache leaves more for all",
                    percent=peak,
                ),
                (f"--max-num-seqs {max(1, load.peak_running - 1)}", "--kv-cache-dtype fp8"),
            ),
            *_over_capacity(start),
            Cause("KVD808", 0.3, _("or does more arrive than one engine can compute?")),
        )
    else:
        meaning = _("requests wait, and the KV cache has room")
        causes = (
            Cause(
                "KVD808",
                0.8,
                _(
                    "at most {running} ran at once, and the cache was up to {percent:g} % full: is"
                    " --max-num-seqs that number?",
                    running=load.peak_running,
                    percent=peak,
                ),
                ("--max-num-seqs",),
            ),
            Cause("KVD807", 0.3, _("or does the next prompt need more than what is left?")),
        )
    return Seen(
        visible(REDACTOR(load.text).strip(), _KEPT),
        load.line,
        meaning,
        causes,
        False,
        load.waiting_samples,
    )


def without_room(start: Start) -> Seen | None:
    """The line that leaves nothing for the KV cache, of a start that failed for an unknown
    reason."""
    found = tightest(start)
    if start.starved is None or found is None:
        return None
    assert isinstance(NO_BLOCKS.causes, tuple)
    line, text = start.starved
    return Seen(
        visible(REDACTOR(text).strip(), _KEPT),
        line,
        NO_BLOCKS.meaning,
        no_blocks(found[1], start) or NO_BLOCKS.causes,
        False,
    )
