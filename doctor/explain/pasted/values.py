"""Objects written in a text: JSON, and what Python and Node print of one.

``Error code: 401 - {'error': {…}}`` is Python's, ``{ error: { message: '…' } }`` is Node's. A text
of others may be anything, so the work is bounded: so many objects, each so long.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from typing import Any

from doctor.patterns import Pattern
from doctor.records import dataclass

_OBJECTS = 200
_LONGEST = 20_000
# A terminal wraps long lines inside of strings.
_DECODER = json.JSONDecoder(strict=False)
_OPENS = Pattern(r"\{\s*(?:['\"]|[A-Za-z_]\w*\s*:|\})")
# Strings first: what stands in them is no syntax.
_TOKEN = Pattern(
    r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`"""
    r"""|[A-Za-z_$][\w$.-]*|-?\d+(?:\.\d+)?|[{}\[\],:]|\s+|.""",
    re.DOTALL,
)
_WORDS = {"null": "None", "undefined": "None", "true": "True", "false": "False", "NaN": "None"}
_PYTHON = frozenset({"None", "True", "False"})


@dataclass(frozen=True, slots=True)
class Value:
    """An object and where it stands: the offsets of its first character and behind its last."""

    start: int
    end: int
    value: dict[str, Any]


def values_in(text: str) -> Iterator[Value]:
    """The outermost objects of ``text``, in order."""
    position = 0
    for _attempt in range(_OBJECTS):
        match = _OPENS.search(text, position)
        if match is None:
            return
        found = _value_at(text, match.start())
        if found is None:
            position = match.start() + 1
        else:
            yield found
            position = found.end


def _value_at(text: str, start: int) -> Value | None:
    piece = text[start : start + _LONGEST]
    try:
        value, end = _DECODER.raw_decode(piece)
    except (ValueError, RecursionError):
        return _printed(piece, start)
    return Value(start, start + end, value) if isinstance(value, dict) else None


def _printed(piece: str, start: int) -> Value | None:
    """Python's or Node's way to print an object, read as Python data. Nothing is evaluated."""
    source, end = _as_python(piece)
    if end is None:
        return None
    try:
        # Python has more than JSON: an ellipsis where something was left out, bytes, sets.
        value = json.loads(json.dumps(ast.literal_eval(source), default=repr))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    return Value(start, start + end, value) if isinstance(value, dict) else None


def _as_python(piece: str) -> tuple[str, int | None]:
    """``piece`` up to the closing brace as a Python literal; None where it does not close."""
    out: list[str] = []
    depth = 0
    for match in _TOKEN.finditer(piece):
        word = match.group()
        if word in "{[":
            depth += 1
        elif word in "}]":
            depth -= 1
        out.append(_token_as_python(word))
        if depth == 0:
            return "".join(out), match.end()
    return "", None


def _token_as_python(word: str) -> str:
    if word[0] in "'\"":
        return word.replace("\n", " ")
    if word[0] == "`":
        return repr(word[1:-1])
    if word in _PYTHON or not (word[0].isalpha() or word[0] in "_$"):
        return word
    return _WORDS.get(word, repr(word))
