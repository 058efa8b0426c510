"""What a text in a shell's language consists of; ``start`` and ``end`` are offsets in it."""

from __future__ import annotations

import enum
from collections.abc import Iterable
from dataclasses import dataclass, field


class Kind(enum.Enum):
    """What a piece of a word is. From ``TILDE`` on only the shell knows what stands there."""

    ASSIGNMENT = "NAME= or NAME+= at the beginning of a word"
    LITERAL = "characters that stand for themselves"
    ESCAPED = "a backslash and the character that it keeps"
    CONTINUATION = "a backslash and a line end, which are nothing"
    SINGLE = "'…'"
    DOUBLE = '"…", with pieces of its own'
    ANSI = "$'…'"
    TILDE = "~ or ~name where it may be a home directory"
    LOCALE = '$"…"'
    VARIABLE = "$NAME, ${…}, $1"
    COMMAND = "$(…), `…` or <(…)"
    ARITHMETIC = "$((…)) or $[…]"
    BRACKETS = "(…): an array, a pattern, a subshell"
    ODD = "what a reader of its own takes otherwise than a shell"


@dataclass(slots=True)
class Piece:
    """``text`` is what it stands for, None where only running something would tell. ``inner`` are
    the pieces between double quotes. ``closed`` False: it ends with the text, too early."""

    kind: Kind
    start: int
    end: int
    text: str | None
    inner: tuple[Piece, ...] = ()
    closed: bool = True


@dataclass(slots=True)
class Word:
    """Pieces side by side. ``name`` is that of an unquoted ``NAME=`` at its beginning, ``appends``
    says that it was ``NAME+=``."""

    start: int
    end: int
    pieces: tuple[Piece, ...]
    name: str | None = None
    appends: bool = False

    @property
    def text(self) -> str | None:
        """What the shell makes of it, None where that cannot be told."""
        return joined(self.pieces)

    @property
    def bare(self) -> str | None:
        """The text of a word without quotes and expansions, as those of the grammar must be."""
        alone = len(self.pieces) == 1 and self.pieces[0].kind is Kind.LITERAL
        return self.pieces[0].text if alone else None

    @property
    def value_start(self) -> int:
        """Where the value of an assignment begins, the beginning of any other word."""
        return self.pieces[0].end if self.name else self.start

    @property
    def value_pieces(self) -> tuple[Piece, ...]:
        """Those behind ``NAME=``."""
        return self.pieces[1:] if self.name else self.pieces

    @property
    def value(self) -> str | None:
        """What an assignment sets, None where that cannot be told."""
        return None if self.name is None or self.appends else joined(self.value_pieces)


@dataclass(slots=True)
class Comment:
    """From ``#`` up to the line end, which is not part of it."""

    start: int
    end: int


@dataclass(slots=True)
class Operator:
    """``text`` is one of ``OPERATORS``."""

    start: int
    end: int
    text: str


@dataclass(slots=True)
class Redirection:
    """``target`` is the word behind it, of a here-document its delimiter."""

    start: int
    end: int
    operator: str
    target: Word | None


Token = Word | Comment | Operator | Redirection


@dataclass(slots=True)
class Command:
    """One simple command, or what is left of a line of the grammar's own words (``keywords``).

    ``before`` and ``behind`` are the operators on its sides, "" at the ends of the text; ``stop``
    is where the one behind stands. ``depth`` counts the blocks around it, ``function`` says that
    one of them is a function's. ``background``: the list that it belongs to ends in ``&``.
    """

    words: list[Word] = field(default_factory=list)
    redirections: list[Redirection] = field(default_factory=list)
    keywords: list[str] = field(default_factory=list)
    before: str = "\n"
    behind: str = ""
    stop: int = 0
    depth: int = 0
    function: bool = False
    background: bool = False

    @property
    def empty(self) -> bool:
        return not (self.words or self.redirections or self.keywords)

    @property
    def subshell(self) -> bool:
        """Whether what it sets is lost, because a shell of its own runs it."""
        return self.background or bool({self.before, self.behind} & PIPES)

    @property
    def conditional(self) -> bool:
        """Whether it hangs on something that it may not run at all, or run again."""
        return self.depth > 0 or self.before in ("&&", "||")


class Trouble(enum.Enum):
    """Why a text cannot be followed to its end."""

    QUOTE = "quote"
    BACKQUOTE = "backquote"
    BRACE = "brace"
    BRACKET = "bracket"
    STRAY = "stray bracket"
    TEST = "test"
    CASE = "case"
    HERE_DOCUMENT = "here-document"
    DEPTH = "depth"


@dataclass(slots=True)
class Fault:
    """``at`` is where that begins which does not end."""

    trouble: Trouble
    at: int


PIPES = frozenset({"|", "|&"})
CASE_ENDS = frozenset({";;", ";&", ";;&", ";|"})
OPERATORS = (";;&", ";;", ";&", ";|", "&&", "||", "|&", ";", "&", "|", "\n", "(", ")")


def joined(pieces: Iterable[Piece]) -> str | None:
    """What pieces stand for together, None where one of them cannot be told."""
    texts = []
    for piece in pieces:
        if piece.text is None:
            return None
        texts.append(piece.text)
    return "".join(texts)
