"""What ``. FILE`` in a POSIX shell (with ``set -a``) would leave in its variables.

Nothing is run. A command that consists of assignments alone, or of ``export`` and assignments,
sets variables. Where that hangs on something that would have to run (``$(…)``, a condition, a
loop, a function), or where shells differ (``$'…'``), the variable is unknown from there on, and so
is not given. What a pipe or ``&`` moves into a subshell changes nothing.

What people trip over: ``NAME = value`` and ``NAME= value`` run a command, ``&`` in an unquoted URL
ends the assignment, ``\\r`` of a Windows line end is part of the value, and a BOM part of the
first name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from doctor.patterns import Pattern
from doctor.records import dataclass
from doctor.settings.envreaders.base import Assignment, Reading
from doctor.shellwords.blocks import CLOSERS
from doctor.shellwords.commands import Commands
from doctor.shellwords.model import (
    CASE_ENDS,
    PIPES,
    Command,
    Fault,
    Kind,
    Piece,
    Trouble,
    Word,
)
from doctor.shellwords.pieces import NAME
from doctor.shellwords.tokens import Tokens

_BRACED = Pattern(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(?:(:?)([-+])(.*))?\}", re.DOTALL)
_UNEXPECTED = Pattern(r"[^\s;&|()<>]+|.", re.DOTALL)
# Other commands that change the variables they name.
_CHANGE = frozenset({"unset", "readonly", "declare", "typeset", "local", "read", "getopts"})
_CHANGE |= {"for", "select"}
_END = frozenset({"return", "exit"})
_END_OF_FILE = "syntax error: unexpected end of file"
_TROUBLES = {
    Trouble.QUOTE: "syntax error: unterminated quoted string",
    Trouble.BACKQUOTE: "syntax error: unterminated backquote",
    Trouble.BRACE: "syntax error: missing '}'",
    Trouble.BRACKET: "syntax error: unterminated '('",
    Trouble.TEST: _END_OF_FILE,
    Trouble.CASE: _END_OF_FILE,
    Trouble.DEPTH: "nested too deeply",
}


def read(text: str, environment: Mapping[str, str]) -> Reading:
    """The variables that are set once the file has been sourced; a syntax error ends it."""
    return _Reader(text, environment).reading()


@dataclass(frozen=True, slots=True)
class _Refusal:
    """The shell stops reading at ``at``."""

    reason: str
    at: int


class _Reader:
    """The commands of a text, run as far as they assign."""

    def __init__(self, text: str, environment: Mapping[str, str]) -> None:
        self.text = text
        self.variables: dict[str, str | None] = dict(environment)
        self.assignments: list[Assignment] = []
        # Set by functions, which may be called anywhere.
        self.untold: set[str] = set()
        # Whether the command before surely succeeded.
        self.succeeded = False

    def reading(self) -> Reading:
        tokens = Tokens(self.text)
        commands = Commands(tokens)
        line_start = 0
        for command in commands.read():
            refusal = self._refusal(command) or self._unended(tokens.fault)
            if refusal is not None:
                # Some shells run what stands before the error on its line, some do not.
                return self._refused(refusal, line_start)
            certain = self._certain(command)
            if certain and (word := _no_name(command)) is not None:
                # dash ends here, bash goes on.
                return self._refused(_Refusal("export: bad variable name", word.start), word.start)
            self._run(command, certain)
            if certain and _first(command) in _END:
                return Reading(tuple(self.assignments))
            if command.behind == "\n" and command.depth == 0:
                line_start = command.stop + 1
        if len(commands.blocks):
            return self._refused(_Refusal(_END_OF_FILE, len(self.text)), line_start)
        return Reading(tuple(self.assignments))

    # ---------------------------------------------------------------- errors

    def _refused(self, refusal: _Refusal, uncertain_from: int) -> Reading:
        begins = self._line(uncertain_from)
        certain = tuple(known for known in self.assignments if known.line < begins)
        return Reading(certain, refusal.reason, self._line(refusal.at))

    def _line(self, position: int) -> int:
        return self.text.count("\n", 0, position) + 1

    def _unexpected(self, at: int) -> _Refusal:
        found = _UNEXPECTED.match(self.text, at)
        if found is None:
            return _Refusal(_END_OF_FILE, at)
        told = "newline" if found.group()[0] in "\n#" else f"'{found.group()}'"
        return _Refusal(f"syntax error: unexpected {told}", at)

    def _unended(self, fault: Fault | None) -> _Refusal | None:
        # A here-document without its end is one to the end of the file.
        if fault is None or fault.trouble is Trouble.HERE_DOCUMENT:
            return None
        if fault.trouble is Trouble.STRAY:
            return self._unexpected(fault.at)
        return _Refusal(_TROUBLES[fault.trouble], fault.at)

    def _refusal(self, command: Command) -> _Refusal | None:
        """What shells find wrong with one command."""
        words, keywords, behind = command.words, command.keywords, command.behind
        closes = any(word in CLOSERS for word in keywords)
        if behind in CASE_ENDS and command.depth == 0:
            return _Refusal(f"syntax error: unexpected '{behind}'", command.stop)
        if words and closes:
            return self._unexpected(words[0].start)
        for redirection in command.redirections:
            if redirection.target is None:
                return self._unexpected(redirection.end)
        if len(words) > 1 and words[0].pieces[0].kind is Kind.BRACKETS:
            return self._unexpected(words[1].start)
        if command.empty and behind == "" and command.before in ("&&", "||", *PIPES):
            return _Refusal(_END_OF_FILE, command.stop)
        nothing = not words and not command.redirections and not closes
        if nothing and behind not in ("\n", "", *CASE_ENDS):
            return _Refusal(f"syntax error: unexpected '{behind}'", command.stop)
        for word in words:
            for piece in word.pieces:
                written = self.text[piece.start : piece.end]
                if piece.kind is Kind.ANSI and "\\'" in written:
                    return _Refusal("shells differ in where $'…\\'…' ends", piece.start)
        return None

    # ---------------------------------------------------------------- effects

    def _certain(self, command: Command) -> bool:
        """Whether it surely runs, and in this shell."""
        if command.subshell or command.depth or command.keywords or command.redirections:
            return False
        return command.before not in ("&&", "||") or (command.before == "&&" and self.succeeded)

    def _run(self, command: Command, certain: bool) -> None:
        if command.before == "||" and self.succeeded and not command.depth:
            return
        if command.function:
            self.untold |= set(_named(command.words))
        values: list[str | None] = []
        if certain and _only_assigns(command):
            for line, name, value in list(self._values(command.words)):
                self._set(line, name, value)
                values.append(value)
        elif not command.subshell:
            for name in _named(command.words):
                self._set(0, name, None)
        # An assignment that runs nothing succeeds.
        self.succeeded = certain and _only_assigns(command) and None not in values

    def _set(self, line: int, name: str, value: str | None) -> None:
        if name in self.untold:
            value = None
        self.variables[name] = value
        if value is None:
            self.assignments = [known for known in self.assignments if known.name != name]
        else:
            self.assignments.append(Assignment(line, name, value))

    def _values(self, words: Iterable[Word]) -> Iterator[tuple[int, str, str | None]]:
        """Line, name and value of each assignment."""
        pending: set[str] = set()
        for word in words:
            if word.name is None:
                continue
            pieces = word.value_pieces
            value = None if word.appends else self._value(pieces, pending)
            yield self._line(word.start), word.name, value
            pending.add(word.name)

    # ---------------------------------------------------------------- values

    def _value(self, pieces: tuple[Piece, ...], pending: set[str]) -> str | None:
        """What the pieces stand for now; ``pending`` are names that the same command sets, of
        which it is not certain what they hold."""
        texts = []
        for index, piece in enumerate(pieces):
            following = pieces[index + 1] if index + 1 < len(pieces) else None
            text = self._text(piece, following, pending)
            if text is None:
                return None
            texts.append(text)
        return "".join(texts)

    def _text(self, piece: Piece, following: Piece | None, pending: set[str]) -> str | None:
        match piece.kind:
            case Kind.VARIABLE:
                return self._variable(piece, pending)
            case Kind.DOUBLE:
                return self._value(piece.inner, pending)
            case Kind.TILDE:
                return self._home(piece, following)
            case Kind.ANSI:
                return None  # bash and dash read it differently
        return piece.text

    def _home(self, piece: Piece, following: Piece | None) -> str | None:
        """``~`` with nothing, ``/`` or ``:`` behind it."""
        ends = following is None or self.text[following.start] in "/:"
        return self.variables.get("HOME") if ends and piece.end - piece.start == 1 else None

    def _variable(self, piece: Piece, pending: set[str]) -> str | None:
        written = self.text[piece.start : piece.end]
        if (name := written[1:]) and NAME.fullmatch(name):
            return None if name in pending else self.variables.get(name, "")
        match = _BRACED.fullmatch(written)
        if match is None or match.group(1) in pending:
            return None
        name, colon, operator, word = match.groups()
        value = self.variables.get(name)
        if value is None and name in self.variables:
            return None
        if operator is None:
            return value or ""
        if any(char in word for char in "$`'\"\\~"):
            return None
        there = bool(value) if colon else value is not None
        if operator == "-":
            return value if there else word
        return word if there else ""


def _first(command: Command) -> str | None:
    return command.words[0].text if command.words else None


def _exports(command: Command) -> bool:
    return _first(command) == "export"


def _only_assigns(command: Command) -> bool:
    """Whether it does nothing but assign; behind ``export`` a name alone may stand as well."""
    if not _exports(command):
        return bool(command.words) and all(word.name for word in command.words)
    return all(word.name or NAME.fullmatch(word.text or "") for word in command.words[1:])


def _no_name(command: Command) -> Word | None:
    """The word behind ``export`` that can be no variable's name, such as a ``\\r`` by itself."""
    for word in command.words[1:] if _exports(command) else ():
        text = "-" if word.name or word.text is None else word.text
        if not text.startswith("-") and not NAME.fullmatch(text):
            return word
    return None


def _named(words: list[Word]) -> Iterator[str]:
    """The variables that a command may set in one way or the other."""
    changes = bool(words) and words[0].text in _CHANGE
    for word in words:
        if word.name is not None:
            yield word.name
        elif changes and NAME.fullmatch(word.text or ""):
            yield word.text or ""
