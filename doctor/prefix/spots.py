"""The places of a text that change from request to request, and the text without them.

A spot is told by the text before and behind it, which stays the same. So it is found again with
two searches, whatever stands there now.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from doctor.prefix.kinds import CLIENT_GIT, COUNTER, UNIQUE_ID, Kind, kind_of
from doctor.prefix.sections import in_client_git, section

_CONTEXT = 32
_LONGEST = 32_768
_NEAR = 6  # two changes with less between them are one
_MOST_WORDS = 2_000  # of each side: longer ones are not compared word by word
_WORDS = re.compile(r"\w+|\s+|[^\w\s]")


@dataclass(slots=True)
class Spot:
    """``before`` and ``behind`` are empty at the ends of the text. ``values`` are hashes of what
    stood there, up to 100,000, ``examples`` the first two texts. ``seen`` counts the requests that
    have it. ``cause`` is the number that it has among the causes."""

    kind: Kind
    before: str
    behind: str
    offset: int
    examples: tuple[str, str]
    seen: int = 0
    values: set[int] = field(default_factory=set)
    cause: int | None = None


@dataclass(slots=True)
class Cut:
    """``text`` without its spots; ``at`` are (index of the spot, offset in ``text``).

    ``drift`` says that ``text`` was sent in another form: the kind of difference, and from which
    character on.
    """

    text: str
    values: list[str]
    at: list[tuple[int, int]]
    drift: tuple[Kind, int, tuple[str, str]] | None = None


def cut(text: str, spots: Sequence[Spot]) -> Cut:
    """Take the spots out, in the order in which they stand. One that is not there is passed by."""
    if not spots:
        return Cut(text, [], [])
    kept: list[str] = []
    values: list[str] = []
    at: list[tuple[int, int]] = []
    position = length = 0
    for number, spot in enumerate(spots):
        begin = text.find(spot.before, position) if spot.before else position
        if begin < 0:
            continue
        begin += len(spot.before)
        end = text.find(spot.behind, begin, begin + _LONGEST) if spot.behind else len(text)
        if end < 0 or end - begin > _LONGEST:
            continue
        kept.append(text[position:begin])
        length += begin - position
        at.append((number, length))
        values.append(text[begin:end])
        position = end
    kept.append(text[position:])
    return Cut("".join(kept), values, at)


def learn(one: str, other: str) -> list[Spot] | None:
    """The spots in which two texts of one prompt differ, in order.

    None: they differ in more than things that change by themselves, so they are two prompts.
    """
    places: list[_Place] = []
    for span, other_span in _changes(one, other):
        place = _placed(one, span, other, other_span)
        if place is None:
            return None
        # Two changes within one clock, one id or one section are one.
        while places and place.meets(places[-1]):
            place = places.pop().with_(place)
        places.append(place)
    found: list[Spot] = []
    for number, place in enumerate(places):
        # What tells a spot must not reach into its neighbours, which change as well.
        low = places[number - 1] if number else None
        high = places[number + 1] if number + 1 < len(places) else None
        spot = _spot(one, other, place, low, high)
        if spot is None:
            return None
        found.append(spot)
    return found


Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Place:
    """Where two texts differ, and in what kind of thing; ``lines``: in whole lines below a
    heading."""

    kind: Kind
    one: Span
    other: Span
    lines: bool = False

    def meets(self, last: _Place) -> bool:
        return self.one[0] < last.one[1] or self.other[0] < last.other[1]

    def with_(self, more: _Place) -> _Place:
        wider = more.one[0] < self.one[0] or more.other[0] < self.other[0]
        return _Place(
            more.kind if wider else self.kind,
            (min(self.one[0], more.one[0]), max(self.one[1], more.one[1])),
            (min(self.other[0], more.other[0]), max(self.other[1], more.other[1])),
            self.lines or more.lines,
        )


def _placed(one: str, span: Span, other: str, other_span: Span) -> _Place | None:
    line, start = _line(one, span)
    other_line, other_start = _line(other, other_span)
    seen = kind_of(
        line,
        (span[0] - start, span[1] - start),
        other_line,
        (other_span[0] - other_start, other_span[1] - other_start),
    )
    of_git = in_client_git(one, span[0]) and in_client_git(other, other_span[0])
    if seen is None or (of_git and seen.kind is UNIQUE_ID):
        place = _sectioned(one, span, other, other_span)
        return replace(place, kind=CLIENT_GIT) if place is not None and of_git else place
    return _Place(
        CLIENT_GIT if of_git else seen.kind,
        (seen.one[0] + start, seen.one[1] + start),
        (seen.other[0] + other_start, seen.other[1] + other_start),
    )


def _sectioned(one: str, span: Span, other: str, other_span: Span) -> _Place | None:
    """The whole section in which the two differ: what changed in it will change elsewhere in it."""
    mine, theirs = section(one, span), section(other, other_span)
    if mine is None or theirs is None or mine.heading != theirs.heading:
        return None
    if mine.start > span[0] or theirs.start > other_span[0]:
        return None
    return _Place(mine.kind, (mine.start, mine.end), (theirs.start, theirs.end), lines=True)


def _spot(
    one: str, other: str, place: _Place, low: _Place | None, high: _Place | None
) -> Spot | None:
    (start, end), (other_start, other_end) = place.one, place.other
    begin, other_begin = (0, 0) if low is None else (low.one[1], low.other[1])
    close, other_close = (len(one), len(other)) if high is None else (high.one[0], high.other[0])
    before = _common_end(one[begin:start], other[other_begin:other_start])
    behind = _common_begin(one[end:close], other[other_end:other_close])
    if place.lines:
        # The lines above the heading and below the next one may change as well.
        before = _last_line(before)
        behind = _next_line(behind)
    if start == 0 and other_start == 0:
        before = ""
    elif not before:
        return None
    if end == len(one) and other_end == len(other):
        behind = ""
    elif not behind:
        return None
    return Spot(place.kind, before, behind, start, (one[start:end], other[other_start:other_end]))


def _last_line(text: str) -> str:
    at = text.rstrip().rfind("\n")
    return text[at:] if at > 0 else text


def _next_line(text: str) -> str:
    at = text.find("\n", len(text) - len(text.lstrip()))
    return text[: at + 1] if at > 0 else text


def _line(text: str, span: tuple[int, int]) -> tuple[str, int]:
    """The lines around ``span``, bounded, and where they begin."""
    start = max(text.rfind("\n", 0, span[0]) + 1, span[0] - 200)
    end = text.find("\n", span[1])
    end = len(text) if end < 0 else end
    return text[start : min(end, span[1] + 200)], start


def _common_end(one: str, other: str) -> str:
    length = 0
    while length < min(len(one), len(other), _CONTEXT) and one[-1 - length] == other[-1 - length]:
        length += 1
    return one[len(one) - length :]


def _common_begin(one: str, other: str) -> str:
    length = 0
    while length < min(len(one), len(other), _CONTEXT) and one[length] == other[length]:
        length += 1
    return one[:length]


def _changes(one: str, other: str) -> list[tuple[Span, Span]]:
    """Where the two differ, as pairs of spans; one where to tell them apart would take too long."""
    start = common_prefix(one, other)
    start = _word_start(one, start)
    end = _common_suffix(one, other, start)
    end = _word_end(one, len(one) - end)
    behind = len(one) - end
    middle, other_middle = one[start:end], other[start : len(other) - behind]
    words, other_words = _WORDS.findall(middle), _WORDS.findall(other_middle)
    if max(len(words), len(other_words)) > _MOST_WORDS:
        return [((start, end), (start, len(other) - behind))]
    matcher = difflib.SequenceMatcher(None, words, other_words, autojunk=False)
    places, other_places = _places(words, start), _places(other_words, start)
    found: list[tuple[Span, Span]] = []
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag == "equal":
            continue
        span, other_span = (places[a], places[b]), (other_places[c], other_places[d])
        if (
            found
            and span[0] - found[-1][0][1] < _NEAR
            and "\n" not in one[found[-1][0][1] : span[0]]
        ):
            last, other_last = found[-1]
            found[-1] = ((last[0], span[1]), (other_last[0], other_span[1]))
        else:
            found.append((span, other_span))
    return found


def _places(words: Sequence[str], start: int) -> list[int]:
    places = [start]
    for word in words:
        places.append(places[-1] + len(word))
    return places


def common_prefix(one: str, other: str) -> int:
    """How many characters two texts share at their beginning."""
    low, high = 0, min(len(one), len(other))
    if one[:high] == other[:high]:
        return high
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _common_suffix(one: str, other: str, start: int) -> int:
    low, high = 0, min(len(one), len(other)) - start
    while low < high:
        middle = (low + high + 1) // 2
        if one[len(one) - middle : len(one) - low] == other[len(other) - middle : len(other) - low]:
            low = middle
        else:
            high = middle - 1
    return low


def _word_start(text: str, at: int) -> int:
    while at > 0 and at <= len(text) and _is_word(text[at - 1]):
        at -= 1
    return at


def _word_end(text: str, at: int) -> int:
    while at < len(text) and _is_word(text[at]):
        at += 1
    return at


def _is_word(char: str) -> bool:
    return char.isalnum() or char == "_"


__all__ = ["COUNTER", "Cut", "Spot", "common_prefix", "cut", "learn"]
