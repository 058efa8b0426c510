"""Whether what was found for a report is right, and the score over many."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .case import Case
from .examine import Seen

_HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Expected:
    """``codes`` may each come first; ``areas`` are beginnings of further ones. ``by_kind`` says
    that only the kind of the report is known."""

    codes: tuple[str, ...]
    areas: tuple[str, ...] = ()
    several: bool = False
    by_kind: bool = False
    why: str = ""

    def holds(self, code: str) -> bool:
        return code in self.codes or any(code.startswith(area) for area in self.areas)

    @property
    def shown(self) -> str:
        areas = (f"{area}xx" for area in self.areas)
        return " ".join((*self.codes, *areas)) or "nothing"


@dataclass(frozen=True, slots=True)
class Verdict:
    """``ok``: the first code is right. ``named``: a right one is among all that were found."""

    case: Case
    expected: Expected
    seen: Seen

    @property
    def ok(self) -> bool:
        codes = self.seen.codes
        if not (self.expected.codes or self.expected.areas):
            return not codes
        if self.expected.several:
            stated = (*self.seen.roots, *self.seen.explained) or codes[:1]
            return any(map(self.expected.holds, stated))
        return bool(codes) and self.expected.holds(codes[0])

    @property
    def named(self) -> bool:
        return self.ok or any(map(self.expected.holds, self.seen.codes))


class Expectations:
    """What is expected of which report: by its id, else by its kind."""

    def __init__(self) -> None:
        self._by_id: dict[str, Any] = {}
        for path in sorted(
            _HERE.glob("*expected.toml")
        ):  # the reports' own, and that of more.jsonl
            self._by_id |= tomllib.loads(path.read_text("utf-8"))
        self._by_kind = tomllib.loads((_HERE / "kinds.toml").read_text("utf-8"))

    def of(self, case: Case) -> Expected:
        known = self._by_id.get(case.id)
        if known is not None:
            several = known.get("several", False)
            return Expected(tuple(known["codes"]), (), several, False, known["why"])
        parts = self._by_kind.get(case.kind, ())
        codes = tuple(f"KVD{part}" for part in parts if len(part) == 3)
        areas = tuple(f"KVD{part}" for part in parts if len(part) == 1)
        return Expected(codes, areas, by_kind=True)


def misses() -> dict[str, str]:
    """The reports that are known to be missed today, with the reason."""
    return dict(tomllib.loads((_HERE / "misses.toml").read_text("utf-8")))


def score(verdicts: Iterable[Verdict]) -> tuple[int, int]:
    """How many are right, of how many."""
    judged = [verdict.ok for verdict in verdicts]
    return sum(judged), len(judged)
