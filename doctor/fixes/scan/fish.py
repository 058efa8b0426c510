"""fish's start-up files: ``set -gx NAME value`` and ``export NAME=value``.

Nothing is run. A variable with several values, or with one that a command or another variable
makes, has no known value.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NoReturn

from doctor.fixes.editors.base import line_of
from doctor.fixes.refusal import RefusedEdit
from doctor.fixes.scan.base import Assignment, Nesting, Scan
from doctor.text import _

_OPENERS = frozenset({"if", "for", "while", "switch", "begin", "function"})
_MIDDLES = frozenset({"else", "not", "and", "or", "time", "command", "builtin"})
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_ESCAPES = {"a": "\a", "b": "\b", "e": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_ESCAPES |= {"v": "\v"}
_LONG_FLAGS = {"--export": "x", "--erase": "e", "--query": "q", "--append": "a", "--prepend": "p"}
_LONG_FLAGS |= {"--unexport": "u", "--names": "n", "--show": "S"}


@dataclass(slots=True)
class _Word:
    start: int
    end: int = 0
    text: str | None = ""

    def add(self, piece: str | None) -> None:
        self.text = None if self.text is None or piece is None else self.text + piece


@dataclass(slots=True)
class _Scanner:
    text: str
    position: int = 0
    blocks: list[str] = field(default_factory=list)
    assignments: list[Assignment] = field(default_factory=list)
    sourced: list[str] = field(default_factory=list)
    commands: list[tuple[int, int]] = field(default_factory=list)

    def refuse(self, what: str, position: int) -> NoReturn:
        raise RefusedEdit(what, line_of(self.text, position))

    def run(self, *, record: bool) -> None:
        """Read commands up to the end, or (``record`` False) behind a closing bracket."""
        opened = self.position
        words: list[_Word] = []
        after = ""
        while True:
            char = self.text[self.position : self.position + 1]
            if not char:
                if not record:
                    self.refuse(_("a bracket is not closed"), opened)
                self._finish(words, after, "", record)
                return
            if char in " \t\r" or self.text.startswith("\\\n", self.position):
                self.position += 2 if char == "\\" else 1
            elif char == "#":
                end = self.text.find("\n", self.position)
                self.position = len(self.text) if end < 0 else end
            elif char in "\n;&|":
                operator = char * 2 if self.text.startswith(char * 2, self.position) else char
                operator = operator if char in "&|" else char
                self.position += len(operator)
                self._finish(words, after, operator, record)
                words, after = [], operator
            elif char == ")":
                if record:
                    self.refuse(_("a bracket closes nothing"), self.position)
                self._finish(words, after, "", record)
                self.position += 1
                return
            elif char in "<>":
                self.position += 1
            else:
                word = self._word()
                if words or not self._reserved(word, record):
                    words.append(word)

    def _reserved(self, word: _Word, record: bool) -> bool:
        text = word.text
        if text is None or self.text[word.start : word.end] != text:
            return False
        if text in _OPENERS:
            if record:
                self.blocks.append(text)
            return text in ("if", "while", "begin")
        if text == "end":
            if record and self.blocks:
                self.blocks.pop()
            return True
        return text in _MIDDLES

    def _word(self) -> _Word:
        word = _Word(self.position)
        if self.text.startswith("~", self.position):
            word.add(None)
        while self.position < len(self.text):
            char = self.text[self.position]
            if char in " \t\r\n;&|<>)":
                break
            if char == "'":
                self._quoted(word, "'", "\\'")
            elif char == '"':
                self._quoted(word, '"', '\\"$')
            elif char == "(":
                self.position += 1
                self.run(record=False)
                word.add(None)
            elif char == "\\":
                following = self.text[self.position + 1 : self.position + 2]
                if following != "\n":
                    # \x, \u and octal numbers are left to fish.
                    odd = following in "xXuUc01234567" and bool(following)
                    word.add(None if odd else _ESCAPES.get(following, following))
                self.position += 2
            else:
                word.add(None if char in "$*?{}" else char)
                self.position += 1
        word.end = self.position
        return word

    def _quoted(self, word: _Word, quote: str, escaped: str) -> None:
        opened = self.position
        self.position += 1
        while self.position < len(self.text):
            char = self.text[self.position]
            if char == quote:
                self.position += 1
                return
            if char == "\\":
                following = self.text[self.position + 1 : self.position + 2]
                if following != "\n" or quote == "'":
                    word.add(following if following and following in escaped else char + following)
                self.position += 2
            elif char == "$" and quote == '"':
                word.add(None)
                self.position += 1
            else:
                word.add(char)
                self.position += 1
        self.refuse(_("a quote does not end"), opened)

    # ---------------------------------------------------------------- meaning

    def _finish(self, words: list[_Word], after: str, operator: str, record: bool) -> None:
        if not words or not record:
            return
        span = (words[0].start, words[-1].end)
        self.commands.append(span)
        nesting = Nesting.TOP
        if "function" in self.blocks:
            nesting = Nesting.FUNCTION
        elif [block for block in self.blocks if block != "begin"] or after in ("&&", "||"):
            nesting = Nesting.CONDITIONAL
        first = words[0].text
        if first == "set":
            self._set(words[1:], span, nesting)
        elif first == "export" and len(words) == 2 and words[1].text:
            name, equals, value = words[1].text.partition("=")
            if equals and _NAME.fullmatch(name):
                raw = self.text[words[1].start : words[1].end]
                start = words[1].start + len(name) + 1
                plain = raw.startswith(f"{name}=")
                self._record(name, value, words[1], start, span, nesting, plain)
        elif first in (".", "source") and len(words) > 1 and nesting is not Nesting.FUNCTION:
            self.sourced.append(self.text[words[1].start : words[1].end])

    def _set(self, words: list[_Word], span: tuple[int, int], nesting: Nesting) -> None:
        flags = ""
        while words and (words[0].text or "").startswith("-") and len(words[0].text or "") > 1:
            text = words.pop(0).text or ""
            flags += _LONG_FLAGS.get(text, "") if text.startswith("--") else text[1:]
        if not words or not _NAME.fullmatch(words[0].text or "") or "x" not in flags:
            return
        if any(flag in flags for flag in "eqnSu") or len(words) < 2:
            return
        known = len(words) == 2 and not any(flag in flags for flag in "ap")
        value = words[1].text if known else None
        self._record(words[0].text or "", value, words[1], words[1].start, span, nesting, known)

    def _record(
        self,
        name: str,
        value: str | None,
        word: _Word,
        value_start: int,
        span: tuple[int, int],
        nesting: Nesting,
        editable: bool,
    ) -> None:
        self.assignments.append(
            Assignment(
                name=name,
                value=value,
                line=line_of(self.text, span[0]),
                start=span[0],
                value_start=value_start,
                end=word.end,
                command_start=span[0],
                command_end=span[1],
                exported=True,
                nesting=nesting,
                sole=True,
                editable=editable,
            )
        )


def scan(text: str) -> Scan:
    """Every exported variable of the file.

    Raises ``RefusedEdit`` where a quote or a bracket does not end.
    """
    scanner = _Scanner(text)
    scanner.run(record=True)
    return Scan(tuple(scanner.assignments), tuple(scanner.sourced), tuple(scanner.commands))
