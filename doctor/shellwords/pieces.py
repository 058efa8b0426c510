"""What words are made of: quotes, backslashes and expansions, from a position in a text on."""

from __future__ import annotations

import abc

from doctor.patterns import Pattern
from doctor.shellwords import ansi
from doctor.shellwords.model import Fault, Kind, Piece, Trouble, joined

NAME = Pattern(r"[A-Za-z_][A-Za-z0-9_]*")
# The rest of an expansion that a backslash at a line end parts.
_CONTINUED = Pattern(r"(?:\\\n)+|[A-Za-z_][A-Za-z0-9_]*(?:\\\n)+[A-Za-z0-9_]")
_SPECIAL = "@*#?-$!0123456789"
_LITERAL = r"[^ \t\n;&|()<>'\"\\$`{odd}]+"
_QUOTED_LITERAL = Pattern(r'[^"\\$`]+')
# Substitutions in substitutions; bash itself is of no use to anybody before that.
_DEEPEST = 30


def literals(odd: str = "") -> Pattern:
    """Runs of characters that stand for themselves; those of ``odd`` end a run as well."""
    return Pattern(_LITERAL.replace("{odd}", odd))


class Pieces(abc.ABC):
    """A text up to ``end``, and the position in it. ``extended``: with what bash and zsh add.

    A reader that takes something otherwise than a shell names its characters in ``literal`` and
    reads them in ``odd``.
    """

    literal = literals()

    def __init__(
        self, text: str, start: int = 0, end: int | None = None, *, extended: bool = False
    ) -> None:
        self.text = text if end is None else text[:end]
        self.position = start
        self.extended = extended
        self.fault: Fault | None = None
        self._depth = 0

    @abc.abstractmethod
    def skip_commands(self) -> bool:
        """Go behind the bracket that closes a substitution; False where there is none."""

    # ---------------------------------------------------------------- the position

    @property
    def char(self) -> str:
        """The character at the position, "" at the end."""
        return self.text[self.position : self.position + 1]

    def at(self, token: str) -> bool:
        return self.text.startswith(token, self.position)

    def to_line_end(self) -> None:
        end = self.text.find("\n", self.position)
        self.position = len(self.text) if end < 0 else end

    def fail(self, trouble: Trouble, at: int) -> None:
        """Note what does not end, the first time; nothing can be said of what follows."""
        # The end of the text ends a here-document for most shells, but not what it stands in.
        if self.fault is None or self.fault.trouble is Trouble.HERE_DOCUMENT:
            self.fault = Fault(trouble, at)
        self.position = len(self.text)

    def _piece(self, kind: Kind, start: int, text: str | None) -> Piece:
        return Piece(kind, start, self.position, text)

    def _unless_deep(self, kind: Kind, start: int) -> Piece | None:
        """The piece that stands for all that is nested too deeply to be read."""
        if self._depth < _DEEPEST:
            return None
        self.fail(Trouble.DEPTH, start)
        return Piece(kind, start, self.position, None, closed=False)

    # ---------------------------------------------------------------- pieces

    def piece(self) -> Piece | None:
        """The piece at the position; None where a reader of its own ends the word there."""
        match self.char:
            case "\\":
                return self.escaped()
            case "'":
                return self.single()
            case '"':
                return self.double()
            case "$":
                return self.dollar(quoted=False)
            case "`":
                return self.backquoted()
        start = self.position
        run = self.literal.match(self.text, start)
        if run is None:
            return self.odd()
        self.position = run.end()
        return self._piece(Kind.LITERAL, start, run.group())

    def odd(self) -> Piece | None:
        """A character that no run of literal ones takes."""
        self.position += 1
        return self._piece(Kind.LITERAL, self.position - 1, self.text[self.position - 1])

    def escaped(self) -> Piece:
        start = self.position
        self.position = min(start + 2, len(self.text))
        kept = self.text[start + 1 : self.position]
        if kept == "\n":
            return self._piece(Kind.CONTINUATION, start, "")
        return self._piece(Kind.ESCAPED, start, kept or "\\")

    def single(self) -> Piece:
        start = self.position
        end = self.text.find("'", start + 1)
        if end < 0:
            self.fail(Trouble.QUOTE, start)
            return Piece(Kind.SINGLE, start, self.position, self.text[start + 1 :], closed=False)
        self.position = end + 1
        return self._piece(Kind.SINGLE, start, self.text[start + 1 : end])

    def double(self) -> Piece:
        start = self.position
        self.position += 1
        inner: list[Piece] = []
        while self.char not in ('"', ""):
            inner.append(self._quoted_piece())
        closed = self.char == '"'
        if closed:
            self.position += 1
        else:
            self.fail(Trouble.QUOTE, start)
        return Piece(Kind.DOUBLE, start, self.position, joined(inner), tuple(inner), closed)

    def _quoted_piece(self) -> Piece:
        start = self.position
        match self.char:
            case "$":
                return self.dollar(quoted=True)
            case "`":
                return self.backquoted()
            case "\\":
                return self._quoted_escape()
        run = _QUOTED_LITERAL.match(self.text, start)
        self.position = run.end() if run else start + 1
        return self._piece(Kind.LITERAL, start, self.text[start : self.position])

    def _quoted_escape(self) -> Piece:
        start = self.position
        self.position = min(start + 2, len(self.text))
        kept = self.text[start + 1 : self.position]
        if kept == "\n":
            return self._piece(Kind.CONTINUATION, start, "")
        if kept and kept in '$`"\\':
            return self._piece(Kind.ESCAPED, start, kept)
        return self._piece(Kind.LITERAL, start, "\\" + kept)

    def backquoted(self) -> Piece:
        start = self.position
        self.position += 1
        while self.char not in ("`", ""):
            self.position += 2 if self.char == "\\" else 1
        closed = self.char == "`"
        if closed:
            self.position += 1
        else:
            self.fail(Trouble.BACKQUOTE, start)
        return Piece(Kind.COMMAND, start, self.position, None, closed=closed)

    # ---------------------------------------------------------------- expansions

    def dollar(self, *, quoted: bool) -> Piece:
        start = self.position
        following = self.text[start + 1 : start + 2]
        if following == "'" and not quoted:
            return self._ansi()
        if following == '"' and not quoted:
            self.position += 1
            string = self.double()
            return Piece(Kind.LOCALE, start, self.position, None, string.inner, string.closed)
        if following == "(":
            return self._arithmetic() if self.at("$((") else self.substitution()
        if following == "[" and self.extended:
            return self._arithmetic("[]")
        if following == "{":
            return self.braces(quoted=quoted)
        if continued := _CONTINUED.match(self.text, start + 1):
            # What stands on the next line belongs to it: ``$``, ``HOME`` are ``$HOME``.
            self.position = continued.end()
            return self._piece(Kind.VARIABLE, start, None)
        if name := NAME.match(self.text, start + 1):
            self.position = name.end()
            return self._piece(Kind.VARIABLE, start, None)
        if following and following in _SPECIAL:
            self.position += 2
            return self._piece(Kind.VARIABLE, start, None)
        self.position += 1
        return self._piece(Kind.LITERAL, start, "$")

    def _ansi(self) -> Piece:
        start = self.position
        match = ansi.QUOTED.match(self.text, start)
        if match is None:
            self.fail(Trouble.QUOTE, start)
            return Piece(Kind.ANSI, start, self.position, None, closed=False)
        self.position = match.end()
        return self._piece(Kind.ANSI, start, ansi.unescaped(match.group(1)))

    def substitution(self, opening: int = 2) -> Piece:
        """``$(…)`` or ``<(…)``, ``(…)`` with an ``opening`` of one character: commands."""
        start = self.position
        if deep := self._unless_deep(Kind.COMMAND, start):
            return deep
        self._depth += 1
        self.position += opening
        closed = self.skip_commands()
        self._depth -= 1
        if not closed:
            self.fail(Trouble.BRACKET, start)
        return Piece(Kind.COMMAND, start, self.position, None, closed=closed)

    def _arithmetic(self, brackets: str = "()") -> Piece:
        """``$((…))`` or its older form ``$[…]``."""
        start = self.position
        self.position += 1
        closed = self.skip_brackets(brackets)
        return Piece(Kind.ARITHMETIC, start, self.position, None, closed=closed)

    def braces(self, *, quoted: bool) -> Piece:
        """``${…}``; between double quotes a single quote in it is none."""
        start = self.position
        if deep := self._unless_deep(Kind.VARIABLE, start):
            return deep
        self._depth += 1
        self.position += 2
        while self.char not in ("}", ""):
            if self.char == "'" and quoted:
                self.position += 1
            elif self.char == "$":
                self.dollar(quoted=quoted)
            else:
                self.skip_piece()
        self._depth -= 1
        closed = self.char == "}"
        if closed:
            self.position += 1
        else:
            self.fail(Trouble.BRACE, start)
        return Piece(Kind.VARIABLE, start, self.position, None, closed=closed)

    # ---------------------------------------------------------------- to be skipped whole

    def skip_piece(self) -> None:
        """Behind what is quoted or expanded at the position, else behind one character."""
        if self.char in ("\\", "'", '"', "$", "`"):
            self.piece()
        else:
            self.position += 1

    def skip_brackets(self, brackets: str = "()", *, comments: bool = False) -> bool:
        """From an opening bracket behind the one that closes it; False where there is none."""
        opened, depth = self.position, 0
        if self._unless_deep(Kind.BRACKETS, opened):
            return False
        self._depth += 1
        while char := self.char:
            if comments and char == "#" and self.text[self.position - 1] in " \t\n":
                self.to_line_end()
                continue
            depth += (char == brackets[0]) - (char == brackets[1])
            if depth == 0:
                break
            self.skip_piece()
        self._depth -= 1
        if not self.char:
            self.fail(Trouble.BRACKET, opened)
            return False
        self.position += 1
        return True
