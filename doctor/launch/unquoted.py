"""JSON that a shell takes apart because no quotes hold it together."""

from __future__ import annotations

import json

from doctor.launch.layout import quoted
from doctor.launch.model import Argument, Launch, Span
from doctor.records import dataclass


@dataclass(frozen=True, slots=True)
class Unquoted:
    """The words from ``first`` to ``last`` are one JSON value of ``argument``."""

    argument: Argument
    first: int
    last: int
    written: str
    spans: tuple[Span, ...]


def unquoted(launch: Launch) -> tuple[Unquoted, ...]:
    """``--speculative-config {"method": "ngram"}`` in a shell: the quotes go, blanks part it."""
    found = []
    for argument in launch.arguments:
        if not argument.values or argument.joined or not argument.values[0].startswith("{"):
            continue
        first = argument.first + 1
        if first >= len(launch.words):
            continue
        start = launch.words[first].start
        if start < 0 or launch.text[start] != "{":
            continue
        for last in range(first, min(first + 60, len(launch.words))):
            if not launch.words[last].text.endswith("}"):
                continue
            end = launch.words[last].end
            written = launch.text[start:end]
            if _is_object(written) and written != launch.words[first].text:
                spans = (Span(start, end, quoted("shell", written)),)
                found.append(Unquoted(argument, first, last, written, spans))
                break
    return tuple(found)


def _is_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False


def covered(launch: Launch) -> frozenset[int]:
    """The words of all such values, and of the flags in front of them."""
    return frozenset(
        index for one in unquoted(launch) for index in range(one.argument.first, one.last + 1)
    )
