"""From a text or a log of any size to symptoms, and to what an engine's log says of the engine."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace

from doctor.explain.log.causes import failed, symptoms_of, weighed
from doctor.explain.log.engine import Start
from doctor.explain.log.numbers import add_sample
from doctor.explain.log.reader import Attempt, Reading, read
from doctor.explain.log.saturation import overloaded
from doctor.explain.log.typed import typed_arguments, without_commands
from doctor.explain.pasted.counters import looks_in
from doctor.explain.places import InText
from doctor.explain.rank import in_context, stated
from doctor.explain.read import Seen, symptoms_in
from doctor.explain.stated_faults import faults_in
from doctor.explain.texts.engine_memory import OUT_OF_MEMORY
from doctor.records import dataclass
from doctor.secrets import REDACTOR
from doctor.text import _
from doctor.untrusted import visible

# What went wrong before the last start counts less than what went wrong in it.
_EARLIER = 0.4


@dataclass(frozen=True, slots=True)
class Answer:
    """``start`` is the last start of an engine whose log it is, None for other texts. ``failures``
    of its ``starts`` ended badly; ``first`` and ``last`` are the lines where the first and the last
    start begin. ``blank``: there was nothing to read. ``here`` is what the settings of this machine
    and of the text show: code → place."""

    seen: tuple[Seen, ...]
    here: Mapping[str, str] = field(default_factory=dict)
    start: Start | None = None
    starts: int = 0
    failures: int = 0
    last_failed: bool = False
    blank: bool = False


def answer(lines: Iterable[bytes], here: Mapping[str, str]) -> Answer:
    """Read the whole log. ``here`` is what the settings of this machine show: code → place.
    Not to be called from within an event loop."""
    reading = read(lines)
    if reading.blank:
        return Answer((), blank=True)
    last = reading.attempts[-1]
    if not last.start.args and (reading.of_an_engine or _out_of_memory(last)):
        last.start.args = typed_arguments([text for _number, text in reading.kept])
        # Of a GPU that was full the command says whose it was.
        reading.of_an_engine = reading.of_an_engine or bool(last.start.args)
    pasted = _with_metrics(last.start, reading)
    if not reading.of_an_engine:
        written = faults_in(reading.kept)
        here = {**here, **written}
        seen = _general(reading) or tuple(_settings(reading, written))
        # Beside an error a page of metrics is no more than what was pasted with it.
        alone = all(one.causes[0].code[3] in "78" for one in seen)
        load = overloaded(last.start, chosen=True) if pasted and alone else None
        return Answer(in_context(seen if load is None else (*seen, load), here), here)
    seen = _of_starts(reading.attempts)
    load = None if failed(last) else overloaded(last.start, pasted or not last.start.marks)
    if load is not None:
        seen = (*seen, load)
    if not seen and not last.start.marks and not failed(last):
        # Lines of an engine, but none of its start: what is pasted may be about a request.
        seen = tuple(one for one in _general(reading) if not one.generic)
    return Answer(
        in_context(seen, here),
        here,
        start=last.start,
        starts=len(reading.attempts) + reading.left_out,
        failures=sum(map(failed, reading.attempts)) + reading.left_out,
        last_failed=failed(last),
    )


def _out_of_memory(attempt: Attempt) -> bool:
    return any(OUT_OF_MEMORY.pattern.search(told.failure.text) for told in attempt.told.values())


def _with_metrics(start: Start, reading: Reading) -> bool:
    """Take metrics that stand in the text for looks at the engine; whether there were any."""
    numbers = [number for number, _text in reading.kept]
    pasted = False
    for line, text, found in looks_in([text for _number, text in reading.kept]):
        add_sample(start.load, numbers[line - 1], text, found)
        pasted = True
    return pasted


def _settings(reading: Reading, written: Mapping[str, InText]) -> Iterator[Seen]:
    """Settings that are wrong, of a text that tells no error."""
    texts = dict(reading.kept)
    for code, place in written.items():
        text = visible(REDACTOR(texts[place.number].strip()))
        meaning = _("the text states a setting that is wrong")
        yield Seen(text, place.number, meaning, (stated(code, place),), generic=False)


def _of_starts(attempts: Sequence[Attempt]) -> tuple[Seen, ...]:
    """The last start's, then those of earlier ones that differ, which count less if it failed."""
    last = symptoms_of(attempts[-1])
    known = {seen.meaning: seen for seen in last}
    earlier: dict[str, Seen] = {}
    for attempt in attempts[:-1]:
        for seen in symptoms_of(attempt):
            same = known.get(seen.meaning)
            if same is not None:
                known[seen.meaning] = replace(same, times=same.times + seen.times)
                continue
            before = earlier.get(seen.meaning)
            times = seen.times + (before.times if before is not None else 0)
            earlier[seen.meaning] = replace(seen, times=times)
    weight = _EARLIER if last else 1.0
    return (*known.values(), *(weighed(seen, weight) for seen in earlier.values()))


def _general(reading: Reading) -> tuple[Seen, ...]:
    """As a text, without secrets: before a line is cut anywhere, as half a key is most of one."""
    numbers = [number for number, _text in reading.kept]
    texts = without_commands([text for _number, text in reading.kept])
    lines = REDACTOR("\n".join(texts)).split("\n")
    found = []
    for seen in symptoms_in(lines):
        number = numbers[min(seen.line, len(numbers)) - 1]
        # Within the part that is kept as a whole a repeated line was counted already.
        again = max(0, reading.repeats.get(number, 0) - (seen.times - 1))
        found.append(replace(seen, line=number, times=seen.times + again))
    return tuple(found)
