"""Which cause is the likeliest, all symptoms and the settings of this machine considered."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set
from dataclasses import replace

from doctor.explain.model import Cause
from doctor.explain.places import Beside, Hint, InText, OfClient
from doctor.explain.read import Seen
from doctor.explain.rivals import Rivals
from doctor.records import dataclass
from doctor.text import Text, _

# What is seen in the settings is all but certain, and it is still the text that was explained.
_SEEN_HERE = 0.97
_HINTED = 0.15
# A text that hides why no connection came about may mean any fault of the way that is seen here.
_HIDES = frozenset({"KVD301", "KVD310", "KVD311", "KVD312", "KVD313"})
_OF_THE_WAY = ("KVD30", "KVD32")
# General refusals of a key, of a path and of a connection, and the settings that bring them about.
_SAID_OF = (
    (frozenset({"KVD101", "KVD106", "KVD111"}), ("KVD10", "KVD401")),
    (frozenset({"KVD201", "KVD202", "KVD210"}), ("KVD2",)),
    (frozenset({"KVD301", "KVD311"}), ("KVD304",)),
)
_KEYS_DISAGREE, _REFUSED = "KVD110", "KVD111"
_SHOWN = 0.88
_HERE = _("the settings of this machine show it: kvdoctor check says where")


@dataclass(frozen=True, slots=True)
class Ranked:
    """A cause over the whole text. ``here`` says what in the settings of this machine, or in those
    that the text states, fits."""

    cause: Cause
    meaning: Text
    line: int
    text: str
    here: str | None = None


def in_context(seen: Iterable[Seen], here: Mapping[str, str]) -> tuple[Seen, ...]:
    """The symptoms with every cause raised that settings show: this machine's or the text's."""

    def raised(cause: Cause, one: Seen) -> Cause:
        apart = _told_apart(here, one) if cause.code == _KEYS_DISAGREE else None
        if apart is not None:
            return apart
        place = _place(here, cause, one)
        if place is None:
            return cause
        if isinstance(place, InText):
            return stated(cause.code, place)
        hinted = min(cause.likelihood + _HINTED, _SEEN_HERE)
        likelihood = hinted if isinstance(place, Hint) else _SEEN_HERE
        return replace(cause, likelihood=round(likelihood, 3))

    def with_unnamed(one: Seen) -> tuple[Cause, ...]:
        known = {cause.code for cause in one.causes}
        written = tuple(
            stated(code, place)
            for code, place in here.items()
            if isinstance(place, InText) and code not in known and _may_mean(known, code)
        )
        apart = _told_apart(here, one)
        if apart is not None and apart.code not in known:
            written = (*written, apart)
        if not (one.generic and known & _HIDES):
            return (*one.causes, *written)
        unnamed = (
            code
            for code, place in here.items()
            if code.startswith(_OF_THE_WAY)
            and code not in known
            and not isinstance(place, Hint | InText)
        )
        return (*one.causes, *written, *(Cause(code, _SEEN_HERE, _HERE) for code in unnamed))

    return tuple(
        replace(
            one,
            causes=tuple(
                sorted((raised(cause, one) for cause in with_unnamed(one)), key=_by_likelihood)
            ),
        )
        for one in seen
    )


def _told_apart(here: Mapping[str, str], one: Seen) -> Cause | None:
    """Which key of this machine a refusal shows, where another one stands under its name."""
    rivals = here.get(_KEYS_DISAGREE)
    refused = any(cause.code == _REFUSED for cause in one.causes)
    pair = rivals.refused_in(one.text) if refused and isinstance(rivals, Rivals) else None
    if pair is None:
        return None
    told = _(
        "it refuses the key of {refused}; {other} holds another one",
        refused=pair.refused,
        other=pair.other,
    )
    return Cause(_KEYS_DISAGREE, _SHOWN, told)


def stated(code: str, place: InText) -> Cause:
    """A cause that the text itself shows."""
    return Cause(code, _SEEN_HERE, _("{place} states it", place=place))


def _may_mean(known: Set[str], code: str) -> bool:
    """Whether what has the causes ``known`` is what servers say of the fault ``code`` as well."""
    return any(known & causes and code.startswith(codes) for causes, codes in _SAID_OF)


def _place(here: Mapping[str, str], cause: Cause, one: Seen) -> str | None:
    """Where the settings of this machine show this cause of this text."""
    place = here.get(cause.code)
    if isinstance(place, Rivals):
        return str(place) or None
    if (place.client if isinstance(place, OfClient) else "") != cause.client:
        return None
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
