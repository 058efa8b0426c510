"""Two requests of a log that show, sent one after the other, whether what they share is cached.

The smallest pair will do whose common beginning, in the better order, is long enough for anybody's
cache: hosted services cache from 1,024 tokens on.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from doctor.prefix.lineage import Place
from doctor.prefix.prompts import NoPrompt, Prompt, Reader
from doctor.prefix.rewrite import rewritten
from doctor.prefix.spots import common_prefix

_ENOUGH = 6_000  # characters in common: beyond 1,024 tokens in nearly every tokenizer
_LARGEST = 400_000  # characters of a request that may be sent
_MOST = 64  # lineages
# Less than this is no gain but the label of a spot.
_GAIN = 64


@dataclass(frozen=True, slots=True)
class Pair:
    """``first`` and ``second`` are bodies; ``common`` are the characters at their beginning that
    they share, ``characters`` those of the second."""

    first: Mapping[str, Any]
    second: Mapping[str, Any]
    common: int
    characters: int

    @property
    def shared(self) -> float:
        return self.common / self.characters if self.characters else 0.0


@dataclass(frozen=True, slots=True)
class Sample:
    """``better`` is None where the better order is the one in which they were sent."""

    as_sent: Pair
    better: Pair | None

    @property
    def best(self) -> Pair:
        return self.better or self.as_sent

    @property
    def gain(self) -> int:
        """Characters more that are shared in the better order."""
        return self.best.common - self.as_sent.common

    @property
    def rank(self) -> tuple[bool, bool, int]:
        """The greater the more it shows: a gain, enough in common, then the smaller the cheaper."""
        best = self.best
        enough = best.common >= _ENOUGH
        return (self.better is not None, enough, -best.characters if enough else best.common)


@dataclass(slots=True)
class _Seen:
    smallest: tuple[Prompt, Place]
    latest: tuple[Prompt, Place]
    best: Sample | None = None
    requests: int = 1


class Sampler:
    """Looks at each prompt as it is played (``Analyser(seen=…)``) and keeps the best pair."""

    def __init__(self) -> None:
        self._lineages: dict[int, _Seen] = {}
        self._reader = Reader()

    def __call__(self, prompt: Prompt, place: Place) -> None:
        number = place.lineage.number
        if prompt.characters > _LARGEST:
            return
        known = self._lineages.get(number)
        if known is None:
            if len(self._lineages) < _MOST:
                self._lineages[number] = _Seen((prompt, place), (prompt, place))
            return
        known.requests += 1
        for other in (known.smallest, known.latest):
            self._compare(known, other, (prompt, place))
        known.latest = (prompt, place)
        if prompt.characters < known.smallest[0].characters:
            known.smallest = (prompt, place)

    @property
    def best(self) -> Sample | None:
        """Of the prompt for which most is to be gained, else of the one that is sent most."""
        found = [seen for seen in self._lineages.values() if seen.best is not None]
        if not found:
            return None
        return max(found, key=_worth).best

    def _compare(
        self, known: _Seen, one: tuple[Prompt, Place], other: tuple[Prompt, Place]
    ) -> None:
        best = known.best
        complete = best is not None and best.rank[:2] == (True, True)
        if best is not None and complete and other[0].characters >= best.best.characters:
            return  # nothing but a smaller one is of use, and most are not
        sample = self._sample(one, other)
        if sample is not None and (best is None or sample.rank > best.rank):
            known.best = sample

    def _sample(self, one: tuple[Prompt, Place], other: tuple[Prompt, Place]) -> Sample | None:
        if one[0].body == other[0].body:
            return None
        as_sent = self._pair(one[0].body, other[0].body)
        better = self._pair(rewritten(*_of(one)), rewritten(*_of(other)))
        if as_sent is None or better is None:
            return None
        return Sample(as_sent, better if better.common - as_sent.common >= _GAIN else None)

    def _pair(self, one: Mapping[str, Any], other: Mapping[str, Any]) -> Pair | None:
        try:
            first, second = (_text(self._reader.prompt(body)) for body in (one, other))
        except NoPrompt:
            return None
        return Pair(one, other, common_prefix(first, second), len(second))


def _of(seen: tuple[Prompt, Place]) -> tuple[Mapping[str, Any], Place]:
    return seen[0].body, seen[1]


def _text(prompt: Prompt) -> str:
    return "".join((*prompt.head(prompt.system, prompt.tools), *prompt.turns))


def _worth(seen: _Seen) -> tuple[int, int]:
    assert seen.best is not None
    return seen.best.gain * seen.requests, seen.best.best.common * seen.requests
