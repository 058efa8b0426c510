"""Which requests have the same prompt behind them, and what in it changes.

A lineage is one application's prompt for one model: its system text and tools. Requests belong to
it whose texts, without the spots known so far, are equal, or differ only in things that change by
themselves, which are then learnt as further spots.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from doctor.prefix.kinds import TEXT, Kind, keeps_changing, only_blanks_differ, reordered
from doctor.prefix.prompts import Prompt
from doctor.prefix.spots import Cut, Spot, common_prefix, cut, learn

BLANKS = Kind("KVD704", "blanks")
ORDER = Kind("KVD705", "order")
SALT = Kind("KVD702", "salt")

_MOST = 64  # lineages of one model that are compared with
_ATTEMPTS = 40  # to learn, per lineage: what changes in ever new places is no spot
_ENDS = 48
_FORMS = 16
_SHORT = 400  # characters: such texts are always compared


@dataclass(slots=True)
class Text:
    """One text of a lineage (its system text, its tools) and what changes in it."""

    path: str
    latest: str
    spots: list[Spot] = field(default_factory=list)
    attempts: int = 0
    # Other forms of the same text, which are met again and again.
    forms: dict[str, tuple[Kind, int, tuple[str, str]]] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Lineage:
    """``salts`` are the distinct ones, up to a few."""

    number: int
    model: str
    system: Text
    tools: Text
    requests: int = 0
    salts: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Place:
    """Where a request belongs, and its two texts without the spots. ``system_path`` is where the
    request itself has its system text: those of one lineage may be of several APIs."""

    lineage: Lineage
    system: Cut
    tools: Cut
    system_path: str


class Lineages:
    """All of a log. ``place`` learns as it goes.

    ``refused`` are texts before spots that were learnt once and are none: what stands there comes
    again and again, so it tells several prompts apart.
    """

    def __init__(self, refused: frozenset[str] = frozenset()) -> None:
        self.all: list[Lineage] = []
        self._refused = refused
        self._by_model: dict[str, list[Lineage]] = {}
        self._by_ends: dict[tuple[str, str], Lineage] = {}

    def place(self, prompt: Prompt) -> Place:
        """The lineage of ``prompt``, a new one where none fits."""
        tried: list[Lineage] = []
        for key in _keys(prompt):
            known = self._by_ends.get(key)
            if known is not None and known not in tried:
                place = self._fits(known, prompt)
                if place is not None:
                    return place
                tried.append(known)
        for known in reversed(self._by_model.get(prompt.model, [])[-_MOST:]):
            if known not in tried and _alike(known.system.latest, prompt.system):
                place = self._fits(known, prompt)
                if place is not None:
                    self._remember(known, prompt)
                    return place
        return self._new(prompt)

    def forget_counts(self) -> None:
        """Keep what was learnt, but not how often it was seen: the same requests come again."""
        for lineage in self.all:
            lineage.requests = 0
            lineage.salts.clear()
            for text in (lineage.system, lineage.tools):
                for spot in text.spots:
                    spot.seen = 0
                    spot.values.clear()

    def learnt_too_much(self) -> Lineages | None:
        """Another one, that has learnt nothing yet, to learn again with; None where all is well."""
        found = {
            spot.before
            for lineage in self.all
            for text in (lineage.system, lineage.tools)
            for spot in text.spots
            if spot.kind is TEXT and not keeps_changing(len(spot.values), spot.seen)
        }
        return None if found <= self._refused else Lineages(self._refused | found)

    def _fits(self, known: Lineage, prompt: Prompt) -> Place | None:
        system = _meet(known.system, prompt.system, self._refused)
        if system is None:
            return None
        tools = _meet(known.tools, prompt.tools, self._refused, tools=True)
        if tools is None:
            return None
        known.requests += 1
        if prompt.salt and len(known.salts) < 8:
            known.salts.add(prompt.salt)
        return Place(known, system, tools, prompt.system_path)

    def _new(self, prompt: Prompt) -> Place:
        lineage = Lineage(
            number=len(self.all),
            model=prompt.model,
            system=Text(prompt.system_path, prompt.system),
            tools=Text("tools", prompt.tools),
            requests=1,
            salts={prompt.salt} if prompt.salt else set(),
        )
        self.all.append(lineage)
        self._by_model.setdefault(prompt.model, []).append(lineage)
        self._remember(lineage, prompt)
        system, tools = Cut(prompt.system, [], []), Cut(prompt.tools, [], [])
        return Place(lineage, system, tools, prompt.system_path)

    def _remember(self, lineage: Lineage, prompt: Prompt) -> None:
        if len(self._by_ends) < 50_000:
            for key in _keys(prompt):
                self._by_ends[key] = lineage


def _keys(prompt: Prompt) -> Iterator[tuple[str, str]]:
    """The model and the ends of the texts: volatile text stands at one end at most."""
    yield prompt.model, "<" + prompt.system[:_ENDS]
    yield prompt.model, ">" + prompt.system[-_ENDS:]


def _alike(one: str, other: str) -> bool:
    """Whether most of the shorter text is at the beginning or the end of the other."""
    shorter = min(len(one), len(other))
    if shorter == 0 or max(len(one), len(other)) > 20 * shorter + 400:
        return False
    half = (shorter + 1) // 2
    return (
        one[:half] == other[:half]
        or one[len(one) - half :] == other[len(other) - half :]
        or (shorter < _SHORT)
        or _squeezed(one) == _squeezed(other)
    )


def _squeezed(text: str) -> str:
    """The beginning without blanks and signs."""
    return "".join(filter(str.isalnum, text[: 4 * _ENDS]))[:_ENDS]


def _meet(
    text: Text, now: str, refused: frozenset[str] = frozenset(), *, tools: bool = False
) -> Cut | None:
    """``now`` without the spots of ``text``, which may become more; None where it is another."""
    if not text.spots and now == text.latest:
        return Cut(now, [], [])
    made = cut(now, text.spots)
    if made.text == text.latest:
        _count(text, made)
        return made
    drift = text.forms.get(made.text) or _drift(text.latest, made.text, tools)
    if drift is not None:
        if len(text.forms) < _FORMS:
            text.forms[made.text] = drift
        _count(text, made)
        return Cut(text.latest, made.values, made.at, drift)
    if text.attempts >= _ATTEMPTS:
        return None
    text.attempts += 1
    return _learnt(text, now, made, refused)


def _learnt(text: Text, now: str, made: Cut, refused: frozenset[str]) -> Cut | None:
    found = learn(text.latest, made.text)
    if not found or any(spot.kind is TEXT and spot.before in refused for spot in found):
        return None
    spots = _in_order(text, found)
    again = cut(now, spots)
    # The earlier text, without its own new spots, must now be the same.
    before = cut(text.latest, found)
    if again.text != before.text:
        return None
    for spot in found:
        spot.values.add(hash(spot.examples[0]))
        spot.seen = 1
    text.spots, text.latest = spots, again.text
    _count(text, again)
    return again


def _in_order(text: Text, found: list[Spot]) -> list[Spot]:
    """Old and new spots in the order in which they stand; offsets are in the text without spots."""
    return sorted((*text.spots, *found), key=lambda spot: spot.offset)


def _count(text: Text, made: Cut) -> None:
    for (number, _offset), value in zip(made.at, made.values, strict=True):
        spot = text.spots[number]
        spot.seen += 1
        if len(spot.values) < 100_000:
            spot.values.add(hash(value))


def _drift(one: str, other: str, tools: bool) -> tuple[Kind, int, tuple[str, str]] | None:
    kind = None
    if tools and one and other and len(one) == len(other) and sorted(one) == sorted(other):
        kind = ORDER
    elif only_blanks_differ(one, other):
        kind = BLANKS
    elif not tools and reordered(one, other):
        kind = ORDER
    if kind is None:
        return None
    at = common_prefix(one, other)
    around = slice(max(0, at - 30), at + 30)
    return kind, at, (one[around], other[around])
