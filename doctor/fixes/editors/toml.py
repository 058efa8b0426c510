"""TOML: one scalar replaced, or one ``key = value`` line removed.

A scanner notes where every value stands; ``tomllib`` judges whether the text is TOML at all and
whether the edit did what it was to do.
"""

from __future__ import annotations

import copy
import json
import re
import tomllib
from dataclasses import dataclass
from typing import Any, NoReturn

from doctor.fixes.editors.base import (
    Edit,
    line_end,
    line_of,
    line_start,
    literals,
    not_found,
    unsupported,
    would_change_more,
)
from doctor.fixes.refusal import RefusedEdit
from doctor.fixes.steps import EditFile, Operation, Selector, plain
from doctor.text import _

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SPACE = re.compile(r"[ \t]*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_STRING = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}(?!")|\'\'\'.*?\'{3,5}(?!\')|"(?:\\.|[^"\\\n])*"|\'[^\'\n]*\'',
    re.DOTALL,
)
_PLAIN = re.compile(r"[^,\[\]{}#\r\n\"']+")
_COMMENT_TO_END = re.compile(r"[ \t]*(?:#[^\n]*)?\r?\n?")
_LITERAL_STRING = re.compile(r"[\t\x20-\x26\x28-\x7e\u0080-\ud7ff\ue000-\U0010ffff]*")


@dataclass(frozen=True, slots=True)
class Spot:
    """A value's literal, and where its key begins (an item: the value); ``inline`` says that it
    stands in an array or an inline table."""

    start: int
    end: int
    key: int
    inline: bool


