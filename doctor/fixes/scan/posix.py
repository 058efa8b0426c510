"""Start-up files of sh, bash and zsh: which command sets which variable, and where.

Nothing is run. Where the text cannot be followed to its end, nothing is said of any of it.
"""

from __future__ import annotations

import re
from dataclasses import replace

from doctor.fixes.editors.base import line_of
from doctor.fixes.refusal import RefusedEdit
from doctor.fixes.scan.base import Assignment, Nesting, Removal, Scan
from doctor.shellwords.commands import Commands
from doctor.shellwords.model import Command, Trouble, Word
from doctor.shellwords.pieces import NAME
from doctor.shellwords.tokens import Tokens
from doctor.text import _

_WHOLE_ASSIGNMENT = re.compile(r"([A-Za-z_][A-Za-z0-9_]*)=(.*)", re.DOTALL)
_DECLARES = frozenset({"declare", "typeset", "local", "readonly", "export"})


def scan(text: str, *, allexport: bool = False) -> Scan:
    """Every assignment of the file. ``allexport``: all of them are exported, as by ``set -a``.

    Raises ``RefusedEdit`` where a quote, a bracket or a here-document does not end.
    """
    tokens = Tokens(text, extended=True)
    scanner = _Scanner(text, allexport)
    for command in Commands(tokens).read():
        for redirection in command.redirections:
            if redirection.target is None:
                raise RefusedEdit(
                    _("a redirection names no file"), line_of(text, redirection.start)
                )
        if command.words:
            scanner.take(command)
    if tokens.fault is not None:
        raise RefusedEdit(_reason(tokens.fault.trouble), line_of(text, tokens.fault.at))
    return scanner.result()


def _reason(trouble: Trouble) -> str:
    match trouble:
        case Trouble.QUOTE:
            return _("a quote does not end")
        case Trouble.BACKQUOTE:
            return _("a backquote does not end")
        case Trouble.BRACE:
            return _("a brace is not closed")
        case Trouble.BRACKET:
            return _("a bracket is not closed")
        case Trouble.STRAY:
            return _("a bracket closes nothing")
        case Trouble.TEST:
            return _("a test does not end")
        case Trouble.CASE:
            return _("a case does not end")
        case Trouble.HERE_DOCUMENT:
            return _("a here-document does not end")
        case Trouble.DEPTH:
            return _("nested too deeply")


class _Scanner:
    """What the commands of a file set."""

    def __init__(self, text: str, allexport: bool) -> None:
        self.text = text
        self.allexport = allexport
        self.assignments: list[Assignment] = []
        self.removals: list[Removal] = []
        self.exports: set[str] = set()
        self.sourced: list[str] = []
        self.commands: list[tuple[int, int]] = []

    def result(self) -> Scan:
        found = tuple(
            replace(a, exported=True) if a.name in self.exports else a for a in self.assignments
        )
        return Scan(found, tuple(self.sourced), tuple(self.commands), tuple(self.removals))

    def take(self, command: Command) -> None:
        """Note what a command does, unless a subshell's variables are its own."""
        words = command.words
        self.commands.append((words[0].start, words[-1].end))
        if command.subshell:
            return
        nesting = _nesting(command)
        first = words[0].text
        if all(word.name for word in words):
            self._record(words, self.allexport, nesting, self.commands[-1])
        elif first in _DECLARES:
            self._declare(words, nesting)
        elif first == "unset":
            self._unset(words[1:], nesting)
        elif first in (".", "source") and len(words) > 1 and nesting is not Nesting.FUNCTION:
            self.sourced.append(self.text[words[1].start : words[1].end])
        elif first in ("set", "setopt"):
            self._options([word.text or "" for word in words[1:]])

    def _declare(self, words: list[Word], nesting: Nesting) -> None:
        """``export``, ``declare`` and their like."""
        first = words[0].text
        flags = [word.text or "" for word in words[1:] if (word.text or "").startswith("-")]
        rest = [word for word in words[1:] if word.text is None or word.text[:1] != "-"]
        if first == "export" and any("n" in flag or "f" in flag for flag in flags):
            return
        exports = first == "export" or any("x" in flag for flag in flags)
        if exports:
            self.exports.update(w.text for w in rest if w.text and NAME.fullmatch(w.text))
        exports = exports or (self.allexport and first != "local")
        self._record(rest, exports, nesting, self.commands[-1])

    def _unset(self, words: list[Word], nesting: Nesting) -> None:
        if any((word.text or "").startswith("-") and word.text != "-v" for word in words):
            return  # a function or a reference
        for word in words:
            if word.text is not None and NAME.fullmatch(word.text):
                line = line_of(self.text, word.start)
                self.removals.append(Removal(word.text, line, self.commands[-1][0], nesting))

    def _options(self, texts: list[str]) -> None:
        """``set -a``, ``setopt allexport``."""
        if "allexport" in texts or any(re.fullmatch(r"-\w*a\w*", text) for text in texts):
            self.allexport = True
        if any(re.fullmatch(r"\+\w*a\w*", text) for text in texts):
            self.allexport = False

    def _record(
        self, words: list[Word], exported: bool, nesting: Nesting, span: tuple[int, int]
    ) -> None:
        for word in words:
            name, value, value_start, editable = word.name, word.value, word.value_start, True
            if name is None:
                # export "NAME=value": known, but its text is not the value's alone.
                whole = _WHOLE_ASSIGNMENT.fullmatch(word.text or "")
                if whole is None:
                    continue
                name, value = whole.groups()
                value_start, editable = word.start, False
            self.assignments.append(
                Assignment(
                    name=name,
                    value=value,
                    line=line_of(self.text, word.start),
                    start=word.start,
                    value_start=value_start,
                    end=word.end,
                    command_start=span[0],
                    command_end=span[1],
                    exported=exported,
                    nesting=nesting,
                    sole=len(words) == 1,
                    editable=editable and not word.appends,
                )
            )


def _nesting(command: Command) -> Nesting:
    if command.function:
        return Nesting.FUNCTION
    return Nesting.CONDITIONAL if command.conditional else Nesting.TOP
