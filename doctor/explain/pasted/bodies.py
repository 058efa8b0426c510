"""The bodies of HTTP answers in a text, each with what is known of its status."""

from __future__ import annotations

import bisect
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Any

from doctor.explain.pasted.heads import Head, heads_in, status_before
from doctor.explain.pasted.values import values_in
from doctor.patterns import Pattern
from doctor.probes.reading.errorbody import error_in_success, error_of
from doctor.probes.reading.jsontext import NotJson, parse
from doctor.records import dataclass

# More is a whole log; its first part says what is wrong.
_LONGEST = 200_000
_DEPTH = 3
_PAGE = Pattern(r"<(?:!doctype\s{1,20}html|html[\s>])", re.IGNORECASE)
_DATA = Pattern(r"^\s*<?\s*data:\s?(?P<data>.+)$")
_TITLE_STATUS = Pattern(r"<title>\s*(?P<status>[45]\d\d)\b", re.IGNORECASE)
_VALIDATED = Pattern(r"type validation failed: value:\s*$", re.IGNORECASE)
_KEPT = 4_000
_ERROR_STATUS = range(400, 600)


@dataclass(frozen=True, slots=True)
class Body:
    """``line`` counts from 1. ``text`` is the body itself, ``events`` the data of a stream.

    ``status`` is None where the text does not tell it.
    """

    line: int
    text: str
    status: int | None = None
    headers: dict[str, str] = field(default_factory=dict)
    events: tuple[str, ...] = ()


def bodies_in(lines: Sequence[str]) -> tuple[Body, ...]:
    """Answers of a server, in order; an object that is none (settings, a request) is left out."""
    text = "\n".join(lines)[:_LONGEST]
    starts = _line_starts(text)
    heads = list(heads_in(lines))
    streams = list(_streams(lines))
    taken = {number for stream, numbers in streams for number in numbers}
    found = [stream for stream, _numbers in streams]
    for value in values_in(text):
        line = bisect.bisect_right(starts, value.start)
        if line in taken:
            continue
        status = _validated_or(text, value.start)
        for inner in _answers(value.value, _DEPTH):
            found.append(_body(inner, line, status, heads))
    found += _pages(text, starts, heads)
    return tuple(sorted(found, key=lambda body: body.line))


def empty_answers_in(lines: Sequence[str]) -> tuple[Body, ...]:
    """Answers of which curl shows nothing but status and headers."""
    return tuple(Body(head.line, "", head.status, head.headers) for head in heads_in(lines))


def _validated_or(text: str, start: int) -> int | None:
    """The AI SDK validates what came with status 200 only, whatever the value itself says."""
    if _VALIDATED.search(text[max(0, start - 60) : start]):
        return 200
    return status_before(text, start)


def _line_starts(text: str) -> list[int]:
    return [0, *(match.end() for match in re.finditer("\n", text))]


def _body(value: dict[str, Any], line: int, status: int | None, heads: list[Head]) -> Body:
    head = _head_of(line, heads)
    told = None if status == 200 else _status_in(value)
    if head is not None and told is None:
        return Body(line, json.dumps(value), head.status, head.headers)
    return Body(line, json.dumps(value), told if told is not None else status)


def _head_of(line: int, heads: list[Head]) -> Head | None:
    above = [head for head in heads if head.line < line]
    return above[-1] if above else None


def _status_in(value: dict[str, Any]) -> int | None:
    """A status that the error itself tells."""
    error = value.get("error")
    for holder in (value, error if isinstance(error, dict) else {}):
        for name in ("status", "statusCode", "status_code", "httpStatus", "code"):
            told = holder.get(name)
            if isinstance(told, str) and told.isdecimal():
                told = int(told[:4])
            if isinstance(told, int) and not isinstance(told, bool) and told in _ERROR_STATUS:
                return told
    return None


def _answers(value: dict[str, Any], depth: int) -> Iterator[dict[str, Any]]:
    """The innermost answers: gateways and clients wrap what they were told in their own words."""
    inner = [found for text in _strings(value, depth) for found in _inside(text, depth)]
    inner += [found for child in _children(value) for found in _answers(child, depth - 1)]
    if inner:
        yield from inner
    elif is_answer(value):
        yield value


def _inside(text: str, depth: int) -> Iterator[dict[str, Any]]:
    if depth > 0 and "{" in text:
        for found in values_in(text[:_LONGEST]):
            yield from _answers(found.value, depth - 1)


def _strings(value: Any, depth: int) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict) and depth > 0:
        for item in value.values():
            yield from _strings(item, depth - 1)


def _children(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Where loggers put what a server said. An answer's own parts are no answers."""
    if is_answer(value):
        return
    for name in ("response", "data", "body", "err", "cause", "detail", "meta"):
        child = value.get(name)
        if isinstance(child, dict):
            yield child


def is_answer(value: dict[str, Any]) -> bool:
    """Whether a server of models would say this: an error, or (part of) a completion."""
    if "messages" in value or "input" in value:
        return False  # a request
    if "choices" in value or str(value.get("object", "")).startswith("chat.completion"):
        return True
    if value.get("type") == "message" and "content" in value:
        return True
    if value.get("object") == "response" and "output" in value:
        return True
    if isinstance(value.get("usage"), dict) and "model" in value:
        return True
    error = error_in_success(value)
    return error is not None and bool(error.said) and error_of(value) is not None


def _streams(lines: Sequence[str]) -> Iterator[tuple[Body, range]]:
    """Runs of ``data:`` lines, with the numbers of their lines."""
    events: list[str] = []
    first = 0
    for number, line in enumerate((*lines, "end"), 1):
        match = _DATA.match(line)
        if match is not None and _is_event(match.group("data")):
            first = first or number
            events.append(match.group("data"))
        elif events and line.strip() and not line.lstrip("< ").startswith(("event:", "id:", ":")):
            yield Body(first, "", 200, events=tuple(events)), range(first, number)
            events, first = [], 0


def _is_event(data: str) -> bool:
    text = data.strip()
    return text == "[DONE]" or (text.startswith("{") and parse(text) is not NotJson)


def _pages(text: str, starts: list[int], heads: list[Head]) -> Iterator[Body]:
    """The first page; a log that repeats itself holds it many times."""
    match = _PAGE.search(text)
    if match is None:
        return
    line = bisect.bisect_right(starts, match.start())
    page = text[match.start() : match.start() + _KEPT]
    head = _head_of(line, heads)
    titled = _TITLE_STATUS.search(page)
    if head is not None:
        yield Body(line, page, head.status, head.headers)
    elif titled is not None:
        yield Body(line, page, int(titled.group("status")))
    else:
        yield Body(line, page, status_before(text, match.start()))
