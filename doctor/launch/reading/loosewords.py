"""Words and tokens where people wrote what no shell reads: see ``doctor.launch.reading.shell``.

Quotes that do not end stop at the next blank, typographic ones are taken for straight ones, and
templates that are not filled in yet are one piece. Each such place is noted as a slip.
"""

from __future__ import annotations

from doctor.launch.model import Slip, Span
from doctor.patterns import Pattern
from doctor.shellwords.model import Kind, Piece, Redirection
from doctor.shellwords.pieces import literals
from doctor.shellwords.tokens import Tokens

# ``{{ .Values.port }}`` of a chart or a workflow that is not filled in yet, blanks and all.
TEMPLATE = Pattern(r"\$?\{\{.{0,1000}?\}\}", flags=16)  # re.DOTALL
ODD_BLANKS = "\u00a0\u3000\u2003\u2009\ufeff"
_DASHES = "‐‑‒–—−"
_PAIRS = {"“": "”", "‘": "’", "«": "»", "„": "“"}
_QUOTES = "“”‘’«»„"
_HERE_DOCUMENT = Pattern(r"['\"]?[A-Za-z_]\w*['\"]?")
_TO_BLANK = Pattern(r"[^ \t\r\n]*")
# So many slips in one command are told; what has more is no command.
_MANY = 200
# Characters that ``${…}`` may have.
_LONGEST = 2_000
# So often the end of a quote or a substitution is looked for in vain, up to the end of the text.
_PATIENCE = 10
_BRACKET = Pattern(r"[()]")


