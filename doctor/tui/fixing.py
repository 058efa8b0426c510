"""Fixes as the app shows them: what would be written, what was, what was taken back."""

from __future__ import annotations

from dataclasses import dataclass

from doctor.models import Applicability


@dataclass(frozen=True, slots=True)
class Part:
    """One fix. ``diff`` is a unified diff with keys masked, empty where no file can help;
    ``commands`` are lines to run. ``refused`` says why it cannot be written."""

    id: str
    code: str
    title: str
    applicability: Applicability
    proved: bool
    diff: str = ""
    commands: tuple[str, ...] = ()
    refused: str | None = None

    @property
    def writable(self) -> bool:
        return bool(self.diff) and self.refused is None


@dataclass(frozen=True, slots=True)
class Proposal:
    """The fixes of some findings. ``plan`` is the fix engine's own, which the app only hands
    back."""

    parts: tuple[Part, ...]
    plan: object = None


@dataclass(frozen=True, slots=True)
class Applied:
    """What was written: ``files`` as people know them. ``commands`` repair the running shell,
    which no file can reach."""

    files: tuple[str, ...]
    commands: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Undone:
    """What was put back."""

    files: tuple[str, ...]
