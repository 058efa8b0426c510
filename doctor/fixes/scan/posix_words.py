"""Words of sh, bash and zsh, with everything that may stand in them.

``Words`` knows quotes, expansions and substitutions; whoever inherits from it knows commands, which
is needed where a word holds some, as in ``$(…)``.
"""

from __future__ import annotations

import abc
import re
from dataclasses import dataclass
from typing import NoReturn

from doctor.fixes.editors.base import line_of
from doctor.fixes.refusal import RefusedEdit
from doctor.text import _

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
FUNCTION_PARENTHESES = re.compile(r"\([ \t]*\)")
_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)(\+?)=")
_ESCAPES = {"a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n"}
_ESCAPES |= {"r": "\r", "t": "\t", "v": "\v", "\\": "\\", "'": "'", '"': '"', "?": "?"}
_ANSI_QUOTED = re.compile(r"\$'((?:\\.|[^'\\])*)'", re.DOTALL)
_ANSI = re.compile(
    r"\\(?:x([0-9A-Fa-f]{1,2})|u([0-9A-Fa-f]{1,4})|U([0-9A-Fa-f]{1,8})|([0-7]{1,3})|c(.)|(.))",
    re.DOTALL,
)


@dataclass(slots=True)
class Word:
    """``text`` is None where it cannot be told. ``name`` is that of an unquoted ``NAME=``, whose
    value begins at ``value_start``."""

    start: int
    end: int = 0
    text: str | None = ""
    name: str | None = None
    value_start: int = 0
    appends: bool = False

    @property
    def value(self) -> str | None:
        if self.text is None or self.name is None or self.appends:
            return None
        return self.text.partition("=")[2]

    def add(self, piece: str | None) -> None:
        self.text = None if self.text is None or piece is None else self.text + piece


