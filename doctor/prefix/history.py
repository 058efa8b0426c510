"""Conversations: whether a later request still begins with the turns of the one before it.

Two requests are of one conversation if they share an early turn. That one of their earlier turns
differs is a fault only where the turns behind it are the same again: conversations that merely
begin alike part for good.
"""

from __future__ import annotations

import itertools
import re
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass

from doctor.prefix.kinds import CLOCK, Kind, only_blanks_differ, reordered, stamped
from doctor.prefix.lineage import BLANKS, ORDER
from doctor.prefix.resent import resent
from doctor.prefix.spots import Spot, learn

REWRITTEN = Kind("KVD712", "rewritten")
EVICTED = Kind("KVD712", "evicted")
WRAPPED = Kind("KVD712", "wrapped")

_MOST_CHARACTERS = 16 * 1024 * 1024  # of all conversations that are remembered
_RECENT = 32  # of them a prompt of one turn is looked through for
_NEWEST = 12  # turns from the end among which the last one of the request before may be
# A conversation written out as text: for its title, its tags, a summary.
_WRITTEN_OUT = re.compile(
    r"^\W{0,4}(?:ai|assistant|bot|model|助手)\W{0,4}[:：>]", re.IGNORECASE | re.MULTILINE
)
_TELLING = 24  # characters of a turn by which a conversation is known
_TELLING_RUN = 48  # of several turns in a row, none of which need be that long
_SUMMARY = 2  # turns that stand for those that were taken out: a summary, and its acknowledgement
# What a client adds to a turn, and what a model thought: a whole element of mark-up.
_ADDED = re.compile(r"<(?P<name>[A-Za-z][\w-]*)(?: [^<>]*)?>.*?</(?P=name)>", re.DOTALL)


@dataclass(slots=True)
class Break:
    """Where a conversation's history changed. ``turn`` is the index of the turn, ``examples`` are
    what stood there and what stands there now."""

    kind: Kind
    turn: int
    examples: tuple[str, str]
    spot: Spot | None = None


@dataclass(slots=True)
class _Conversation:
    """``turns`` as they were sent last, ``kept`` as they would be had none been changed. ``moved``
    says that turns had fallen out of them since the request before."""

    turns: list[str]
    kept: list[str]
    characters: int
    moved: bool = False


@dataclass(slots=True)
class _Found:
    """What turns go on with."""

    kept: list[str]
    broken: Break | None = None
    moved: bool = False


