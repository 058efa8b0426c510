"""What ``. FILE`` in a POSIX shell (with ``set -a``) would leave in its variables.

Nothing is run. The file is taken apart into words as a shell does: quotes, backslashes, comments,
``;`` and line ends. A command that consists of assignments alone, or of ``export`` and
assignments, sets variables; any other command is passed over. A value that depends on something
that would have to run (``$(…)``, backquotes, arithmetic, ``$'…'``), or that a pipe or ``&`` moves
into a subshell, is unknown, and so is not given.

What people trip over: ``NAME = value`` and ``NAME= value`` run a command, ``&`` in an unquoted URL
ends the assignment, ``\\r`` of a Windows line end is part of the value, and a BOM part of the
first name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import field

from doctor.patterns import Pattern
from doctor.records import dataclass
from doctor.settings.envreaders.base import Assignment, Reading

_ASSIGNMENT = Pattern(r"([A-Za-z_][A-Za-z0-9_]*)=")
_NAME = Pattern(r"[A-Za-z_][A-Za-z0-9_]*")
_SPECIAL = frozenset("@*#?-$!0123456789")
_BRACED = Pattern(r"([A-Za-z_][A-Za-z0-9_]*)(?:(:?)([-+])(.*))?", re.DOTALL)


class _Syntax(Exception):
    """The shell stops reading here; the text is the reason."""


@dataclass(slots=True)
class _Word:
    """One word. ``text`` is None once something in it is unknown.

    ``assigns`` is the name if it began as an unquoted ``NAME=``.
    """

    line: int
    text: str | None = ""
    assigns: str | None = None

    def add(self, piece: str | None) -> None:
        self.text = None if self.text is None or piece is None else self.text + piece


@dataclass(slots=True)
class _Command:
    """One simple command. ``lost`` says that its variables are not those of the shell: it runs in
    a subshell, or perhaps not at all. ``after`` is the operator before it."""

    words: list[_Word] = field(default_factory=list)
    lost: bool = False
    after: str = "\n"

    @property
    def assigns(self) -> bool:
        """Whether it does nothing but assign."""
        return bool(self.words) and all(word.assigns for word in _assigned(self.words))


def read(text: str, environment: Mapping[str, str]) -> Reading:
    """The variables that are set once the file has been sourced; a syntax error ends it."""
    variables: dict[str, str | None] = dict(environment)
    assignments: list[Assignment] = []
    parser = _Parser(text, variables)
    try:
        for command in parser.commands():
            for line, name, value in _effect(command):
                variables[name] = value
                if value is None:
                    assignments = [known for known in assignments if known.name != name]
                else:
                    assignments.append(Assignment(line, name, value))
    except _Syntax as error:
        # Some shells run what stands before the error on its line, some do not.
        begins = text.count("\n", 0, parser.line_start) + 1
        certain = tuple(known for known in assignments if known.line < begins)
        return Reading(certain, error.args[0], text.count("\n", 0, error.args[1]) + 1)
    return Reading(tuple(assignments))


def _assigned(words: list[_Word]) -> list[_Word]:
    """The words that must be assignments: behind ``export`` a name alone may stand as well."""
    if words[0].assigns is not None or words[0].text != "export":
        return words
    return [word for word in words[1:] if word.assigns or not _NAME.fullmatch(word.text or "")]


def _effect(command: _Command) -> Iterator[tuple[int, str, str | None]]:
    """Line, name and value of what ``command`` sets."""
    if not command.lost and command.assigns:
        for word in _assigned(command.words):
            if word.assigns is not None:
                yield word.line, word.assigns, word.text


class _Parser:
    """Words and commands of a text; expansions use the variables as they are at that moment."""

    def __init__(self, text: str, variables: Mapping[str, str | None]) -> None:
        self.text = text
        self.variables = variables
        self.position = 0
        self.line_start = 0
        # Assigned by the command that is being read: what they hold now is not yet certain.
        self.pending: set[str] = set()

    def commands(self) -> Iterator[_Command]:
        command = _Command()
        while self.position < len(self.text):
            char = self.text[self.position]
            self.pending = {word.assigns for word in command.words if word.assigns}
            if char in " \t":
                self.position += 1
            elif self.text.startswith("\\\n", self.position):
                self.position += 2
            elif char == "#":
                end = self.text.find("\n", self.position)
                self.position = len(self.text) if end < 0 else end
            elif char == "\n" and not command.words and command.after != "\n":
                self.position += 1  # a line may break behind an operator
            elif char in "\n;&|":
                following = self._operator(command)
                yield command
                command = following
            elif char in "()":
                raise _Syntax(f"syntax error: unexpected '{char}'", self.position)
            elif char in "<>":
                self._redirection(command)
            else:
                command.words.append(self._word())
        if not command.words and command.after != "\n":
            raise _Syntax("syntax error: unexpected end of file", self.position)
        yield command

    def _operator(self, command: _Command) -> _Command:
        """End ``command`` at an operator; gives the command that follows."""
        char = self.text[self.position]
        double = char in "&|" and self.text.startswith(char * 2, self.position)
        operator = char * 2 if double else char
        if not command.words and (operator != "\n"):
            raise _Syntax(f"syntax error: unexpected '{operator}'", self.position)
        self.position += len(operator)
        if operator == "\n":
            self.line_start = self.position
        if operator in "&|":
            command.lost = True
        # Right of a pipe is a subshell. Right of && counts only where the left surely succeeds,
        # right of || where it surely fails, which an assignment never does.
        lost = (
            operator == "|"
            or operator == "||"
            or (operator == "&&" and (command.lost or not command.assigns))
        )
        return _Command(lost=lost, after="\n" if operator in ("\n", ";", "&") else operator)

    def _redirection(self, command: _Command) -> None:
        # Its target may create a file or hold a here-document: whatever it belongs to is no
        # plain assignment, and the rest of the line is not worth guessing.
        command.words.append(_Word(self._line(), None))
        end = self.text.find("\n", self.position)
        self.position = len(self.text) if end < 0 else end

    def _line(self) -> int:
        return self.text.count("\n", 0, self.position) + 1

    def _word(self) -> _Word:
        word = _Word(self._line())
        match = _ASSIGNMENT.match(self.text, self.position)
        if match:
            word.assigns = match.group(1)
            self.position = match.end()
            self._tilde(word)
        while self.position < len(self.text):
            char = self.text[self.position]
            if char in " \t\n;&|<>()":
                if char in "()":
                    raise _Syntax(f"syntax error: unexpected '{char}'", self.position)
                break
            self._piece(char, word)
            if char == ":" and word.assigns:
                self._tilde(word)
        return word

    def _tilde(self, word: _Word) -> None:
        """``~/`` at the beginning of a value, or behind a colon in it, is the home directory."""
        if not self.text.startswith("~", self.position):
            return
        rest = self.text[self.position + 1 : self.position + 2]
        self.position += 1
        word.add(self.variables.get("HOME") if rest in ("", "/", ":", " ", "\t", "\n") else None)

    def _piece(self, char: str, word: _Word) -> None:
        if char == "\\":
            if not self.text.startswith("\n", self.position + 1):
                word.add(self.text[self.position + 1 : self.position + 2] or "\\")
            self.position += 2
        elif char == "'":
            end = self.text.find("'", self.position + 1)
            if end < 0:
                raise _Syntax("syntax error: unterminated quoted string", self.position)
            word.add(self.text[self.position + 1 : end])
            self.position = end + 1
        elif char == '"':
            self._double_quoted(word)
        elif char == "$":
            word.add(self._expansion(quoted=False))
        elif char == "`":
            self._skip_backquotes()
            word.add(None)
        else:
            word.add(char)
            self.position += 1

    def _double_quoted(self, word: _Word) -> None:
        opening = self.position
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
                word.add(self._expansion(quoted=True))
            elif char == "`":
                self._skip_backquotes()
                word.add(None)
            else:
                word.add(char)
                self.position += 1
        raise _Syntax("syntax error: unterminated quoted string", opening)

    def _skip_backquotes(self) -> None:
        end = self.text.find("`", self.position + 1)
        if end < 0:
            raise _Syntax("syntax error: unterminated backquote", self.position)
        self.position = end + 1

    def _expansion(self, *, quoted: bool) -> str | None:
        """``$…`` at the position: its value, None where only running something would tell."""
        start = self.position
        match = _NAME.match(self.text, start + 1)
        if match:
            self.position = match.end()
            return self._variable(match.group(), "")
        following = self.text[start + 1 : start + 2]
        if following == "{":
            end = self.text.find("}", start)
            if end < 0:
                raise _Syntax("syntax error: missing '}'", start)
            self.position = end + 1
            return self._braced(self.text[start + 2 : end])
        if following == "(":
            self.position = self._closing_parenthesis(start + 1)
            return None
        if following and following in _SPECIAL:
            self.position = start + 2
            return None
        self.position = start + 1
        if not quoted and following and following in "'\"":
            # bash and dash read $'…' and $"…" differently.
            return None
        return "$"

    def _variable(self, name: str, unset: str | None) -> str | None:
        return None if name in self.pending else self.variables.get(name, unset)

    def _braced(self, inner: str) -> str | None:
        match = _BRACED.fullmatch(inner)
        if match is None:
            return None
        name, colon, operator, word = match.groups()
        value = self._variable(name, None)
        if value is None and (name in self.variables or name in self.pending):
            return None
        if operator is None:
            return value or ""
        if any(char in word for char in "$`'\"\\~"):
            return None
        there = bool(value) if colon else value is not None
        if operator == "-":
            return value if there else word
        return word if there else ""

    def _closing_parenthesis(self, opening: int) -> int:
        depth = 0
        for index in range(opening, len(self.text)):
            depth += {"(": 1, ")": -1}.get(self.text[index], 0)
            if depth == 0:
                return index + 1
        raise _Syntax("syntax error: unterminated '('", opening)
