"""Words, operators, comments and redirections, one after the other."""

from __future__ import annotations

from doctor.patterns import Pattern
from doctor.shellwords.commands import Commands
from doctor.shellwords.model import (
    OPERATORS,
    Comment,
    Operator,
    Redirection,
    Token,
    Trouble,
)
from doctor.shellwords.words import Words

_REDIRECTION = Pattern(r"[0-9]*(?:<<<|<<-?|<[&>]?|&?>>?[&|]?)")
_QUOTES = Pattern(r"[\"'\\]")


class Tokens(Words):
    """Reads tokens. The texts of here-documents are passed over at the line end ahead of them."""

    def __init__(
        self, text: str, start: int = 0, end: int | None = None, *, extended: bool = False
    ) -> None:
        super().__init__(text, start, end, extended=extended)
        self._here: list[Redirection] = []

    def skip_commands(self) -> bool:
        return Commands(self).skip()

    def gap(self) -> None:
        """Go behind blanks and continued lines."""
        while True:
            if self.char in (" ", "\t"):
                self.position += 1
            elif self.at("\\\n"):
                self.position += 2
            else:
                return

    def token(self) -> Token | None:
        """The next one, None at the end of the text."""
        self.gap()
        start = self.position
        if not self.char:
            if self._here:
                self.fail(Trouble.HERE_DOCUMENT, start)
            return None
        if self.char == "#":
            self.to_line_end()
            return Comment(start, self.position)
        if not self.word_begins() or self.char.isdigit():
            redirection = _REDIRECTION.match(self.text, start)
            if redirection is not None:
                return self.redirection()
        if self.word_begins():
            return self.word()
        return self._operator()

    def _operator(self) -> Operator:
        start = self.position
        text = next(operator for operator in OPERATORS if self.at(operator))
        self.position += len(text)
        found = Operator(start, self.position, text)
        if text == "\n":
            self._skip_here_documents()
        return found

    # ---------------------------------------------------------------- redirections

    def redirection(self) -> Redirection:
        """The one at the position, with its target."""
        start = self.position
        match = _REDIRECTION.match(self.text, start)
        self.position = match.end() if match else start + 1
        operator = self.text[start : self.position].lstrip("0123456789")
        self.gap()
        target = self.word() if self.word_begins() and self.char != "#" else None
        found = Redirection(start, self.position, operator, target)
        if self.opens_here_document(found):
            self._here.append(found)
        return found

    def opens_here_document(self, redirection: Redirection) -> bool:
        return redirection.operator in ("<<", "<<-")

    def ends_here_document(self, line: str, redirection: Redirection) -> bool:
        """Whether ``line``, without its line end, is the delimiter."""
        target = redirection.target
        raw = self.text[target.start : target.end] if target else ""
        line = line.lstrip("\t") if redirection.operator == "<<-" else line
        return line == _QUOTES.sub("", raw)

    def _skip_here_documents(self) -> None:
        waiting, self._here = self._here, []
        for redirection in waiting:
            opened = self.position
            while True:
                if not self.char:
                    self.fail(Trouble.HERE_DOCUMENT, opened)
                    return
                begun = self.position
                self.to_line_end()
                line = self.text[begun : self.position]
                self.position = min(self.position + 1, len(self.text))
                if self.ends_here_document(line, redirection):
                    break