class Conversations:
    """The recent ones of a log, of every lineage."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[int, str], _Conversation] = OrderedDict()
        self._characters = 0

    def follow(self, lineage: int, turns: list[str]) -> tuple[list[str], Break | None]:
        """The turns as they would be with the history unchanged, and the change if there is one."""
        keys = [(lineage, turn) for turn in (*_early(turns), *_first_unstamped(turns))]
        found = self._found(lineage, turns, keys)
        kept, broken, moved = turns, None, False
        if found is not None:
            kept, broken, moved = found.kept, found.broken, found.moved
        elif len(turns) == 1 and _WRITTEN_OUT.search(turns[0]):
            broken = self._wrapped(turns[0])
        if turns and (last := (lineage, turns[-1])) not in keys:
            keys.append(last)
        if turns and (bare := _bare(turns[-1])) != turns[-1]:
            keys.append((lineage, bare))
        self._remember(keys, _Conversation(turns, kept, sum(map(len, turns)), moved))
        return kept, broken

    def _found(self, lineage: int, turns: list[str], keys: list[tuple[int, str]]) -> _Found | None:
        """What ``turns`` go on with: rather a conversation that is as it was than a changed one."""
        changed = None
        for known in self._asked(lineage, turns, keys):
            found = _continued(known, turns)
            if found is not None and found.broken is None and not found.moved:
                return found
            changed = changed or found
        return changed

    def _asked(
        self, lineage: int, turns: list[str], keys: list[tuple[int, str]]
    ) -> Iterator[_Conversation]:
        """Those that ``turns`` may go on with, the likeliest first."""
        tried: list[_Conversation] = []
        # The last turn of the request before is the last but two of this one, or stands before the
        # results of several tools.
        recent = ((lineage, turn) for turn in turns[-4 : -_NEWEST - 1 : -1])
        last = [(lineage, turns[-3])] if len(turns) > 2 else []
        for key in itertools.chain(last, keys, recent):
            known = self._known.get(key)
            if known is not None and not any(known is one for one in tried):
                tried.append(known)
                yield known

    def _wrapped(self, turn: str) -> Break | None:
        """Whether ``turn`` holds a conversation that was sent as turns before."""
        for known in itertools.islice(reversed(self._known.values()), _RECENT):
            first = known.turns[0].partition("\n")[2].strip()
            at = turn.find(first) if first else -1
            if at > len("user\n"):
                return Break(WRAPPED, 0, (known.turns[0][:200], turn[:200]))
        return None

    def _remember(self, keys: list[tuple[int, str]], conversation: _Conversation) -> None:
        for key in keys:
            before = self._known.pop(key, None)
            if before is not None:
                self._characters -= before.characters
            self._known[key] = conversation
            self._characters += conversation.characters
        while self._characters > _MOST_CHARACTERS and len(self._known) > 1:
            _key, oldest = self._known.popitem(last=False)
            self._characters -= oldest.characters


def _early(turns: list[str]) -> list[str]:
    """A conversation is known by its first turn, and by its first answer for where that changes."""
    return [turn for turn in turns[:2] if len(turn) >= _TELLING or turn is turns[0]]


def _continued(known: _Conversation, turns: list[str]) -> _Found | None:
    """None: ``turns`` are not known to be of that conversation."""
    old = known.turns
    length = len(old)
    if turns[:length] == old:
        return _Found(known.kept + turns[length:])
    first = next(
        (i for i in range(min(length, len(turns))) if turns[i] != old[i]), min(length, len(turns))
    )
    if first >= len(turns):
        return _Found(turns)  # an earlier point of the conversation, asked again
    if first == 0 and _stamped_anew(old, turns):
        return _Found(known.kept + turns[length:], Break(CLOCK, 0, (old[0], turns[0])))
    # Of as many turns it may be the same question, asked twice: each has calls of its own.
    if len(turns) > length and (anew := resent(old, turns, first)) is not None:
        kept = known.kept + turns[length:]
        return _Found(kept, Break(anew.kind, anew.turn, anew.examples))
    if (
        len(turns) >= length
        and first < length
        and turns[first + 1 : length] == old[first + 1 :]
        and _of_one(old, turns, first)
    ):
        kept = known.kept + turns[length:]
        return _Found(kept, _in_turn(first, old[first], turns[first]))
    return _moved(known, turns, first)


def _first_unstamped(turns: list[str]) -> Iterator[str]:
    """The first turn by which a conversation is known although the clock in front of it changes."""
    told = _unstamped(turns[0]) if turns else None
    if told is not None:
        yield told[1]


def _stamped_anew(old: list[str], turns: list[str]) -> bool:
    """Whether a template wrote the time of the request before every turn: it is the same before
    all of them, and another one than in the request before."""
    if not 1 < len(old) < len(turns):
        return False
    pairs = [(_unstamped(one), _unstamped(other)) for one, other in zip(old, turns, strict=False)]
    if any(one is None or other is None or one[1] != other[1] for one, other in pairs):
        return False
    stamps = {other[0] for _one, other in pairs if other is not None}
    before = {one[0] for one, _other in pairs if one is not None}
    return len(stamps) == len(before) == 1 and stamps != before


def _unstamped(turn: str) -> tuple[str, str] | None:
    """The clock before a turn's text, and the turn without it."""
    role, end, text = turn.partition("\n")
    told = stamped(text)
    return None if told is None else (told[0], f"{role}{end}{told[1]}")


def _moved(known: _Conversation, turns: list[str], first: int) -> _Found | None:
    """Where turns fell out at ``first``. To let many go once in a while is right: it is a fault
    where as many go as come, or where some went before the last request already."""
    old = known.turns
    again = _same_again(old, turns, first)
    if again is None:
        return None
    behind, kind = again
    if kind is EVICTED and not known.moved:
        gone = len(old) + len(turns[behind:]) - len(turns)
        if gone > len(turns) - behind:
            return _Found(turns, moved=True)
    kept = known.kept + turns[behind:]
    return _Found(kept, Break(kind, first, (old[first], turns[first])), moved=True)


