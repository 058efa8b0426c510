"""From the failures of a log to symptoms: the last start counts, wrappers only where nothing else.

What a server survived is no fault: errors before it was ready, once it became ready. Where two
processes fail, which one wrote first does not matter.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Iterator
from dataclasses import replace

from doctor.explain.log.engine import Start
from doctor.explain.log.failures import Failure
from doctor.explain.log.options import refused_option
from doctor.explain.log.reader import Attempt, Told
from doctor.explain.log.refine import refined
from doctor.explain.log.saturation import without_room
from doctor.explain.log.waiting import still_waiting
from doctor.explain.model import Cause, Symptom
from doctor.explain.read import Seen
from doctor.explain.texts import (
    dictionary,
    engine_entries,
    engine_files,
    engine_parallel,
    engine_settings,
    engine_start,
)
from doctor.explain.texts.engine_models import ARCHITECTURE, INSPECTING, INSPECTION
from doctor.explain.texts.engine_subjects import subject_at, subject_of
from doctor.secrets import REDACTOR
from doctor.text import _, joined
from doctor.untrusted import visible

_KEPT = 500
_BESIDE = 0.4
_OF_REQUESTS = ("KVD808", "KVD911", "KVD921")
_OF_MODELS_LISTS = ("KVD501", "KVD502")
# Classes of exceptions with which vLLM refuses values.
_REFUSALS = ("ValueError", "AssertionError", "NotImplementedError", "TypeError", "ValidationError")
_FATAL = (
    "Engine core initialization failed",
    "EngineCore failed to start",
    "EngineCore encountered a fatal error",
    "EngineDeadError",
    "Engine process failed to start",
    "died unexpectedly",
    "died, exit code",
    "WorkerProc failed to start",
    "AsyncEngineDeadError",
)
# What follows when another process has failed: the connection to it breaks.
_CONSEQUENCE = (
    "BrokenPipeError",
    "ConnectionResetError",
    "EOFError",
    "Connection reset by peer",
    "Connection closed by peer",
    "BrokenProcessPool",
    "cancelled",
    "ChildProcessError",
    "Parent process exited",
    "ChildFailedError",
)


def failed(attempt: Attempt) -> bool:
    """Whether the engine did not come up, or died."""
    if attempt.start.failed:
        return True
    if any(mark in told.failure.text for told in attempt.told.values() for mark in _FATAL):
        return True
    return attempt.start.ready is None and any(t.failure.traced for t in attempt.told.values())


def symptoms_of(attempt: Attempt) -> tuple[Seen, ...]:
    """What went wrong in this start, by line; one entry per fault, whoever told it."""
    died = failed(attempt)
    found: dict[tuple[str, ...], Seen] = {}
    unknown: list[Told] = []
    for told in _counting(attempt):
        seen = list(_known(told, attempt.start))
        if not seen:
            unknown.append(told)
        for one in seen:
            key = (one.meaning, *(cause.code for cause in one.causes))
            before = found.get(key)
            found[key] = one if before is None else _merged(before, one)
    ordered = sorted(found.values(), key=lambda seen: seen.line)
    if any(INSPECTING in told.failure.text for told in attempt.told.values()):
        # An exception in the inspecting process: that model is not supported follows from it.
        outcome = (ARCHITECTURE.meaning, INSPECTION.meaning)
        ordered = [replace(s, generic=s.generic or s.meaning in outcome) for s in ordered]
    telling = [seen for seen in ordered if not seen.generic]
    if telling:
        return tuple(_by_weight(telling) if died else telling)
    if died:
        full = without_room(attempt.start)
        return (full,) if full is not None else (*_not_known(unknown), *ordered)
    if attempt.start.ready is not None:
        return ()
    return tuple(ordered) or tuple(_awaited(attempt.start))


def _awaited(start: Start) -> Iterator[Seen]:
    """A start that goes on when the log ends; an engine with load is up."""
    if not start.load.samples:
        waits = still_waiting(start.waits, begun=start.marks > 0, loaded=start.loaded)
        yield from () if waits is None else (waits,)


def _refused(failure: Failure, text: str) -> Seen | None:
    """An exception of unknown wording that refuses what an option of vLLM says."""
    causes = refused_option(text) if failure.name.endswith(_REFUSALS) else ()
    if not causes:
        return None
    meaning = _("vLLM does not take what an option or a variable says")
    return Seen(visible(text.strip(), _KEPT), failure.line, meaning, causes, False)


def _by_weight(telling: list[Seen]) -> list[Seen]:
    """Refused requests kill no engine: beside what did, they count less."""
    if not any(map(_is_of_the_engine, telling)):
        return telling
    return [seen if _is_of_the_engine(seen) else weighed(seen, _BESIDE) for seen in telling]


def _is_of_the_engine(seen: Seen) -> bool:
    return any(cause.code[3] in "89" and cause.code not in _OF_REQUESTS for cause in seen.causes)


def weighed(seen: Seen, weight: float) -> Seen:
    """``seen`` with each likelihood multiplied."""
    causes = tuple(
        replace(cause, likelihood=round(cause.likelihood * weight, 3)) for cause in seen.causes
    )
    return replace(seen, causes=causes)


def _counting(attempt: Attempt) -> Iterator[Told]:
    """Without what was survived."""
    up = attempt.start.ready is not None
    for told in attempt.told.values():
        if not up or told.after_ready:
            yield told


def _known(told: Told, start: Start) -> Iterator[Seen]:
    failure = told.failure
    text = REDACTOR(failure.text)
    entries: list[tuple[Symptom, ...]] = [_of_an_engine()]
    if failure.level != "WARNING":
        entries.append(dictionary())
    elif "preempted" not in text:
        entries = [dictionary()]
    for among in entries:
        if among is not entries[0] and (refused := _refused(failure, text)) is not None:
            yield replace(refused, times=told.times)
            return
        hits = list(_hits(text, failure, start, among))
        if among is not entries[0] and failure.traced and start.ready is None:
            # While it starts, an engine serves no model: such words are about what it loads.
            hits = [seen for seen in hits if seen.causes[0].code not in _OF_MODELS_LISTS]
        telling = [seen for seen in hits if not seen.generic]
        if telling or hits:
            yield from (replace(seen, times=told.times) for seen in telling or hits[:1])
            return


@functools.cache
def _of_an_engine() -> tuple[Symptom, ...]:
    """What counts in an engine's own log; elsewhere some of it is about something else."""
    modules = (engine_start, engine_settings, engine_files, engine_parallel)
    here = (module.HERE_ONLY for module in modules)
    return (*itertools.chain.from_iterable(here), *engine_entries())