class Words(abc.ABC):
    """A text and a position in it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0

    @abc.abstractmethod
    def run(self, *, record: bool, closing: bool) -> None:
        """Read commands up to the end, or up to the bracket that closes a substitution."""

    def refuse(self, what: str, position: int) -> NoReturn:
        raise RefusedEdit(what, line_of(self.text, position))

    def at(self, token: str) -> bool:
        return self.text.startswith(token, self.position)

    def blanks(self) -> None:
        while self.text[self.position : self.position + 1] in (" ", "\t"):
            self.position += 1

    def word_begins(self) -> bool:
        char = self.text[self.position : self.position + 1]
        return bool(char) and (char not in " \t\n;&|()<>" or self.at("<(") or self.at(">("))

    def word(self) -> Word:
        word = Word(self.position)
        match = _ASSIGNMENT.match(self.text, self.position)
        if match:
            word.name, word.appends = match.group(1), bool(match.group(2))
            word.text = f"{word.name}="
            word.value_start = self.position = match.end()
            if self.at("("):
                self._skip_array()
                word.add(None)
            elif self.at("~"):
                word.add(None)
        while self.position < len(self.text):
            char = self.text[self.position]
            if char in " \t\n;&|)" or (char in "<>" and not self._substitution(word)):
                break
            if char == "(":
                if FUNCTION_PARENTHESES.match(self.text, self.position):
                    break
                self.skip_brackets()
                word.add(None)
            elif char in "<>":
                self.position += 2
                self.run(record=False, closing=True)
                word.add(None)
            else:
                self._piece(char, word)
        word.end = self.position
        return word

    def _substitution(self, word: Word) -> bool:
        """``<(…)`` at the beginning of a word."""
        return self.position == word.start and (self.at("<(") or self.at(">("))

    def _piece(self, char: str, word: Word) -> None:
        if char == "\\":
            if not self.at("\\\n"):
                word.add(self.text[self.position + 1 : self.position + 2] or "\\")
            self.position += 2
        elif char == "'":
            end = self.text.find("'", self.position + 1)
            if end < 0:
                self.refuse(_("a quote does not end"), self.position)
            word.add(self.text[self.position + 1 : end])
            self.position = end + 1
        elif char == '"':
            self._double_quoted(word)
        elif char == "$":
            self._dollar(word, quoted=False)
        elif char == "`":
            self._backquotes()
            word.add(None)
        else:
            word.add(char)
            self.position += 1

    def _double_quoted(self, word: Word) -> None:
        opened = self.position
        self.position += 1
        while self.position < len(self.text):
            char = self.text[self.position]
            if char == '"':
                self.position += 1
                return
            if char == "\\":
                following = self.text[self.position + 1 : self.position + 2]
                if following and following in '$`"\\':
                    word.add(following)
                elif following != "\n":
                    word.add(char + following)
                self.position += 2
            elif char == "$":
                self._dollar(word, quoted=True)
            elif char == "`":
                self._backquotes()
                word.add(None)
            else:
                word.add(char)
                self.position += 1
        self.refuse(_("a quote does not end"), opened)

    def _backquotes(self) -> None:
        opened = self.position
        self.position += 1
        while self.position < len(self.text):
            char = self.text[self.position]
            self.position += 2 if char == "\\" else 1
            if char == "`":
                return
        self.refuse(_("a backquote does not end"), opened)

    def _dollar(self, word: Word, *, quoted: bool) -> None:
        following = self.text[self.position + 1 : self.position + 2]
        if following == "'" and not quoted:
            word.add(self._ansi())
        elif following == '"' and not quoted:
            self.position += 1
            self._double_quoted(word)
            word.add(None)  # translated by the locale
        elif following == "(":
            self.position += 1
            if self.at("(("):
                self.skip_brackets()
            else:
                self.position += 1
                self.run(record=False, closing=True)
            word.add(None)
        elif following == "{":
            self._braces(quoted=quoted)
            word.add(None)
        elif match := NAME.match(self.text, self.position + 1):
            self.position = match.end()
            word.add(None)
        elif following and following in "@*#?-$!0123456789":
            self.position += 2
            word.add(None)
        else:
            self.position += 1
            word.add("$")

    def _braces(self, *, quoted: bool) -> None:
        opened = self.position
        self.position += 2
        while self.position < len(self.text):
            char = self.text[self.position]
            if char == "}":
                self.position += 1
                return
            if char == "'" and quoted:
                self.position += 1
            elif char in "\\'\"`":
                self._piece(char, Word(self.position))
            elif char == "$":
                self._dollar(Word(self.position), quoted=quoted)
            else:
                self.position += 1
        self.refuse(_("a brace is not closed"), opened)

    def _ansi(self) -> str:
        """``$'…'`` with its escapes."""
        match = _ANSI_QUOTED.match(self.text, self.position)
        if match is None:
            self.refuse(_("a quote does not end"), self.position)
        self.position = match.end()
        # \\xE2 is a byte, of which several make a character.
        spelled = _ANSI.sub(_unescape, match.group(1))
        return spelled.encode("utf-8", "surrogateescape").decode("utf-8", "surrogateescape")

    # ---------------------------------------------------------------- to be skipped whole

    def skip_test(self, opened: int) -> None:
        """Up to the ``]]`` that ends a test; inside it ``<``, ``(`` and ``|`` mean other things."""
        while self.position < len(self.text):
            if re.match(r"\s\]\]", self.text[self.position : self.position + 3]):
                self.position += 3
                return
            self._skip_piece()
        self.refuse(_("a test does not end"), opened)

    def skip_brackets(self) -> None:
        """From an opening bracket to the one that closes it, by characters."""
        opened, depth = self.position, 0
        while self.position < len(self.text):
            char = self.text[self.position]
            depth += {"(": 1, ")": -1}.get(char, 0)
            if depth == 0:
                self.position += 1
                return
            self._skip_piece()
        self.refuse(_("a bracket is not closed"), opened)

    def _skip_array(self) -> None:
        """As ``_skip_brackets``, with comments."""
        opened, depth = self.position, 0
        while self.position < len(self.text):
            char = self.text[self.position]
            if char == "#" and self.text[self.position - 1] in " \t\n":
                end = self.text.find("\n", self.position)
                self.position = len(self.text) if end < 0 else end
                continue
            depth += {"(": 1, ")": -1}.get(char, 0)
            if depth == 0:
                self.position += 1
                return
            self._skip_piece()
        self.refuse(_("a bracket is not closed"), opened)

    def _skip_piece(self) -> None:
        char = self.text[self.position]
        if char in "\\'\"$`":
            self._piece(char, Word(self.position))
        else:
            self.position += 1


def _unescape(match: re.Match[str]) -> str:
    two, four, eight, octal, control, char = match.groups()
    if four or eight:
        number = int(four or eight, 16)
        return chr(number) if number < 0x110000 and not 0xD800 <= number < 0xE000 else ""
    if two or octal:
        byte = int(two, 16) if two else int(octal, 8) & 0xFF
        return chr(byte) if byte < 0x80 else chr(0xDC00 + byte)
    if control:
        return chr(ord(control) & 0x1F)
    return _ESCAPES.get(char, "\\" + char)
