"""Which cause is the likeliest, all symptoms and the settings of this machine considered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from doctor.explain.model import Cause
from doctor.explain.read import Seen
from doctor.records import dataclass
from doctor.text import Text

# What is seen in the settings is all but certain, and it is still the text that was explained.
_SEEN_HERE = 0.97


@dataclass(frozen=True, slots=True)
class Ranked:
    """A cause over the whole text. ``here`` says what in the settings of this machine fits."""

    cause: Cause
    meaning: Text
    line: int
    text: str
    here: str | None = None


def in_context(seen: Iterable[Seen], here: Mapping[str, str]) -> tuple[Seen, ...]:
    """The symptoms with every cause raised that the settings of this machine show."""

    def raised(cause: Cause) -> Cause:
        return replace(cause, likelihood=_SEEN_HERE) if cause.code in here else cause

    return tuple(
        replace(one, causes=tuple(sorted(map(raised, one.causes), key=_by_likelihood)))
        for one in seen
    )


def rank(seen: Iterable[Seen], here: Mapping[str, str]) -> tuple[Ranked, ...]:
    """Every cause once, likeliest first. Symptoms that agree strengthen one another."""
    best: dict[str, Ranked] = {}
    for one in seen:
        for cause in one.causes:
            known = best.get(cause.code)
            if known is None:
                place = here.get(cause.code)
                best[cause.code] = Ranked(cause, one.meaning, one.line, one.text, place)
                continue
            unlikely = (1 - known.cause.likelihood) * (1 - cause.likelihood)
            stronger = replace(known.cause, likelihood=round(1 - unlikely, 3))
            best[cause.code] = replace(known, cause=stronger)
    return tuple(sorted(best.values(), key=lambda ranked: _by_likelihood(ranked.cause)))


def _by_likelihood(cause: Cause) -> tuple[float, str]:
    return (-cause.likelihood, cause.code)
