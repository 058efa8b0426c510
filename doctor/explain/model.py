"""What the dictionary is made of."""

from __future__ import annotations

import re
from collections.abc import Callable

from doctor.records import dataclass
from doctor.text import Text


@dataclass(frozen=True, slots=True)
class Cause:
    """One possible cause of a text. ``likelihood`` is between 0 and 1, judged by the text alone;
    ``tell_apart`` says what would settle it; ``changes`` are flags or variables as they could be
    written instead, the best first. With a ``client`` only its own settings bear on it."""

    code: str
    likelihood: float
    tell_apart: Text
    changes: tuple[str, ...] = ()
    client: str = ""


# What a text can mean may depend on what it says: a port, a character, a path.
Causes = tuple[Cause, ...] | Callable[[re.Match[str]], tuple[Cause, ...]]


@dataclass(frozen=True, slots=True)
class Symptom:
    """A text that people paste, and what it means.

    ``generic`` texts ("Connection error.") count only where nothing more telling stands in the
    same log.
    """

    pattern: re.Pattern[str]
    meaning: Text
    causes: Causes
    generic: bool = False

    def of(self, match: re.Match[str]) -> tuple[Cause, ...]:
        return self.causes if isinstance(self.causes, tuple) else self.causes(match)


def symptom(
    pattern: str,
    meaning: Text,
    *causes: Cause | Callable[[re.Match[str]], tuple[Cause, ...]],
    generic: bool = False,
) -> Symptom:
    """A dictionary entry; ``pattern`` is searched in one line, whatever the case."""
    compiled = re.compile(pattern, re.IGNORECASE)
    if len(causes) == 1 and not isinstance(causes[0], Cause):
        return Symptom(compiled, meaning, causes[0], generic)
    fixed = tuple(cause for cause in causes if isinstance(cause, Cause))
    return Symptom(compiled, meaning, fixed, generic)
