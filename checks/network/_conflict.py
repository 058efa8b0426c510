"""Two cases of one variable that say different things, and what the other one would do."""

from __future__ import annotations

from doctor.proxyrules import Route, route, values
from doctor.proxyrules.variables import Chosen
from doctor.records import dataclass

from ._way import Way


@dataclass(frozen=True, slots=True)
class Conflict:
    """``winner`` is in effect for the examined client, ``loser`` is not; ``otherwise`` is the
    client's way if the winner were not set."""

    winner: Chosen
    loser: Chosen
    otherwise: Route


def conflicts(way: Way) -> tuple[Conflict, ...]:
    """The pairs of which the other one would lead this target another way: NO_PROXY first."""
    found = (_conflict(way, key) for key in ("no", way.target.scheme, "all"))
    return tuple(conflict for conflict in found if conflict is not None)


def conflict_that_hides_exclusion(way: Way) -> Conflict | None:
    """The NO_PROXY that would have excluded the target if the other case did not win."""
    conflict = _conflict(way, "no")
    if conflict is None or not way.proxy:
        return None
    excluded = conflict.otherwise.proxy is None and conflict.otherwise.error is None
    return conflict if excluded else None


def _conflict(way: Way, key: str) -> Conflict | None:
    variables = way.variables
    lower, upper = variables.find(f"{key}_proxy"), variables.find(f"{key.upper()}_PROXY")
    if lower is None or upper is None or lower.name == upper.name or _alike(key, lower, upper):
        return None
    stack, target = way.mine.stack, way.target
    now = route(stack, target, variables)
    without_lower = route(stack, target, variables.without([lower.name]))
    without_upper = route(stack, target, variables.without([upper.name]))
    winner_is_lower = _same_way(now, without_upper)
    otherwise = without_lower if winner_is_lower else without_upper
    if _same_way(now, otherwise):
        return None
    pair = (lower, upper) if winner_is_lower else (upper, lower)
    return Conflict(*pair, otherwise)


def _alike(key: str, lower: Chosen, upper: Chosen) -> bool:
    if key != "no":
        return values.same_proxy(lower.value, upper.value)
    lists = [{entry.strip() for entry in chosen.value.split(",")} for chosen in (lower, upper)]
    return lists[0] == lists[1]


def _same_way(left: Route, right: Route) -> bool:
    return (left.proxy, left.error) == (right.proxy, right.error)
