"""Reads a text and collects the symptoms in it: line by line, then what stands across lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from doctor.explain.beside.completions import without_what_was_said
from doctor.explain.beside.guides import is_guide
from doctor.explain.beside.lines import is_aside
from doctor.explain.beside.programs import is_of_another
from doctor.explain.beside.statuses import is_status
from doctor.explain.beside.tracebacks import failed_elsewhere
from doctor.explain.model import Cause, Symptom
from doctor.explain.pasted.asked import doubled_slashes, refused_paths
from doctor.explain.pasted.bodies import Body, bodies_in, empty_answers_in
from doctor.explain.pasted.container_runs import containers_at_themselves
from doctor.explain.pasted.counters import unhit_in
from doctor.explain.pasted.credentials import strange_logins, two_credentials
from doctor.explain.pasted.meaning import meaning_of
from doctor.explain.pasted.node_errors import connections_in
from doctor.explain.pasted.scheme import without_bearer
from doctor.explain.pasted.sent import refused_at_root, refused_headers
from doctor.explain.pasted.stated_bases import refused_below_stated
from doctor.explain.pasted.system_proxy import system_proxies_in
from doctor.explain.texts import dictionary
from doctor.patterns import Pattern
from doctor.records import dataclass
from doctor.text import Text
from doctor.untrusted import visible

# A log line longer than this is a body that was printed; its beginning tells what it is.
_LINE_LIMIT = 8_000
_KEPT = 500
# What stands across lines is read from the beginning of a long log only.
_LINES = 2_000
_BLANKS = Pattern(r"[ \t\xa0]{2,}")
# A terminal broke the line: no mark of an end before the break, no mark of a beginning behind it.
_BROKEN = Pattern(r"[\w,'\"(=-]\s*$")
_CONTINUED = Pattern(r"^\W{0,12}[a-z0-9(]")
_WRAPPED_AT = 40
# The frame that a terminal program draws around its text.
_FRAME = Pattern(r"^[\s│┃║⎿╰╭└├]+|[\s│┃║╮╯]+$")


_KEY_IS_AT_FAULT = frozenset({"KVD101", "KVD106", "KVD109", "KVD111"})
# Limits of a key, models, parameters, budgets: what a server looks at once the key is good.
_BEHIND_THE_KEY = ("KVD115", "KVD50", "KVD516", "KVD6")


@dataclass(frozen=True, slots=True)
class Seen:
    """One symptom where it first stands: ``line`` counts from 1, ``times`` how often in all."""

    text: str
    line: int
    meaning: Text
    causes: tuple[Cause, ...]
    generic: bool
    times: int = 1


def symptoms_in(lines: Iterable[str]) -> tuple[Seen, ...]:
    """The symptoms in the order of their first lines.

    General texts are dropped where a telling one stands in the same log: "Connection error." says
    nothing beside the exception that caused it. Where nothing is known, the subjects of the errors
    are told.
    """
    entries = dictionary()
    found: dict[tuple[str, tuple[Cause, ...]], Seen] = {}
    first: list[str] = []
    for number, line in enumerate(lines, 1):
        if number <= _LINES:
            first.append(line[:_LINE_LIMIT])
        if is_aside(line[:_LINE_LIMIT]):
            continue
        for seen in _in_line(number, line[:_LINE_LIMIT], entries):
            if number > _LINES or not failed_elsewhere(first, number):
                _add(found, seen)
    if is_guide(first):
        return ()
    bodies = tuple(_in_bodies(first))
    for key, guess in tuple(found.items()):
        if _is_a_guess(guess, bodies, entries):
            del found[key]
    for seen in (*_across_lines(first, entries), *(seen for seen, _body in bodies)):
        _add(found, seen)
    ordered = sorted(found.values(), key=lambda seen: seen.line)
    telling = [seen for seen in ordered if not seen.generic]
    return tuple(telling or ordered or _subjects(first))


def _subjects(lines: Sequence[str]) -> Iterator[Seen]:
    """What unknown errors speak of, each subject once."""
    from doctor.explain.texts.subjects import OF_AN_ENGINE, SUBJECTS

    if any(map(OF_AN_ENGINE.search, lines)):
        return
    told: set[Text] = set()
    for number, line in enumerate(lines, 1):
        if is_aside(line) or is_of_another(line, ()):
            continue
        for seen in _in_line(number, line, SUBJECTS):
            if seen.meaning not in told:
                told.add(seen.meaning)
                yield seen


def _add(found: dict[tuple[str, tuple[Cause, ...]], Seen], seen: Seen) -> None:
    known = found.get((seen.meaning, seen.causes))
    again = seen if known is None else replace(known, times=known.times + 1)
    found[seen.meaning, seen.causes] = again


def _in_line(number: int, line: str, entries: tuple[Symptom, ...]) -> list[Seen]:
    """Every telling entry that matches; a general one only where none does, and just the first."""
    telling: list[Seen] = []
    general: Seen | None = None
    read = without_what_was_said(_BLANKS.sub(" ", line))
    for entry in entries:
        if entry.generic and (telling or general):
            continue
        match = next(filter(is_status, entry.pattern.finditer(read)), None)
        if match is None:
            continue
        causes = entry.of(match)
        # None: what is wrong with it is a symptom of its own.
        if not causes or is_of_another(read, causes):
            continue
        text = visible(line.strip(), _KEPT)
        seen = Seen(text, number, entry.meaning, causes, entry.generic)
        if entry.generic:
            general = seen
        else:
            telling.append(seen)
    return telling or ([general] if general else [])


def _across_lines(lines: Sequence[str], entries: tuple[Symptom, ...]) -> Iterator[Seen]:
    """What a terminal broke into two lines, and what only several lines tell together: a refusal
    and its URL, the fields of an error, the counters of a cache."""
    bare = [_FRAME.sub("", line) if not is_aside(line) else "" for line in lines]
    for number, (line, following) in enumerate(pairwise(bare), 1):
        if len(line) < _WRAPPED_AT or not (_BROKEN.search(line) and _CONTINUED.match(following)):
            continue
        alone = {
            seen.meaning
            for at, text in ((number, line), (number + 1, following))
            for seen in _in_line(at, text, entries)
        }
        joined = f"{line} {following}"
        for seen in _in_line(number, joined, entries):
            if seen.meaning not in alone and not seen.generic:
                yield seen
    for number, text in _put_together(lines):
        for seen in _in_line(number, text, entries):
            if not seen.generic:
                yield replace(seen, text=visible(lines[number - 1].strip(), _KEPT))
    for number, text in system_proxies_in(lines):
        for seen in _in_line(number, text, entries):
            yield replace(seen, text=visible(lines[number - 1].strip(), _KEPT))


def _put_together(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """What several lines tell as the one line that the dictionary reads."""
    yield from refused_paths(lines)
    yield from doubled_slashes(lines)
    yield from connections_in(lines)
    yield from unhit_in(lines)
    yield from two_credentials(lines)
    yield from strange_logins(lines)
    yield from refused_headers(lines)
    yield from refused_at_root(lines)
    yield from without_bearer(lines)
    yield from containers_at_themselves(lines)
    yield from refused_below_stated(lines)


def _is_a_guess(
    seen: Seen, bodies: Sequence[tuple[Seen, Body]], entries: tuple[Symptom, ...]
) -> bool:
    """Whether a program says of the key what the server's answer in the same line does not.

    ``API Key Missing: {"error": {"message": "No endpoints found for …"}}``: a server that speaks
    of the model has let the key through.
    """
    if not _about_the_key(seen):
        return False
    answers = [
        body
        for told, body in bodies
        if told.line == seen.line
        and not told.generic
        and told.causes
        and told.causes[0].code.startswith(_BEHIND_THE_KEY)
    ]
    return any(
        all(own.meaning != seen.meaning for own in _in_line(body.line, body.text, entries))
        for body in answers
    )


def _about_the_key(seen: Seen) -> bool:
    return bool(seen.causes) and seen.causes[0].code in _KEY_IS_AT_FAULT


def _in_bodies(lines: Sequence[str]) -> Iterator[tuple[Seen, Body]]:
    """What the answers of servers mean that stand in the text."""
    for body in (*bodies_in(lines), *empty_answers_in(lines)):
        meaning = meaning_of(body)
        if meaning is not None and not is_of_another(body.text, meaning.causes):
            shown = visible(_shown(body, lines), _KEPT)
            yield Seen(shown, body.line, meaning.text, meaning.causes, meaning.generic), body


def _shown(body: Body, lines: Sequence[str]) -> str:
    return lines[body.line - 1].strip()
