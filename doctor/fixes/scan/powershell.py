"""PowerShell profiles: ``$env:NAME = 'value'``.

Nothing is run. Strings, comments and here-strings are skipped whole; a value in double quotes
that holds ``$`` has no known value.
"""

from __future__ import annotations

import re
from typing import NoReturn

from doctor.fixes.editors.base import line_of
from doctor.fixes.refusal import RefusedEdit
from doctor.fixes.scan.base import Assignment, Nesting, Scan
from doctor.text import _

_ENVIRONMENT = re.compile(r"\$(?:env:([A-Za-z_]\w*)|\{env:([A-Za-z_]\w*)\})[ \t]*=(?!=)", re.I)
_SINGLE = re.compile(r"'((?:[^']|'')*)'")
_DOUBLE = re.compile(r'"((?:`.|""|[^"`])*)"', re.DOTALL)
_STATEMENT_END = re.compile(r"[ \t\r]*(?=$|[\n;#}])")
_REST = re.compile(r"[^\n;]*")
_TYPOGRAPHIC = "‘’‚‛“”„"
_TICKS = {"n": "\n", "r": "\r", "t": "\t", "0": "\0", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_OPENING_HERE = re.compile(r"@([\"'])[ \t]*\r?\n")
_BLOCK_OPENER = re.compile(r"(?:function|filter)\s+[\w:-]+[^{]*\Z", re.I)


def scan(text: str) -> Scan:
    """Every variable of the environment that the file sets.

    Raises ``RefusedEdit`` where a string or a comment does not end.
    """
    return _Scanner(text).run()


class _Scanner:
    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.begun = 0  # of the statement
        self.blocks: list[bool] = []  # whether a function's
        self.found: list[Assignment] = []

    def refuse(self, what: str, position: int) -> NoReturn:
        raise RefusedEdit(what, line_of(self.text, position))

    def run(self) -> Scan:
        while self.position < len(self.text):
            char = self.text[self.position]
            if self.text.startswith("<#", self.position):
                self._skip_to("#>", 2, _("a comment does not end"))
            elif char == "#":
                end = self.text.find("\n", self.position)
                self.position = len(self.text) if end < 0 else end
            elif here := _OPENING_HERE.match(self.text, self.position):
                self._skip_to(
                    f"\n{here.group(1)}@",
                    here.end() - self.position - 1,
                    _("a here-string does not end"),
                )
            elif char in "'\"":
                self._string()
            elif char in _TYPOGRAPHIC:
                # PowerShell takes them for quotes, of whichever kind.
                self.refuse(_("a typographic quote"), self.position)
            elif char == "`":
                self.position += 2
            elif char in "{(":
                head = self.text[self.begun : self.position]
                self.blocks.append(bool(_BLOCK_OPENER.search(head)))
                self._next()
            elif char in "})":
                if self.blocks:
                    self.blocks.pop()
                self._next()
            elif char in "\n;":
                self._next()
            else:
                match = _ENVIRONMENT.match(self.text, self.position)
                if match and not self.text[self.begun : self.position].strip():
                    self._assignment(match)
                else:
                    self.position += 1
        spans = tuple((a.command_start, a.command_end) for a in self.found)
        return Scan(tuple(self.found), (), spans)

    def _next(self) -> None:
        self.position += 1
        self.begun = self.position

    def _skip_to(self, mark: str, ahead: int, what: str) -> None:
        end = self.text.find(mark, self.position + ahead)
        if end < 0:
            self.refuse(what, self.position)
        self.position = end + len(mark)

    def _string(self) -> None:
        pattern = _SINGLE if self.text[self.position] == "'" else _DOUBLE
        match = pattern.match(self.text, self.position)
        if match is None:
            self.refuse(_("a quote does not end"), self.position)
        self.position = match.end()

    def _assignment(self, match: re.Match[str]) -> None:
        start = self.position
        value_start = match.end()
        while self.text[value_start : value_start + 1] in (" ", "\t"):
            value_start += 1
        value, end = self._literal(value_start)
        self.position = end
        self.found.append(
            Assignment(
                name=match.group(1) or match.group(2),
                value=value,
                line=line_of(self.text, start),
                start=start,
                value_start=value_start,
                end=end,
                command_start=start,
                command_end=end,
                exported=True,
                nesting=Nesting.FUNCTION
                if any(self.blocks)
                else Nesting.CONDITIONAL
                if self.blocks
                else Nesting.TOP,
                sole=True,
                editable=value is not None,
            )
        )

    def _literal(self, start: int) -> tuple[str | None, int]:
        """The value of a string that stands alone, and where it ends."""
        quote = self.text[start : start + 1]
        if quote and quote in "'\"":
            match = (_SINGLE if quote == "'" else _DOUBLE).match(self.text, start)
            if match is None:
                self.refuse(_("a quote does not end"), start)
            if _STATEMENT_END.match(self.text, match.end()):
                return _value(quote, match.group(1)), match.end()
            return None, match.end()
        if quote and quote in _TYPOGRAPHIC:
            self.refuse(_("a typographic quote"), start)
        rest = _REST.match(self.text, start)
        end = start if rest is None or re.search(r"['\"{(@]", rest.group()) else rest.end()
        return None, end


def _value(quote: str, inner: str) -> str | None:
    if quote == "'":
        return inner.replace("''", "'")
    if re.search(r"(?<!`)\$", inner):
        return None
    return re.sub(r"`(.)|\"\"", _untick, inner, flags=re.DOTALL)


def _untick(match: re.Match[str]) -> str:
    char: str | None = match.group(1)
    return '"' if char is None else _TICKS.get(char, char)
