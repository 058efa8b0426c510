"""What every reader of env files gives back."""

from __future__ import annotations

from doctor.records import dataclass


@dataclass(frozen=True, slots=True)
class Assignment:
    """One variable as the reader understands it. ``line`` counts from 1, where it begins."""

    line: int
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class Reading:
    """All assignments in the order of the file; of two with one name the later wins.

    ``refusal`` is why the reader rejects the file, at ``refusal_line``. Some readers then take
    nothing at all, a shell keeps what came before: ``assignments`` says what is left.
    """

    assignments: tuple[Assignment, ...] = ()
    refusal: str | None = None
    refusal_line: int | None = None
