"""Values of options: the type that argparse asks for, with its complaint."""

from __future__ import annotations

from argparse import ArgumentTypeError

from doctor.text import _


def whole(text: str) -> int:
    try:
        return int(text.replace("_", "").replace(",", ""))
    except ValueError:
        raise ArgumentTypeError(_("a whole number, not {value}", value=text)) from None


def number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ArgumentTypeError(_("a number, not {value}", value=text)) from None


def count(text: str) -> int:
    value = whole(text)
    if value < 1:
        raise ArgumentTypeError(_("at least 1, not {value}", value=text))
    return value


def counts(text: str) -> tuple[int, ...]:
    return tuple(count(part) for part in text.split(","))


def rates(text: str) -> tuple[float, ...]:
    values = tuple(number(part) for part in text.split(","))
    if not all(0 < value <= 10_000 for value in values):
        raise ArgumentTypeError(
            _("more than 0 and at most 10,000 a second, not {value}", value=text)
        )
    return values


def share(text: str) -> float:
    value = number(text)
    if not 0 <= value <= 1:
        raise ArgumentTypeError(_("from 0 to 1, not {value}", value=text))
    return value


def positive(text: str) -> float:
    value = number(text)
    if not 0 < value <= 3600:
        raise ArgumentTypeError(_("more than 0 and at most 3600 seconds, not {value}", value=text))
    return value