def _hits(text: str, failure: Failure, start: Start, entries: Iterable[Symptom]) -> Iterator[Seen]:
    of_an_engine = {id(entry) for entry in engine_entries()}
    for entry in entries:
        # General texts are about a client's connection; in an engine's log they say nothing.
        if entry.generic and id(entry) not in of_an_engine:
            continue
        match = entry.pattern.search(text)
        if match is not None:
            yield Seen(
                visible(text.strip(), _KEPT),
                failure.line,
                entry.meaning,
                refined(entry, match, failure, start),
                entry.generic,
            )


def _merged(one: Seen, other: Seen) -> Seen:
    """The earlier of the two, as often as both."""
    first = min(one, other, key=lambda seen: seen.line)
    # Whose numbers speak most clearly: the order in which processes write says nothing.
    causes = max(one.causes, other.causes, key=_weight)
    return replace(first, times=one.times + other.times, causes=causes)


def _weight(causes: tuple[Cause, ...]) -> tuple[float, str]:
    return (max((cause.likelihood for cause in causes), default=0.0), str(causes))


def _not_known(unknown: list[Told]) -> Iterator[Seen]:
    """The first exception that no other one caused: the deepest that the log has."""
    causes = [
        told
        for told in unknown
        # Of a log that was cut the traceback is missing, not the exception.
        if (told.failure.traced or told.failure.name.endswith(("Error", "Exception")))
        and not told.failure.wraps
        and not any(word in told.failure.text or word == told.failure.name for word in _CONSEQUENCE)
    ]
    if not causes:
        return
    told = min(causes, key=lambda told: (_depth(told.failure.process), told.failure.line))
    failure = told.failure
    text = REDACTOR(failure.text)
    where = (
        _("at {place}: its text is not known here", place=visible(failure.place, 120))
        if failure.place
        else _("its text is not known here")
    )
    about = subject_of(text) or subject_at(failure.place)
    about = about or subject_of(f"{' '.join(failure.frames)} {failure.place}")
    subject, guesses = about if about is not None else (None, ())
    told_here = joined(where, subject, blank="; ") if subject is not None else where
    yield Seen(
        visible(text, _KEPT),
        failure.line,
        _("the engine stopped with this exception"),
        (*guesses, Cause("KVD915", 0.3 if guesses else 0.5, told_here)),
        False,
        told.times,
    )


def _depth(process: str) -> int:
    """Workers fail before the engine core, and that before the server."""
    lowered = process.lower()
    for depth, word in enumerate(("worker", "enginecore", "apiserver")):
        if word in lowered:
            return depth
    return 1