def _of_one(old: list[str], turns: list[str], first: int) -> bool:
    """Whether it is the same turn that differs, with ``first`` the only one that does."""
    one, other = old[first], turns[first]
    if first + 1 < len(old) and (_telling(old[first + 1 :]) or _within(one, other)):
        return True
    # It is known by itself where only what nobody typed differs, and the conversation went on.
    return len(turns) > first + 1 and _alike(one, other)


def _in_turn(index: int, old: str, new: str) -> Break:
    """One turn was changed, and all behind it is as it was."""
    if only_blanks_differ(old, new):
        return Break(BLANKS, index, (old, new))
    if reordered(old, new):
        return Break(ORDER, index, (old, new))
    # What a model wrote holds no clock or counter that somebody put there anew.
    spots = None if _is_answer(old) else learn(old, new)
    if spots:
        return Break(spots[0].kind, index, spots[0].examples, spots[0])
    return Break(REWRITTEN, index, (old, new))


def _same_again(old: list[str], turns: list[str], first: int) -> tuple[int, Kind] | None:
    """Where in ``turns`` the conversation goes on after its last known turn, if that turn is there
    although those at ``first`` are others: turns were taken out, summed up or merged."""
    last = old[-1]
    if len(old) - first < 2:
        return None
    for index in range(len(turns) - 1, -1, -1):
        if turns[index] == last:
            kind = _met_again(old, turns, first, index)
            return None if kind is None else (index + 1, kind)
    return None


def _met_again(old: list[str], turns: list[str], first: int, index: int) -> Kind | None:
    """How the last known turn is met again at ``index``, if as one of the same conversation."""
    run = 0
    while run < min(len(old), index + 1) and turns[index - run] == old[-1 - run]:
        run += 1
    again = old[len(old) - run :]
    gap = index + 1 - run - first
    kind = EVICTED if gap <= 0 else REWRITTEN
    before = turns[max(0, index - 2) : index]
    if len(old[-1]) >= _TELLING and _telling([turn for turn in before if turn in old]):
        return kind
    # Turns of a few words are met in other conversations as well, unless nothing else is there.
    wanted = _TELLING_RUN if gap <= 0 else 2 * _TELLING_RUN
    told = sum(len(turn.partition("\n")[2]) for turn in again)
    known = run > 1 and gap <= _SUMMARY and any(map(_is_answer, again))
    return kind if known and told >= wanted else None


def _telling(turns: list[str]) -> bool:
    """Whether an answer is among them: people write the same words in many conversations, models
    do not write the same long answer."""
    return any(_is_answer(turn) and len(turn) >= _TELLING for turn in turns)


def _is_answer(turn: str) -> bool:
    return turn.startswith("assistant\n")


def _within(one: str, other: str) -> bool:
    """Whether something was only taken out of, or put into, a turn at one of its ends."""
    one, other = (turn.partition("\n")[2] for turn in (one, other))
    shorter, longer = sorted((one, other), key=len)
    return len(shorter) >= _TELLING and (longer.endswith(shorter) or longer.startswith(shorter))


def _alike(one: str, other: str) -> bool:
    """Whether two turns differ in blanks, in the order of what is in them, or in added elements
    alone."""
    if only_blanks_differ(one, other) or reordered(one, other):
        return True
    bare, other_bare = _bare(one), _bare(other)
    if _is_answer(one) and one != bare and other != other_bare:
        return False  # two answers, each thought about
    return bare.split() == other_bare.split()


def _bare(turn: str) -> str:
    """A turn without the elements that a client or the model's thinking adds; as it is where
    nothing else is in it."""
    if "</" not in turn:
        return turn
    role, end, text = turn.partition("\n")
    bare = _ADDED.sub("", text).strip()
    return f"{role}{end}{bare}" if bare else turn
