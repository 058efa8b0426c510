"""TOML: one new ``key = value`` line, in its table, which is appended where it is missing."""

from __future__ import annotations

import re
import tomllib
from typing import Any

from doctor.fixes.editors.base import Edit, line_end, newline_of, would_change_more
from doctor.fixes.editors.json_add import with_new
from doctor.fixes.editors.toml import basic_string, data_of, spots
from doctor.fixes.refusal import RefusedEdit
from doctor.fixes.steps import EditFile, Selector, plain
from doctor.text import _

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_HEADER = re.compile(r"^[ \t]*\[(?!\[)[^\n]*\][ \t]*(?:#[^\n]*)?\r?$", re.MULTILINE)
_ANY_HEADER = re.compile(r"^[ \t]*\[", re.MULTILINE)


def add(text: str, step: EditFile) -> Edit:
    """The edit that puts ``step.new`` at ``step.at``. Raises ``RefusedEdit``, also where something
    stands there already."""
    before = data_of(text)
    if not all(isinstance(key, str) for key in step.at):
        raise RefusedEdit(_("nothing can be added to this kind of list"))
    if _is_there(before, step.at):
        raise RefusedEdit(_("{name} is set already", name=step.name))
    found = _inserted(text, step)
    try:
        after = data_of(found.applied(text))
    except RefusedEdit:
        after = {}
    if after != with_new(before, step.at, step.new):
        raise would_change_more(step)
    return found


def _is_there(data: Any, path: Selector) -> bool:
    for key in path:
        if not isinstance(data, dict) or key not in data:
            return False
        data = data[key]
    return True


def _inserted(text: str, step: EditFile) -> Edit:
    newline = newline_of(text)
    table, key = step.at[:-1], str(step.at[-1])
    line = f"{_key(key)} = {_literal(step)}{newline}"
    header = _header_end(text, table)
    if header is None:
        gap = "" if not text.strip("\ufeff \t\r\n") else newline
        start = "" if not text or text.endswith("\n") else newline
        named = ".".join(_key(str(part)) for part in table)
        return Edit(len(text), len(text), f"{start}{gap}[{named}]{newline}{line}")
    own = [
        spot.end
        for path, spot in spots(text).items()
        if path[:-1] == table and len(path) == len(step.at) and not spot.inline
    ]
    own = [end for end in own if end >= header]
    position = line_end(text, max(own)) if own else header
    if not table and not own:
        return Edit(
            position, position, line + (newline if _ANY_HEADER.match(text, position) else "")
        )
    start = "" if position == 0 or text[position - 1 : position] == "\n" else newline
    return Edit(position, position, start + line)


def _header_end(text: str, table: Selector) -> int | None:
    """Behind the header of the table; for the top, ahead of everything that is no comment."""
    if not table:
        position = 1 if text.startswith("\ufeff") else 0
        while text.startswith("#", position):
            position = line_end(text, position)
        return position
    for match in _HEADER.finditer(text):
        if _keys(match.group()) == table:
            return line_end(text, match.end())
    return None


def _keys(header: str) -> Selector:
    """The path that a header names; empty for what is none."""
    try:
        data: Any = tomllib.loads(header)
    except tomllib.TOMLDecodeError:
        return ()
    path: list[str] = []
    while isinstance(data, dict) and data:
        key = next(iter(data))
        path.append(key)
        data = data[key]
    return tuple(path)


def _key(key: str) -> str:
    return key if _BARE.fullmatch(key) else basic_string(key)


def _literal(step: EditFile) -> str:
    if isinstance(step.new, bool | int):
        return plain(step.new) or ""
    return basic_string(plain(step.new) or "")
