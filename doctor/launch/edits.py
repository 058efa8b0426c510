"""Edits of a launch line: what a ``Change`` is to a connection."""

from __future__ import annotations

from collections.abc import Iterable

from doctor.launch.model import Argument, Span
from doctor.records import dataclass


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of the line: words ``first`` to ``last`` (both included) become ``words``; with
    ``last`` = ``first`` - 1 they are put in before ``first``. ``spans`` change the text itself.
    ``flag``, ``old`` and ``new`` tell it."""

    flag: str
    old: str
    new: str
    reason: str
    first: int = -1
    last: int = -2
    words: tuple[str, ...] = ()
    spans: tuple[Span, ...] = ()
    code: str = ""


def removed(argument: Argument, reason: str, flag: str = "") -> Edit:
    """Take ``argument`` out, with the words behind it that nobody takes."""
    last = max(argument.last, *argument.spilled) if argument.spilled else argument.last
    return Edit(
        flag or argument.spelled,
        _told(argument),
        "",
        reason,
        argument.first,
        last,
    )


def replaced(argument: Argument, words: Iterable[str], reason: str) -> Edit:
    """Put ``words`` in the place of ``argument``."""
    new = tuple(words)
    last = max(argument.last, *argument.spilled) if argument.spilled else argument.last
    return Edit(
        argument.spelled,
        _told(argument),
        " ".join(new),
        reason,
        argument.first,
        last,
        new,
    )


def valued(argument: Argument, value: str) -> tuple[str, ...]:
    """The words of ``argument`` with another value, joined by ``=`` if it is."""
    if argument.joined:
        return (f"{argument.spelled}={value}",)
    return (argument.spelled, value)


def _told(argument: Argument) -> str:
    if argument.joined and argument.values:
        return f"{argument.spelled}={argument.values[0]}"
    return " ".join((argument.spelled, *argument.values))
