"""Draws the rows of the finding list."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content

from doctor.text import _
from doctor.tui import signs
from doctor.tui.rows import FindingRow, FoldRow, ListRow, SummaryRow
from doctor.tui.speech import Speech
from doctor.tui.wrapping import hung

_INDENT = 5
_DEEPER = 2
_MOST_LINES = 2


class FindingRows:
    """``▌1 ✗ The key ends in a line break``: mark, number key, sign, title in at most two lines."""

    def __init__(self, speech: Speech) -> None:
        self._speech = speech

    def height(self, row: ListRow, width: int) -> int:
        if isinstance(row, SummaryRow):
            return len(self._summary(row, width))
        if isinstance(row, FoldRow):
            return 1
        room = self._room(row, width)
        return 1 if Content(self._title(row)).cell_length <= room else _MOST_LINES

    def lines(self, row: ListRow, width: int, chosen: bool) -> Sequence[Content]:
        mark = ("▌", signs.KEY) if chosen else " "
        if isinstance(row, FoldRow):
            return [Content.assemble(mark, (self._fold(row), signs.QUIET))]
        if isinstance(row, SummaryRow):
            return self._summary(row, width, chosen)
        sign = signs.SEVERITIES[row.finding.severity]
        deeper = " " * (_DEEPER * row.depth)
        number = (str(row.number) if row.number else " ", signs.QUIET)
        style = signs.STRONG if row.root else "" if row.depth == 0 else signs.QUIET
        pieces = self._wrapped(row, width)
        first = Content.assemble(
            mark, number, " ", deeper, (f"{sign.symbol} ", sign.style), (pieces[0], style)
        )
        blank = " " * (_INDENT + _DEEPER * row.depth - 1)
        return [first, *(Content.assemble(mark, blank, (piece, style)) for piece in pieces[1:])]

    def _summary(self, row: SummaryRow, width: int, chosen: bool = False) -> list[Content]:
        said = " · ".join(self._speech.line(text) for text in row.texts)
        lead = Content.styled("▌" if chosen else " ", signs.KEY)
        return [Content(), *hung(Content.styled(said, signs.QUIET), width, 3, lead)]

    def _title(self, row: FindingRow) -> str:
        return self._speech.line(row.finding.title)

    def _room(self, row: FindingRow, width: int) -> int:
        return max(8, width - _INDENT - _DEEPER * row.depth)

    def _wrapped(self, row: FindingRow, width: int) -> list[str]:
        room = self._room(row, width)
        pieces = [piece.plain.rstrip() for piece in Content(self._title(row)).wrap(room)]
        if len(pieces) > _MOST_LINES:
            rest = " ".join(pieces[_MOST_LINES - 1 :])
            pieces = [*pieces[: _MOST_LINES - 1], Content(rest).truncate(room, ellipsis=True).plain]
        return pieces or [""]

    def _fold(self, row: FoldRow) -> str:
        if row.open:
            return "   " + self._speech.line(_("▾ follows from it:"))
        text = (
            _("▸ 1 consequence folded")
            if row.count == 1
            else _("▸ {count} consequences folded", count=row.count)
        )
        return "   " + self._speech.line(text)