class LooseTokens(Tokens):
    """``slips`` are those of the command that is being read."""

    literal = literals(ODD_BLANKS + _QUOTES + r"\r{")

    def __init__(self, text: str, start: int, end: int) -> None:
        super().__init__(text, start, end, extended=True)
        self.slips: list[Slip] = []
        self._in_vain = 0

    # ---------------------------------------------------------------- places

    def line_end(self, position: int) -> int:
        """The position behind a line end at ``position``, 0 where there is none."""
        if self.text.startswith("\r\n", position):
            return position + 2
        return position + 1 if self.text.startswith("\n", position) else 0

    def at_line_end(self) -> bool:
        """Whether a carriage return at the position belongs to a line end or ends the text."""
        return self.char == "\r" and (
            self.line_end(self.position) > 0 or self.position + 1 >= len(self.text)
        )

    def slip(self, kind: str, shown: str, spans: tuple[Span, ...], at: int | None = None) -> None:
        if len(self.slips) < _MANY and not self._depth:
            line = self.text.count("\n", 0, self.position if at is None else at) + 1
            self.slips.append(Slip(kind, line, shown, spans))

    def span(self, length: int, text: str) -> Span:
        """The characters at the position, to be put otherwise."""
        return Span(self.position, self.position + length, text)

    def gap(self) -> None:
        while True:
            super().gap()
            if (self.char and self.char in ODD_BLANKS) or self.at_line_end():
                self.position += 1
            elif self.char == "\\" and (behind := self.line_end(self.position + 1)):
                self.position = behind
            else:
                return

    # ---------------------------------------------------------------- pieces

    def odd(self) -> Piece | None:
        start, char = self.position, self.char
        if char in ODD_BLANKS or self.at_line_end():
            return None
        if char in _QUOTES:
            return self._typographic()
        return self._template() or Piece(Kind.LITERAL, start, self._advance(), char)

    def _advance(self) -> int:
        self.position += 1
        return self.position

    def _template(self) -> Piece | None:
        start = self.position
        found = TEMPLATE.match(self.text, start)
        if found is None:
            return None
        self.position = found.end()
        return Piece(Kind.ODD, start, self.position, None)

    def _typographic(self) -> Piece:
        start, char = self.position, self.char
        if len(self.slips) >= _MANY or self._depth:
            return Piece(Kind.LITERAL, start, self._advance(), char)
        line_end = self.text.find("\n", start)
        stop = len(self.text) if line_end < 0 else line_end
        end = self.text.find(_PAIRS.get(char, char), start + 1, stop)
        if end < 0 and char in "“”":
            end = self.text.find("”", start + 1, stop)
        quote = "'" if char in "‘’" else '"'
        if end < 0:
            self.slip("typographic-quote", char, (self.span(1, quote),))
            return Piece(Kind.ODD, start, self._advance(), "")
        inner = self.text[start + 1 : end]
        if quote in inner:
            quote = "'" if quote == '"' else '"'
        spans = (self.span(1, quote), Span(end, end + 1, quote))
        self.slip("typographic-quote", f"{char}…{self.text[end]}", spans)
        self.position = end + 1
        return Piece(Kind.ODD, start, self.position, inner)

    def escaped(self) -> Piece:
        start = self.position
        behind = self.line_end(start + 1)
        if behind or start + 1 >= len(self.text):
            self.position = behind or start + 1
            return Piece(Kind.CONTINUATION, start, self.position, "")
        return super().escaped()

    def single(self) -> Piece:
        return self._or_to_blank(super().single())

    def double(self) -> Piece:
        start = self.position
        if self._in_vain >= _PATIENCE:
            return self._or_to_blank(Piece(Kind.DOUBLE, start, start, None, closed=False))
        return self._or_to_blank(super().double())

    def _or_to_blank(self, string: Piece) -> Piece:
        """A quote that does not end goes as far as the word does; in a substitution it takes the
        rest along."""
        if string.closed or self._depth:
            return string
        self._in_vain += 1
        self.position = string.start
        self.slip("open-quote", self.char, ())
        end = _TO_BLANK.match(self.text, string.start + 1)
        self.position = end.end() if end else string.end
        text = self.text[string.start + 1 : self.position]
        return Piece(string.kind, string.start, self.position, text, closed=False)

    def backquoted(self) -> Piece:
        start = self.position
        end = self.text.find("`", start + 1)
        if end < 0 or self.text.find("\n", start, end) >= 0:
            return Piece(Kind.ODD, start, self._advance(), None)
        self.position = end + 1
        return Piece(Kind.COMMAND, start, self.position, None)

    def dollar(self, *, quoted: bool) -> Piece:
        return (self._template() if self.at("${{") else None) or super().dollar(quoted=quoted)

    def substitution(self, opening: int = 2) -> Piece:
        """One that cannot be followed to its end goes to the bracket that seems to close it."""
        start = self.position
        if self._depth or self._in_vain < _PATIENCE:
            piece = super().substitution(opening)
            if piece.closed or self._depth:
                return piece
        self._in_vain += 1
        self.position, depth = start, 0
        while bracket := _BRACKET.search(self.text, self.position):
            self.position = bracket.end()
            depth += 1 if bracket.group() == "(" else -1
            if depth == 0:
                break
        else:
            self.position = len(self.text)
        return Piece(Kind.COMMAND, start, self.position, None, closed=False)

    def braces(self, *, quoted: bool) -> Piece:
        """One that does not end stops at the next closing brace."""
        start, whole = self.position, self.text
        if self._depth or self._in_vain < _PATIENCE:
            self.text = whole[: start + _LONGEST]
            piece = super().braces(quoted=quoted)
            self.text = whole
            if piece.closed:
                return piece
        self._in_vain += self._depth == 0
        close = -1 if self._depth else whole.find("}", start)
        self.position = len(whole) if close < 0 else close + 1
        return Piece(Kind.VARIABLE, start, self.position, None, closed=False)

    def brackets(self, *, array: bool = False) -> Piece | None:
        return None  # in what people paste, a bracket is no part of a word

    # ---------------------------------------------------------------- here-documents

    def opens_here_document(self, redirection: Redirection) -> bool:
        target = redirection.target
        raw = self.text[target.start : target.end] if target else ""
        return super().opens_here_document(redirection) and bool(_HERE_DOCUMENT.fullmatch(raw))

    def ends_here_document(self, line: str, redirection: Redirection) -> bool:
        # It may stand in a block of YAML, further in than a shell allows.
        return super().ends_here_document(line.strip(), redirection)


def with_straight_dashes(tokens: LooseTokens, text: str, start: int) -> str:
    """``–port`` and ``——port``, of which an editor made one dash of two."""
    if text[:1] not in _DASHES or not (len(text) > 2 or (len(text) == 2 and text[1].isalpha())):
        return text
    count = len(text) - len(text.lstrip(_DASHES + "-"))
    name = text[count:]
    if not name[:1].isalpha():
        return text
    short = count == 1 and text[0] in "‐‑−" and len(name.partition("=")[0]) <= 3
    dashes = "-" if short else "--"
    tokens.slip("typographic-dash", text[:count], (Span(start, start + count, dashes),), start)
    return dashes + name
