"""On which line a value of a JSON or TOML document stands.

Parsers of the standard library give values without places. These scanners walk a text that such
a parser has already accepted, and note for every path (keys and list indices) the line, counted
from 1, on which its value begins. They never raise: of a text that they do not follow to the end
the lines found so far are given.
"""

from __future__ import annotations

import contextlib
import json
import re
import tomllib

from doctor.patterns import Pattern

Path = tuple[str | int, ...]
Lines = dict[Path, int]

_JSON_BLANK = Pattern(r"(?:[ \t\r\n\ufeff]|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_JSON_STRING = Pattern(r'"(?:\\.|[^"\\])*"', re.DOTALL)
_JSON_PLAIN = Pattern(r"[^\s,\[\]{}:\"/]+")

_TOML_BLANK = Pattern(r"(?:[ \t\r\n\ufeff]|#[^\n]*)*")
_TOML_SPACE = Pattern(r"[ \t]*")
_TOML_BARE_KEY = Pattern(r"[A-Za-z0-9_-]+")
_TOML_STRING = Pattern(
    r""""{3}(?:\\.|[^\\])*?"{3,5}(?!")|'{3}.*?'{3,5}(?!')|"(?:\\.|[^"\\\n])*"|'[^'\n]*\'""",
    re.DOTALL,
)
_TOML_PLAIN = Pattern(r"[^,\[\]{}#\n\"']+")


class _Lost(Exception):
    """The scanner does not follow the text any further."""


def json_lines(text: str) -> Lines:
    """Path → line for JSON, with or without comments and trailing commas."""
    scanner = _Json(text)
    with contextlib.suppress(_Lost, RecursionError):
        scanner.value(())
    return scanner.lines


def toml_lines(text: str) -> Lines:
    """Path → line for TOML. Tables have the line of their first header."""
    scanner = _Toml(text)
    with contextlib.suppress(_Lost, RecursionError):
        scanner.document()
    return scanner.lines


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.lines: Lines = {}
        self._counted = 0
        self._line = 1

    def note(self, path: Path) -> None:
        self._line += self.text.count("\n", self._counted, self.position)
        self._counted = self.position
        self.lines[path] = self._line

    def note_first(self, path: Path) -> None:
        if path not in self.lines:
            self.note(path)

    def peek(self) -> str:
        return self.text[self.position : self.position + 1]

    def skip(self, pattern: Pattern) -> None:
        match = pattern.match(self.text, self.position)
        if match:
            self.position = match.end()

    def take(self, pattern: Pattern) -> str:
        match = pattern.match(self.text, self.position)
        if match is None:
            raise _Lost
        self.position = match.end()
        return match.group()

    def expect(self, token: str) -> None:
        if not self.text.startswith(token, self.position):
            raise _Lost
        self.position += len(token)


class _Json(_Scanner):
    def value(self, path: Path) -> None:
        self.skip(_JSON_BLANK)
        self.note(path)
        if self.peek() == "{":
            self._members(path)
        elif self.peek() == "[":
            self._items(path)
        elif self.peek() == '"':
            self.take(_JSON_STRING)
        else:
            self.take(_JSON_PLAIN)

    def _members(self, path: Path) -> None:
        self.position += 1
        self.skip(_JSON_BLANK)
        while self.peek() != "}":
            key = json.loads(self.take(_JSON_STRING), strict=False)
            self.skip(_JSON_BLANK)
            self.expect(":")
            self.value((*path, key))  # of a key that stands twice the later one counts
            self._separator()
        self.position += 1

    def _items(self, path: Path) -> None:
        self.position += 1
        self.skip(_JSON_BLANK)
        index = 0
        while self.peek() != "]":
            self.value((*path, index))
            index += 1
            self._separator()
        self.position += 1

    def _separator(self) -> None:
        self.skip(_JSON_BLANK)
        if self.peek() == ",":
            self.position += 1
            self.skip(_JSON_BLANK)
        elif self.peek() not in ("]", "}"):
            raise _Lost


class _Toml(_Scanner):
    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._lengths: dict[Path, int] = {}

    def document(self) -> None:
        self.note(())
        table: Path = ()
        while True:
            self.skip(_TOML_BLANK)
            if not self.peek():
                return
            if self.text.startswith("[[", self.position):
                table = self._header("[[", "]]")
            elif self.peek() == "[":
                table = self._header("[", "]")
            else:
                self._pair(table)

    def _header(self, opening: str, closing: str) -> Path:
        self.expect(opening)
        keys = self._dotted_key()
        self.expect(closing)
        path: Path = ()
        for index, key in enumerate(keys):
            path = (*path, key)
            if index == len(keys) - 1 and opening == "[[":
                self.note_first(path)
                self._lengths[path] = self._lengths.get(path, 0) + 1
            if path in self._lengths:
                path = (*path, self._lengths[path] - 1)
            self.note_first(path)
        return path

    def _dotted_key(self) -> list[str]:
        keys: list[str] = []
        while True:
            self.skip(_TOML_SPACE)
            if self.peek() in ('"', "'"):
                keys.append(_toml_string(self.take(_TOML_STRING)))
            else:
                keys.append(self.take(_TOML_BARE_KEY))
            self.skip(_TOML_SPACE)
            if self.peek() != ".":
                return keys
            self.position += 1

    def _pair(self, table: Path) -> None:
        path = table
        keys = self._dotted_key()
        for key in keys[:-1]:
            path = (*path, key)
            self.note_first(path)
        self.expect("=")
        self._value((*path, keys[-1]))

    def _value(self, path: Path) -> None:
        self.skip(_TOML_SPACE)
        self.note(path)
        if self.peek() == "[":
            self._array(path)
        elif self.peek() == "{":
            self._inline_table(path)
        elif self.peek() in ('"', "'"):
            self.take(_TOML_STRING)
        else:
            self.take(_TOML_PLAIN)

    def _array(self, path: Path) -> None:
        self.position += 1
        self.skip(_TOML_BLANK)
        index = 0
        while self.peek() != "]":
            self._value((*path, index))
            index += 1
            self._separator()
        self.position += 1

    def _inline_table(self, path: Path) -> None:
        self.position += 1
        self.skip(_TOML_BLANK)
        while self.peek() != "}":
            self._pair(path)
            self._separator()
        self.position += 1

    def _separator(self) -> None:
        self.skip(_TOML_BLANK)
        if self.peek() == ",":
            self.position += 1
            self.skip(_TOML_BLANK)
        elif self.peek() not in ("]", "}"):
            raise _Lost


def _toml_string(literal: str) -> str:
    value = tomllib.loads(f"x = {literal}")["x"]
    return str(value)
