"""Which exercises there are, in which order, and what each of them asks for."""

from __future__ import annotations

import enum
from collections.abc import Mapping

from doctor.demo.scenarios import Area, Scenario, scenarios
from doctor.records import dataclass
from doctor.text import Text, _, listed


class Task(enum.Enum):
    """MEND: change the files until the request is answered. NAME: say which fault it is, where
    no file of the user's can mend it."""

    MEND = "mend"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class Case:
    """A scenario as an exercise: the one with ``number`` of ``level``, both from 1 on.

    ``id`` is what the learner sees, for the name of most scenarios is the cause itself.
    """

    scenario: Scenario
    level: int
    number: int
    task: Task

    @property
    def name(self) -> str:
        return self.scenario.name

    @property
    def id(self) -> str:
        return f"{self.level}.{self.number}"


LEVELS: Mapping[int, Text] = {
    1: _("The key"),
    2: _("The address"),
    3: _("The way, the model and the budget"),
    4: _("Several faults, one behind another"),
    5: _("Faults that are named, not mended"),
}
_LEVEL_OF = {
    Area.CREDENTIALS: 1,
    Area.ENDPOINT: 2,
    Area.NETWORK: 3,
    Area.RESPONSE: 3,
    Area.TOKENS: 3,
    Area.COMBINED: 4,
}
_WHERE: Mapping[Area, Text] = {
    Area.CREDENTIALS: _("Look at the key: its characters, where it comes from, how it is sent."),
    Area.ENDPOINT: _("Look at the address: which path this client makes of it."),
    Area.NETWORK: _("Look at the way to the server: the proxy, the port, what answers first."),
    Area.RESPONSE: _("Look at the model's name and at what the answer really holds."),
    Area.TOKENS: _("Look at the number of tokens: what is asked for, and what there is."),
    Area.ENGINE: _("Look behind the address: at the engine, its load and its cache."),
    Area.COMBINED: _("There is more than one fault: the second shows once the first is gone."),
}


def cases() -> tuple[Case, ...]:
    """All of them by level, the easiest first. What is healthy is no exercise."""
    by_level: dict[int, list[Scenario]] = {level: [] for level in LEVELS}
    for scenario in scenarios():
        if not scenario.healthy:
            by_level[_LEVEL_OF[scenario.area] if scenario.proved else max(LEVELS)].append(scenario)
    return tuple(
        Case(scenario, level, number, Task.MEND if scenario.proved else Task.NAME)
        for level, found in by_level.items()
        for number, scenario in enumerate(found, 1)
    )


def find(name: str) -> Case:
    """By id (``1.3``) or by the scenario's name. Raises ``KeyError``."""
    for case in cases():
        if name in (case.id, case.name):
            return case
    raise KeyError(name)


def hints(case: Case, settings: tuple[str, ...]) -> tuple[Text, ...]:
    """From the direction to the cause. ``settings`` are the names of those that are wrong."""
    first = _WHERE[case.scenario.area]
    last = _("The cause: {broken}", broken=case.scenario.broken)
    if case.task is Task.NAME:
        return first, _few(case), last
    if len(settings) == 1:
        return first, _("One setting has to change: {name}.", name=settings[0]), last
    return first, _("These settings have to change: {names}.", names=listed(settings)), last


def _few(case: Case) -> Text:
    """The right code among others of its area, always the same ones."""
    from doctor.codes import SLUGS

    (code, *_more) = case.scenario.codes
    area = sorted(one for one in SLUGS if one.startswith(code[:4]))
    place = area.index(code)
    start = max(0, min(place - int(code[-1]) % 3, len(area) - 4))
    shown = ", ".join(f"{one} {SLUGS[one]}" for one in area[start : start + 4])
    return _("It is one of these: {codes}.", codes=shown)
