"""Words: pieces up to the blank or the operator that ends them."""

from __future__ import annotations

from doctor.patterns import Pattern
from doctor.shellwords.model import Kind, Piece, Word
from doctor.shellwords.pieces import Pieces

FUNCTION_PARENTHESES = Pattern(r"\([ \t]*\)")
_ASSIGNMENT = Pattern(r"([A-Za-z_][A-Za-z0-9_]*)(\+?)=")
_TILDE = Pattern(r"~[A-Za-z0-9._+-]*")
_ENDS = frozenset(" \t\n;&|)")


class Words(Pieces):
    """Reads whole words."""

    def word_begins(self) -> bool:
        if self.extended and (self.at("<(") or self.at(">(")):
            return True
        return self.char != "" and self.char not in " \t\n;&|()<>"

    def word(self) -> Word:
        """The word at the position; an empty one where none begins there."""
        word = Word(self.position, self.position, ())
        pieces: list[Piece] = []
        if match := _ASSIGNMENT.match(self.text, self.position):
            word.name, word.appends = match.group(1), bool(match.group(2))
            self.position = match.end()
            pieces.append(Piece(Kind.ASSIGNMENT, match.start(), match.end(), match.group()))
            if self.char == "(" and (array := self.brackets(array=True)):
                pieces.append(array)
        while piece := self._next(word, pieces):
            pieces.append(piece)
        word.pieces, word.end = tuple(pieces), self.position
        return word

    def _next(self, word: Word, before: list[Piece]) -> Piece | None:
        char = self.char
        if not char or char in _ENDS:
            return None
        if char in "<>":
            begins = self.position == word.start and self.word_begins()
            return self.substitution() if begins else None
        if char == "(":
            return self.brackets()
        if char == "~" and self._may_be_home(word, before):
            return self._tilde()
        piece = self.piece()
        if piece is not None and word.name is not None and piece.kind is Kind.LITERAL:
            self._up_to_tilde(piece)
        return piece

    def brackets(self, *, array: bool = False) -> Piece | None:
        """``(…)`` within a word: zsh's patterns, and arrays. None where it is none of the word."""
        start = self.position
        if not self.extended or (not array and FUNCTION_PARENTHESES.match(self.text, start)):
            return None
        closed = self.skip_brackets(comments=array)
        return Piece(Kind.BRACKETS, start, self.position, None, closed=closed)

    # ---------------------------------------------------------------- home directories

    def _may_be_home(self, word: Word, before: list[Piece]) -> bool:
        """At the beginning of a word or of a value, and behind a colon in a value."""
        if not before:
            return True
        last = before[-1]
        if word.name is None:
            return False
        colon = last.kind is Kind.LITERAL and (last.text or "").endswith(":")
        return last.kind is Kind.ASSIGNMENT or colon

    def _tilde(self) -> Piece:
        start = self.position
        match = _TILDE.match(self.text, start)
        self.position = match.end() if match else start + 1
        return Piece(Kind.TILDE, start, self.position, None)

    def _up_to_tilde(self, piece: Piece) -> None:
        """Shorten a run of literal characters to what stands ahead of ``:~``."""
        found = self.text.find(":~", piece.start, piece.end)
        if found >= 0:
            piece.end = self.position = found + 1
            piece.text = self.text[piece.start : piece.end]
