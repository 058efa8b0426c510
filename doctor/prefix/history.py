"""Conversations: whether a later request still begins with the turns of the one before it.

Two requests are of one conversation if they share an early turn. That one of their earlier turns
differs is a fault only where the turns behind it are the same again: conversations that merely
begin alike part for good.
"""

from __future__ import annotations

import itertools
import re
from collections import OrderedDict
from dataclasses import dataclass

from doctor.prefix.kinds import Kind, only_blanks_differ
from doctor.prefix.lineage import BLANKS, ORDER
from doctor.prefix.spots import Spot, learn

REWRITTEN = Kind("KVD712", "rewritten")
WRAPPED = Kind("KVD712", "wrapped")

_MOST_CHARACTERS = 16 * 1024 * 1024  # of all conversations that are remembered
_RECENT = 32  # of them a prompt of one turn is looked through for
# A conversation written out as text: for its title, its tags, a summary.
_WRITTEN_OUT = re.compile(
    r"^\W{0,4}(?:ai|assistant|bot|model|助手)\W{0,4}[:：>]", re.IGNORECASE | re.MULTILINE
)
_TELLING = 24  # characters of a turn by which a conversation is known


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
    """``turns`` as they were sent last, ``kept`` as they would be had none been changed."""

    turns: list[str]
    kept: list[str]
    characters: int


class Conversations:
    """The recent ones of a log, of every lineage."""

    def __init__(self) -> None:
        self._known: OrderedDict[tuple[int, str], _Conversation] = OrderedDict()
        self._characters = 0

    def follow(self, lineage: int, turns: list[str]) -> tuple[list[str], Break | None]:
        """The turns as they would be with the history unchanged, and the change if there is one."""
        keys = [(lineage, turn) for turn in _early(turns)]
        # The last turn of the request before is the last but two of this one.
        asked = [(lineage, turns[-3]), *keys] if len(turns) > 2 else keys
        kept, broken = turns, None
        for key in asked:
            if (known := self._known.get(key)) is not None:
                kept, broken = _continued(known, turns)
                break
        else:
            if len(turns) == 1 and _WRITTEN_OUT.search(turns[0]):
                broken = self._wrapped(turns[0])
        if turns and (last := (lineage, turns[-1])) not in keys:
            keys.append(last)
        self._remember(keys, _Conversation(turns, kept, sum(map(len, turns))))
        return kept, broken

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


def _continued(known: _Conversation, turns: list[str]) -> tuple[list[str], Break | None]:
    old = known.turns
    length = len(old)
    if turns[:length] == old:
        return known.kept + turns[length:], None
    first = next(
        (i for i in range(min(length, len(turns))) if turns[i] != old[i]), min(length, len(turns))
    )
    if first >= len(turns):
        return turns, None  # an earlier point of the conversation, asked again
    if (
        len(turns) >= length
        and turns[first + 1 : length] == old[first + 1 :]
        and first + 1 < length
        and (_telling(old[first + 1 :]) or _within(old[first], turns[first]))
    ):
        return known.kept + turns[length:], _in_turn(first, old[first], turns[first])
    behind = _same_again(old, turns, first)
    if behind is None:
        return turns, None
    rest = turns[behind:]
    return known.kept + rest, Break(REWRITTEN, first, (old[first], turns[first]))


def _in_turn(index: int, old: str, new: str) -> Break:
    """One turn was changed, and all behind it is as it was."""
    if only_blanks_differ(old, new):
        return Break(BLANKS, index, (old, new))
    if len(old) == len(new) and sorted(old) == sorted(new):
        return Break(ORDER, index, (old, new))
    # What a model wrote holds no clock or counter that somebody put there anew.
    spots = None if old.startswith("assistant\n") else learn(old, new)
    if spots:
        return Break(spots[0].kind, index, spots[0].examples, spots[0])
    return Break(REWRITTEN, index, (old, new))


def _same_again(old: list[str], turns: list[str], first: int) -> int | None:
    """Where in ``turns`` the conversation goes on after its last known turn, if that turn is there
    although those at ``first`` are others: turns were taken out, summed up or merged."""
    last = old[-1]
    if len(last) < _TELLING or len(old) - first < 2:
        return None
    for index in range(len(turns) - 1, -1, -1):
        if turns[index] == last:
            before = turns[max(0, index - 2) : index]
            return index + 1 if _telling([turn for turn in before if turn in old]) else None
    return None


def _telling(turns: list[str]) -> bool:
    """Whether an answer is among them: people write the same words in many conversations, models
    do not write the same long answer."""
    return any(turn.startswith("assistant\n") and len(turn) >= _TELLING for turn in turns)


def _within(one: str, other: str) -> bool:
    """Whether something was only taken out of, or put into, a turn at one of its ends."""
    one, other = (turn.partition("\n")[2] for turn in (one, other))
    shorter, longer = sorted((one, other), key=len)
    return len(shorter) >= _TELLING and (longer.endswith(shorter) or longer.startswith(shorter))