def edit(text: str, step: EditFile) -> Edit:
    """The edit that ``step`` asks for. Raises ``RefusedEdit``."""
    if step.operation is Operation.ADD:
        from doctor.fixes.editors.toml_add import add

        return add(text, step)
    before = data_of(text)
    spot = spots(text).get(step.at)
    if spot is None:
        raise not_found(step)
    try:
        value = _member(before, step.at)
    except (KeyError, IndexError, TypeError):
        raise not_found(step) from None
    if not isinstance(value, str | int | float) or _text(value) != plain(step.old):
        raise not_found(step, line_of(text, spot.start))
    expected = copy.deepcopy(before)
    parent = _member(expected, step.at[:-1])
    if step.operation is Operation.REMOVE:
        found = _removal(text, spot, step)
        del parent[step.at[-1]]
    elif step.operation is Operation.SET:
        found = _replacement(text, spot, step)
        parent[step.at[-1]] = tomllib.loads(f"x = {found.text}")["x"]
    else:
        raise unsupported(step)
    try:
        after = tomllib.loads(found.applied(text).removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError:
        after = None
    if after != expected:
        raise would_change_more(step, line_of(text, spot.start))
    return found


def spots(text: str) -> dict[Selector, Spot]:
    """Every value by its path. Raises ``RefusedEdit`` where the scanner loses the text."""
    scanner = _Scanner(text)
    scanner.document()
    return scanner.found


def data_of(text: str) -> dict[str, Any]:
    """What the text says. Raises ``RefusedEdit`` for what is no TOML."""
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        match = re.search(r"\(at line (\d+)", str(error))
        line = int(match.group(1)) if match else None
        reason = str(error).partition(" (at ")[0]
        raise RefusedEdit(_("not TOML: {reason}", reason=reason), line) from None


def _member(data: Any, path: Selector) -> Any:
    for part in path:
        data = data[part]
    return data


def _text(value: str | int | float) -> str:
    return json.dumps(value) if not isinstance(value, str) else value


def _replacement(text: str, spot: Spot, step: EditFile) -> Edit:
    old = text[spot.start : spot.end]
    new = plain(step.new) or ""
    if old[0] == "'" and _LITERAL_STRING.fullmatch(new):
        literal = f"'{new}'"
    elif old[0] in "\"'":
        literal = basic_string(new)
    elif isinstance(step.new, int):
        literal = new
    else:
        literal = basic_string(new)
    hidden = literals(step, old.strip("\"'"), literal[1:-1])
    return Edit(spot.start, spot.end, literal, hidden)


def basic_string(value: str) -> str:
    """``value`` in double quotes."""
    # JSON's escapes are TOML's but for DEL, which JSON leaves as it is.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _removal(text: str, spot: Spot, step: EditFile) -> Edit:
    start, end = line_start(text, spot.key), line_end(text, spot.end)
    rest = _COMMENT_TO_END.fullmatch(text, spot.end, end)
    if spot.inline or text[start : spot.key].strip(" \t\ufeff") or rest is None:
        raise unsupported(step)
    if text.startswith("\ufeff", start):
        start += 1
    return Edit(start, end, "", literals(step, text[spot.start : spot.end].strip("\"'")))


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.found: dict[Selector, Spot] = {}
        self._lengths: dict[Selector, int] = {}

    def refuse(self) -> NoReturn:
        line = line_of(self.text, self.position)
        raise RefusedEdit(_("this TOML is beyond what kvdoctor edits"), line)

    def document(self) -> None:
        if self.text.startswith("\ufeff"):
            self.position = 1
        table: Selector = ()
        while True:
            self._skip(_BLANK)
            if not self._peek():
                return
            if self.text.startswith("[[", self.position):
                table = self._header("[[", "]]")
            elif self._peek() == "[":
                table = self._header("[", "]")
            else:
                self._pair(table, inline=False)

    def _peek(self) -> str:
        return self.text[self.position : self.position + 1]

    def _skip(self, pattern: re.Pattern[str]) -> None:
        match = pattern.match(self.text, self.position)
        if match:
            self.position = match.end()

    def _take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self.text, self.position)
        if match is None:
            self.refuse()
        self.position = match.end()
        return match.group()

    def _expect(self, token: str) -> None:
        if not self.text.startswith(token, self.position):
            self.refuse()
        self.position += len(token)

    def _header(self, opening: str, closing: str) -> Selector:
        self._expect(opening)
        keys = self._dotted_key()
        self._expect(closing)
        path: Selector = ()
        for index, key in enumerate(keys):
            path = (*path, key)
            if index == len(keys) - 1 and opening == "[[":
                self._lengths[path] = self._lengths.get(path, 0) + 1
            if path in self._lengths:
                path = (*path, self._lengths[path] - 1)
        return path

    def _dotted_key(self) -> list[str]:
        keys: list[str] = []
        while True:
            self._skip(_SPACE)
            if self._peek() and self._peek() in "\"'":
                keys.append(str(tomllib.loads(f"x = {self._take(_STRING)}")["x"]))
            else:
                keys.append(self._take(_BARE_KEY))
            self._skip(_SPACE)
            if self._peek() != ".":
                return keys
            self.position += 1

    def _pair(self, table: Selector, *, inline: bool) -> None:
        key = self.position
        path = (*table, *self._dotted_key())
        self._expect("=")
        self._value(path, key, inline=inline)

    def _value(self, path: Selector, key: int | None, *, inline: bool) -> None:
        self._skip(_SPACE)
        start = self.position
        if self._peek() == "[":
            self._array(path)
        elif self._peek() == "{":
            self._inline_table(path)
        elif self._peek() and self._peek() in "\"'":
            self._take(_STRING)
        else:
            taken = self._take(_PLAIN)
            self.position -= len(taken) - len(taken.rstrip())
        self.found[path] = Spot(start, self.position, start if key is None else key, inline)

    def _array(self, path: Selector) -> None:
        self.position += 1
        self._skip(_BLANK)
        index = 0
        while self._peek() != "]":
            self._value((*path, index), None, inline=True)
            index += 1
            self._separator()
        self.position += 1

    def _inline_table(self, path: Selector) -> None:
        self.position += 1
        self._skip(_BLANK)
        while self._peek() != "}":
            self._pair(path, inline=True)
            self._separator()
        self.position += 1

    def _separator(self) -> None:
        self._skip(_BLANK)
        if self._peek() == ",":
            self.position += 1
            self._skip(_BLANK)
        elif not self._peek() or self._peek() not in "]}":
            self.refuse()
