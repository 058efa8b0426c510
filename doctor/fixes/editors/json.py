"""JSON with or without comments and trailing commas: one literal replaced, or one member removed.

A scanner notes where every value stands; ``json`` itself, given the text with comments blanked
out, judges whether the text is JSON at all and whether the edit did what it was to do.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from doctor.fixes.editors.base import (
    Edit,
    line_end,
    line_of,
    line_start,
    literals,
    not_found,
    not_unique,
    unsupported,
    would_change_more,
)
from doctor.fixes.refusal import RefusedEdit
from doctor.fixes.steps import EditFile, Operation, Selector, plain
from doctor.secrets import Secret
from doctor.text import _

_BLANK = re.compile(r"(?:[ \t\r\n]|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
_STRING = re.compile(r'"(?:\\.|[^"\\\n])*"')
_PLAIN = re.compile(r"-?[A-Za-z0-9.+\-]+")
_COMMENT_OR_STRING = re.compile(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_TRAILING_COMMA = re.compile(r'("(?:\\.|[^"\\\n])*")|,(?=\s*[}\]])', re.DOTALL)
_ESCAPED_UNICODE = re.compile(r"\\u[0-9A-Fa-f]{4}")


@dataclass(frozen=True, slots=True)
class Spot:
    """A value: its literal's stretch, and where its member's key begins (an item: the value)."""

    start: int
    end: int
    member: int


def edit(text: str, step: EditFile) -> Edit:
    """The edit that ``step`` asks for. Raises ``RefusedEdit``."""
    if step.operation is Operation.ADD:
        from doctor.fixes.editors.json_add import add

        return add(text, step)
    before = data_of(text)
    spot = _find(text, step)
    if step.operation is Operation.REMOVE:
        found = _removal(text, spot, step)
        expected = _without(before, step.at)
    elif step.operation is Operation.SET:
        found = _replacement(text, spot, step)
        expected = _with(before, step.at, json.loads(found.text))
    elif step.operation is Operation.RENAME:
        found = _new_name(text, spot, step)
        expected = _renamed(before, step)
    else:
        raise unsupported(step)
    if _read(found.applied(text)) != (expected,):
        raise would_change_more(step, line_of(text, spot.start))
    return found


def spots(text: str) -> dict[Selector, list[Spot]]:
    """Every value of a JSON text by its path; a key that stands twice has two.

    Raises ``RefusedEdit`` for what is no JSON.
    """
    scanner = _Scanner(text)
    scanner.document()
    return scanner.found


def _find(text: str, step: EditFile) -> Spot:
    known = spots(text)
    for length in range(1, len(step.at) + 1):
        if len(known.get(step.at[:length], ())) > 1:
            raise not_unique(step)  # readers take the last one, people see the first one
    if step.at not in known:
        raise not_found(step)
    spot = known[step.at][0]
    value = json.loads(text[spot.start : spot.end]) if text[spot.start] not in "{[" else None
    if not isinstance(value, str | int | float) or plain(step.old) != _text(value):
        raise not_found(step, line_of(text, spot.start))
    return spot


def _text(value: str | int | float) -> str:
    return json.dumps(value) if not isinstance(value, str) else value


def _replacement(text: str, spot: Spot, step: EditFile) -> Edit:
    old = text[spot.start : spot.end]
    new = step.new.reveal() if isinstance(step.new, Secret) else step.new
    if old.startswith('"'):
        # A number in quotes stays one: whoever reads the file may insist on a string.
        ascii_only = bool(_ESCAPED_UNICODE.search(old))
        literal = json.dumps(plain(step.new), ensure_ascii=ascii_only)
    else:
        literal = json.dumps(new)
    return Edit(spot.start, spot.end, literal, literals(step, old[1:-1], literal[1:-1]))


def _new_name(text: str, spot: Spot, step: EditFile) -> Edit:
    name = _STRING.match(text, spot.member)
    if name is None or not isinstance(step.at[-1], str):
        raise unsupported(step)  # an item of a list has no name
    hidden = literals(step, text[spot.start : spot.end].strip('"'))
    return Edit(spot.member, name.end(), json.dumps(plain(step.new)), hidden)


def _renamed(data: Any, step: EditFile) -> Any:
    """Raises ``RefusedEdit`` where the new name is taken."""
    holder = data
    for key in step.at[:-1]:
        holder = holder[key]
    old, new = step.at[-1], plain(step.new) or ""
    if new in holder:
        raise not_unique(replace(step, at=(*step.at[:-1], new)))
    named = {new if name == old else name: value for name, value in holder.items()}
    return _with(data, step.at[:-1], named)


def _removal(text: str, spot: Spot, step: EditFile) -> Edit:
    """Take a member out, with one comma and with its line where nothing else stands on it."""
    start, end = spot.member, spot.end
    hidden = literals(step, text[spot.start : spot.end].strip('"'))
    gap = _BLANK.match(text, end)
    after = gap.end() if gap else end
    if text.startswith(",", after):
        end = after + 1
    else:
        comma = _comma_before(text, start)
        if comma is not None and not _trailing_commas(text):
            # The last member: the comma that led to it goes, what stands between stays.
            between = text[comma + 1 : start]
            kept = between.rstrip() if between.strip() else ""
            return Edit(comma, end, kept, hidden)
    first, last = line_start(text, start), line_end(text, end)
    if not text[first:start].strip() and not text[end:last].strip():
        start, end = first, last
    return Edit(start, end, "", hidden)


def _comma_before(text: str, position: int) -> int | None:
    """The comma ahead of a member, past blanks and comments."""
    commas = [
        match.start()
        for match in re.finditer(r'"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/|,', text, re.DOTALL)
        if match.group() == "," and match.start() < position
    ]
    if not commas:
        return None
    gap = _BLANK.match(text, commas[-1] + 1)
    return commas[-1] if gap and gap.end() == position else None


def _trailing_commas(text: str) -> bool:
    """Whether the file has trailing commas already, so that one more does no harm."""
    plain_text = _COMMENT_OR_STRING.sub(_blank_comment, text)
    return any(match.group(1) is None for match in _TRAILING_COMMA.finditer(plain_text))


def data_of(text: str) -> Any:
    """What the text says. Raises ``RefusedEdit`` for what is no JSON."""
    read = _read(text)
    if read is None:
        spots(text)  # says the line
        raise RefusedEdit(_("the file is not JSON"))
    return read[0]


def _read(text: str) -> tuple[Any] | None:
    """The data in a tuple of one, None for what is no JSON."""
    plain_text = _COMMENT_OR_STRING.sub(_blank_comment, text.removeprefix("\ufeff"))
    plain_text = _TRAILING_COMMA.sub(lambda match: match.group(1) or " ", plain_text)
    try:
        return (json.loads(plain_text),)
    except (ValueError, RecursionError):
        return None


def _blank_comment(match: re.Match[str]) -> str:
    token = match.group()
    return token if token.startswith('"') else re.sub(r"[^\n]", " ", token)


def _with(data: Any, path: Selector, value: Any) -> Any:
    if not path:
        return value
    copy: Any = dict(data) if isinstance(data, dict) else list(data)
    copy[path[0]] = _with(copy[path[0]], path[1:], value)
    return copy


def _without(data: Any, path: Selector) -> Any:
    copy: Any = dict(data) if isinstance(data, dict) else list(data)
    if len(path) == 1:
        del copy[path[0]]
    else:
        copy[path[0]] = _without(copy[path[0]], path[1:])
    return copy


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.found: dict[Selector, list[Spot]] = {}

    def refuse(self, message: str) -> NoReturn:
        reason = _("not JSON: {reason}", reason=message)
        raise RefusedEdit(reason, line_of(self.text, self.position))

    def document(self) -> None:
        if self.text.startswith("\ufeff"):
            self.position = 1
        try:
            self._value((), None)
        except RecursionError:
            self.refuse(_("nested too deeply"))
        self._blank()
        if self.position < len(self.text):
            self.refuse(_("text behind the end"))

    def _peek(self) -> str:
        return self.text[self.position : self.position + 1]

    def _blank(self) -> None:
        match = _BLANK.match(self.text, self.position)
        if match:
            self.position = match.end()

    def _string(self) -> str:
        match = _STRING.match(self.text, self.position)
        if match is None:
            self.refuse(_("a string in double quotes is due"))
        try:
            value: str = json.loads(match.group())
        except ValueError:
            self.refuse(_("a string that is not allowed"))
        self.position = match.end()
        return value

    def _value(self, path: Selector, member: int | None) -> None:
        self._blank()
        start = self.position
        char = self._peek()
        if char == "{":
            self._members(path)
        elif char == "[":
            self._items(path)
        elif char == '"':
            self._string()
        else:
            match = _PLAIN.match(self.text, self.position)
            if match is None:
                self.refuse(_("a value is due"))
            try:
                json.loads(match.group())
            except ValueError:
                self.refuse(_("a value is due"))
            self.position = match.end()
        spot = Spot(start, self.position, start if member is None else member)
        self.found.setdefault(path, []).append(spot)

    def _members(self, path: Selector) -> None:
        self.position += 1
        self._blank()
        while self._peek() != "}":
            member = self.position
            key = self._string()
            self._blank()
            if self._peek() != ":":
                self.refuse(_("a colon is due"))
            self.position += 1
            self._value((*path, key), member)
            self._separator("}")
        self.position += 1

    def _items(self, path: Selector) -> None:
        self.position += 1
        self._blank()
        index = 0
        while self._peek() != "]":
            self._value((*path, index), None)
            index += 1
            self._separator("]")
        self.position += 1

    def _separator(self, closing: str) -> None:
        self._blank()
        if self._peek() == ",":
            self.position += 1
            self._blank()
        elif self._peek() != closing:
            self.refuse(_("a comma or {closing} is due", closing=closing))
