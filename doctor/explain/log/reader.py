"""One pass over a log: its starts, their failures, and what a general reader needs of it.

Memory does not grow with the log: failures are kept once per shape, of the lines themselves only
the first and those that look like errors.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field, replace

from doctor.explain.log.engine import Start
from doctor.explain.log.failures import Assembler, Failure
from doctor.explain.log.lines import Line, parse
from doctor.explain.log.sieve import (
    ACCESS,
    ANSWERED,
    FRAME,
    GRAVE,
    HEAD,
    OF_AN_ENGINE,
    STAMPED,
    TELLING,
    is_bad,
    is_info,
    shape,
)
from doctor.explain.log.source import LONGEST
from doctor.records import dataclass

# After a line that matters so many are taken apart, whatever they look like.
_WAKE = 60
# After a frame whose traceback was cut so many: its code, and the next frame or the exception.
_CUT = 4
# A pasted text is kept as a whole; of a longer one what belongs to no log, and what is bad.
_WHOLE, _FIRST = 300, 2_000
_KEPT, _SHAPES = 2_000, 50_000
# So much of them at most (bytes): a line may be a whole conversation, and each text is tried.
_ROOM = 4 << 20
_FAILURES = 400
_STARTS = 50
# A line of one shape is taken apart so often in one start; further ones are counted.
_OFTEN = 8
# No terminal is narrower (columns).
_WIDTH = 72
_GRAVE_LEVELS = ("ERROR", "CRITICAL")
# Warnings that tell of a fault; most tell of none.
_WARNINGS = ("is too long and exceeds limit", "is preempted by", "NCCL WARN")
_ENDS_A_START = ("unrecognized arguments", ": error: argument", "error: ambiguous option")


@dataclass(slots=True)
class Told:
    """A failure and how often it was told, by whichever process. ``after_ready``: the server was
    up already."""

    failure: Failure
    times: int = 1
    after_ready: bool = False


@dataclass(slots=True)
class Attempt:
    """A start with what went wrong in it."""

    start: Start
    told: dict[str, Told] = field(default_factory=dict)


@dataclass(slots=True)
class Reading:
    """``kept`` are lines with their numbers, for a reader of texts, and ``repeats`` how often the
    line of a number came again without being kept. ``blank``: there is no text. ``attempts`` are
    the starts of an engine, oldest first, of which some may be left out (``left_out``)."""

    lines: int = 0
    blank: bool = True
    of_an_engine: bool = False
    kept: list[tuple[int, str]] = field(default_factory=list)
    repeats: dict[int, int] = field(default_factory=dict)
    attempts: list[Attempt] = field(default_factory=list)
    left_out: int = 0


def read(lines: Iterable[bytes]) -> Reading:
    """Read the log to its end; never raises for what stands in it."""
    reader = _Reader()
    number = 0
    for number, line in enumerate(lines, 1):
        # Most of a long log; an answered request tells of no fault.
        if number > _FIRST and ANSWERED in line:
            continue
        reader.take(number, line)
    return reader.finished(number)


class _Reader:
    def __init__(self) -> None:
        self.reading = Reading()
        self.assemblers: dict[str, Assembler] = {}
        self.attempt = Attempt(Start(1))
        self.kept: dict[bytes, int] = {}
        self.seen: dict[bytes, int] = {}
        self.first: dict[int, bytes] = {}
        self.awake, self.room = 0, _ROOM
        self.last = (0, "", 0)

    def take(self, number: int, raw: bytes) -> None:
        reading = self.reading
        if reading.blank and raw.strip():
            reading.blank = False
        if number <= _FIRST:
            stamped = STAMPED.match(raw) is not None
            told = stamped and self._tells(number, raw)
            if number <= _WHOLE or not stamped or told:
                self._hold(number, raw[:LONGEST])
            if not reading.of_an_engine and OF_AN_ENGINE.search(raw):
                reading.of_an_engine = True
        elif not reading.of_an_engine:
            # Other programs have no words of their own for what is bad.
            self._keep(number, raw)
        head = raw[:HEAD]
        late = number > _FIRST and reading.of_an_engine
        if ACCESS in head:
            if late:
                self._keep(number, raw)
            return
        telling = TELLING.search(raw, 0, 4 * HEAD) is not None
        if not is_info(head) and GRAVE.search(raw):
            if not telling and self._is_stale(number, raw):
                return
            self.awake = _WAKE
            if late:
                self._keep(number, raw)
        elif self.awake:
            self.awake -= 1
        elif number <= _WHOLE and FRAME in raw:
            self.awake = _CUT
        elif not telling:
            return
        if not reading.of_an_engine and OF_AN_ENGINE.search(raw):
            reading.of_an_engine = True
        line = parse(number, raw[:LONGEST])
        if self._is_broken_off(line) and self._glued(line.text):
            # The next piece may be broken off this one.
            self.last = (number, self.last[1], len(raw))
            return
        self._apart(line, telling)
        self.last = (number, line.process, len(raw))

    def _is_broken_off(self, line: Line) -> bool:
        """Whether a terminal may have cut ``line`` off the end of the one before it."""
        number, process, width = self.last
        return (
            bool(process)
            and line.number == number + 1
            and width >= _WIDTH
            and not (line.process or line.level)
            and not line.text.startswith((" ", "\t"))
        )

    def _glued(self, text: str) -> bool:
        assembler = self.assemblers.get(self.last[1])
        return assembler is not None and assembler.glue(text)

    def _is_stale(self, number: int, raw: bytes) -> bool:
        """Whether lines of this shape were told often enough in this start; they are counted."""
        looks = shape(raw)
        times = self.seen.get(looks, 0) + 1
        if times == 1:
            if len(self.seen) > _SHAPES:
                self.seen.clear()
            self.first[number] = looks
        self.seen[looks] = times
        if times <= _OFTEN:
            return False
        if times <= 4 * _OFTEN and any(one.busy for one in self.assemblers.values()):
            return False
        if number > _FIRST and self.reading.of_an_engine:
            self._again(self.kept.get(looks))
        return True

    def _again(self, first: int | None) -> None:
        if first is not None:
            self.reading.repeats[first] = self.reading.repeats.get(first, 0) + 1

    def _apart(self, line: Line, telling: bool) -> None:
        assembler = self.assemblers.get(line.process)
        if assembler is None:
            if len(self.assemblers) > _FAILURES:
                self._flush()
            assembler = self.assemblers[line.process] = Assembler()
        for failure in assembler.take(line):
            self._tell(failure)
        if assembler.busy:
            # Telling may have closed a start, and the assemblers of that with it.
            self.assemblers[line.process] = assembler
        if telling and line.level not in _GRAVE_LEVELS:
            self._begun(line)
            self.attempt.start.take(line.number, line.process, line.text)
        if line.level == "WARNING" and any(words in line.text for words in _WARNINGS):
            self._tell(Failure(line.number, line.process, "", line.text, level="WARNING"))

    def _begun(self, line: Line) -> None:
        """Close the attempt where ``line`` begins another."""
        start = self.attempt.start
        mark = start.begins(line.text)
        # A server's engine tells of itself too: that is the same start.
        if mark is None or (mark == "engine" and start.server):
            return
        begun = any(one.busy for one in self.assemblers.values())
        if start.used or begun or self.attempt.told:
            self._close(line.number)

    def _close(self, number: int) -> None:
        self._flush()
        self._count()
        reading = self.reading
        reading.attempts.append(self.attempt)
        if len(reading.attempts) > _STARTS:
            del reading.attempts[1]
            reading.left_out += 1
        self.attempt = Attempt(Start(number))

    def _count(self) -> None:
        """Add what was only counted since, and begin to count anew."""
        for told in self.attempt.told.values():
            looks = self.first.get(told.failure.line)
            if looks is not None:
                told.times = max(told.times, self.seen.get(looks, 0))
        self.seen.clear()
        self.first.clear()

    def _tell(self, failure: Failure) -> None:
        told = self.attempt.told
        key = failure.level + "".join(c for c in failure.text[:300] if not c.isdigit())
        known = told.get(key)
        if known is not None:
            known.times += 1
            if len(failure.frames) > len(known.failure.frames):
                known.failure = replace(failure, line=known.failure.line)
            return
        if len(told) >= _FAILURES:
            return
        ready = self.attempt.start.ready
        told[key] = Told(failure, after_ready=ready is not None and failure.line > ready)
        if any(words in failure.text for words in _ENDS_A_START):
            self.attempt.start.failed = True
            self._close(failure.line + 1)

    def _keep(self, number: int, raw: bytes) -> None:
        if len(self.reading.kept) < _FIRST + _KEPT and self._tells(number, raw):
            self._hold(number, raw)

    def _hold(self, number: int, raw: bytes) -> None:
        if self.room > 0:
            self.room -= len(raw)
            self.reading.kept.append((number, raw.decode("utf-8", "replace")))

    def _tells(self, number: int, raw: bytes) -> bool:
        """Whether the line speaks of something bad, in a shape that was not kept before."""
        if not is_bad(raw):
            return False
        looks = shape(raw)
        first = self.kept.get(looks)
        if first is not None:
            self._again(first)
            return False
        if len(self.kept) > _SHAPES:
            return False
        self.kept[looks] = number
        return True

    def _flush(self) -> None:
        assemblers, self.assemblers = self.assemblers, {}
        for assembler in assemblers.values():
            for failure in assembler.flush():
                self._tell(failure)

    def finished(self, lines: int) -> Reading:
        self.reading.lines = lines
        self._flush()
        self._count()
        attempt = self.attempt
        if attempt.told or attempt.start.marks or attempt.start.memory or not self.reading.attempts:
            self.reading.attempts.append(attempt)
        return self.reading
