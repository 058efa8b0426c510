"""Which cause is the likeliest, all symptoms and the settings of this machine considered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from doctor.explain.model import Cause
from doctor.explain.read import Seen
from doctor.records import dataclass
from doctor.text import Text, _

# What is seen in the settings is all but certain, and it is still the text that was explained.
_SEEN_HERE = 0.97
_HINTED = 0.15
# A text that hides why no connection came about may mean any fault of the way that is seen here.
_HIDES = frozenset({"KVD301", "KVD310", "KVD311", "KVD312", "KVD313"})
_OF_THE_WAY = ("KVD30", "KVD32")
_HERE = _("the settings of this machine show it: kvdoctor check says where")


class Hint(str):
    """A place that bears on a failed connection and proves nothing: that this machine is a
    container, where the server may be inside; that a proxy is set, which may work, or lacks its
    scheme, which most programs put in front."""

    __slots__ = ()


class Beside(str):
    """A place that says something of the texts of one client alone: those that may mean ``code``
    as well."""

    __slots__ = ("code",)
    code: str

    def __new__(cls, place: str, code: str) -> Beside:
        made = super().__new__(cls, place)
        made.code = code
        return made


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

    def raised(cause: Cause, one: Seen) -> Cause:
        place = _place(here, cause, one)
        if place is None:
            return cause
        hinted = min(cause.likelihood + _HINTED, _SEEN_HERE)
        likelihood = hinted if isinstance(place, Hint) else _SEEN_HERE
        return replace(cause, likelihood=round(likelihood, 3))

    def with_unnamed(one: Seen) -> tuple[Cause, ...]:
        known = {cause.code for cause in one.causes}
        if not (one.generic and known & _HIDES):
            return one.causes
        unnamed = (
            code
            for code, place in here.items()
            if code.startswith(_OF_THE_WAY) and code not in known and not isinstance(place, Hint)
        )
        return (*one.causes, *(Cause(code, _SEEN_HERE, _HERE) for code in unnamed))

    return tuple(
        replace(
            one,
            causes=tuple(
                sorted((raised(cause, one) for cause in with_unnamed(one)), key=_by_likelihood)
            ),
        )
        for one in seen
    )


def _place(here: Mapping[str, str], cause: Cause, one: Seen) -> str | None:
    """Where the settings of this machine show this cause of this text."""
    place = here.get(cause.code)
    if isinstance(place, Beside) and all(other.code != place.code for other in one.causes):
        return None
    return place


def rank(seen: Iterable[Seen], here: Mapping[str, str]) -> tuple[Ranked, ...]:
    """Every cause once, likeliest first. Symptoms that agree strengthen one another."""
    best: dict[str, Ranked] = {}
    for one in seen:
        for cause in one.causes:
            known = best.get(cause.code)
            if known is None:
                place = _place(here, cause, one)
                best[cause.code] = Ranked(cause, one.meaning, one.line, one.text, place)
                continue
            unlikely = (1 - known.cause.likelihood) * (1 - cause.likelihood)
            stronger = replace(known.cause, likelihood=round(1 - unlikely, 3))
            best[cause.code] = replace(known, cause=stronger)
    return tuple(sorted(best.values(), key=lambda ranked: _by_likelihood(ranked.cause)))


def _by_likelihood(cause: Cause) -> tuple[float, str]:
    return (-cause.likelihood, cause.code)
