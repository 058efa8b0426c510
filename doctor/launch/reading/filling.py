"""Words of a shell text with the text's own variables and arrays filled in."""

from __future__ import annotations

from doctor.launch.model import Word
from doctor.launch.reading.found import Groups
from doctor.patterns import Pattern
from doctor.records import dataclass
from doctor.shellwords import model as shell
from doctor.shellwords.model import Kind, Piece
from doctor.shellwords.pieces import NAME

_BRACED = Pattern(r"\$\{([A-Za-z_][A-Za-z0-9_]*)(\[[@*]\])?(?::?([-=+?])([^{}$`]*))?\}")


@dataclass(slots=True)
class Value:
    """What a variable holds. ``items`` are the words of an array; ``start`` is where ``text``
    stands literally (-1: nowhere)."""

    text: str | None
    start: int = -1
    items: list[Word] | None = None


class Variables(dict[str, Value]):
    """Those that ``text`` sets, by name."""

    def __init__(self, text: str, groups: Groups) -> None:
        super().__init__()
        self.text = text
        self.groups = groups

    def filled(self, pieces: tuple[Piece, ...]) -> tuple[str, bool]:
        """What pieces stand for, as far as the text tells, and whether it tells all of it."""
        known, texts = True, []
        for piece in pieces:
            text, certain = self._piece(piece)
            texts.append(text)
            known = known and certain
        return "".join(texts), known

    def several(self, word: shell.Word) -> list[Word] | None:
        """The words that one word becomes which is a variable alone; None where it stays one."""
        pieces = [piece for piece in word.pieces if piece.kind is not Kind.CONTINUATION]
        if len(pieces) != 1:
            return None
        (piece,) = pieces
        quoted = piece.kind is Kind.DOUBLE and len(piece.inner) == 1
        if quoted:
            (piece,) = piece.inner
        if piece.kind is not Kind.VARIABLE:
            return None
        value, of_array, _default = self._value(piece)
        if of_array and value is not None and value.items is not None:
            return list(value.items)
        return None if quoted or value is None or value.text is None else self._split(value)

    def _written(self, piece: Piece) -> str:
        return self.text[piece.start : piece.end]

    def _piece(self, piece: Piece) -> tuple[str, bool]:
        if piece.text is not None:
            return piece.text, True
        if piece.kind is Kind.DOUBLE:
            return self.filled(piece.inner)
        if piece.kind is Kind.VARIABLE:
            value, _of_array, default = self._value(piece)
            if value is not None and value.text is not None:
                return value.text, True
            if value is None and default is not None:
                return default, True
        return self._written(piece), piece.kind is Kind.TILDE

    def _value(self, piece: Piece) -> tuple[Value | None, bool, str | None]:
        """What a variable holds, whether all of an array is meant, and the default beside it."""
        written = self._written(piece)
        if NAME.fullmatch(written[1:]):
            return self.get(written[1:]), False, None
        match = _BRACED.fullmatch(written)
        if match is None:
            return None, False, None
        name, index, operator, default = match.groups()
        meant = default.strip("\"'") if operator in ("-", "=") else None
        return self.get(name), bool(index), meant

    def _split(self, value: Value) -> list[Word]:
        """The words of an unquoted variable, where it was set."""
        text = value.text or ""
        words, position = [], 0
        group = self.groups.new("blank")
        for part in text.split():
            position = text.index(part, position)
            start = value.start + position if value.start >= 0 else -1
            end = start + len(part) if start >= 0 else -1
            words.append(Word(part, start, end, group if start >= 0 else -1))
            position += len(part)
        return words
