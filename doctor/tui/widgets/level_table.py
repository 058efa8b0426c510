"""The loads of a benchmark as a table: as many columns as there is room for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.widget import Widget

from doctor.columns import columns, right
from doctor.tui import signs
from doctor.tui.widgets.row_list import RowList

_GAP = 2


@dataclass(frozen=True, slots=True)
class LevelRow:
    """A load: a text for each column. ``symbol`` and its ``style`` tell a state."""

    key: str
    cells: tuple[str, ...]
    symbol: str = " "
    style: str = ""


@dataclass(frozen=True, slots=True)
class Head:
    """A column's name, and how soon it is left out: the largest ``rank`` first."""

    text: str
    rank: int


class LevelRows:
    """``table`` is what the widths of the columns follow from."""

    def __init__(self) -> None:
        self.heads: tuple[Head, ...] = ()
        self.rows: tuple[LevelRow, ...] = ()

    def kept(self, width: int) -> list[tuple[int, int]]:
        """The columns that fit: place and width."""
        wide = [
            _GAP + max(columns(head.text), *(columns(row.cells[n]) for row in self.rows), 1)
            for n, head in enumerate(self.heads)
        ]
        places = list(range(len(wide)))
        while len(places) > 1 and sum(wide[n] for n in places) + _GAP > width:
            places.remove(max(places, key=lambda n: (self.heads[n].rank, n)))
        return [(n, wide[n]) for n in places]

    def height(self, row: LevelRow, width: int) -> int:
        return 1

    def lines(self, row: LevelRow, width: int, chosen: bool) -> Sequence[Content]:
        cells = "".join(right(row.cells[n], wide) for n, wide in self.kept(width))
        content = Content.assemble(
            ("▌" if chosen else " ", signs.KEY), (row.symbol, row.style), cells
        )
        return [content.truncate(width, ellipsis=True)]

    def head(self, width: int) -> Content:
        """The line above the rows."""
        names = "".join(right(self.heads[n].text, wide) for n, wide in self.kept(width))
        return Content.styled(" " * _GAP + names, signs.QUIET).truncate(width, ellipsis=True)


class _HeadLine(Widget):
    DEFAULT_CSS = """
    _HeadLine { height: 1; padding: 0 1 0 0; }
    """

    def __init__(self, painter: LevelRows) -> None:
        super().__init__()
        self._painter = painter

    def render(self) -> Content:
        return self._painter.head(self.content_size.width)


class LevelTable(Vertical):
    """Rows with a cursor, and the names of their columns above."""

    DEFAULT_CSS = """
    LevelTable { height: auto; }
    LevelTable RowList { height: auto; max-height: 1fr; scrollbar-gutter: stable; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._painter = LevelRows()

    def compose(self) -> ComposeResult:
        yield _HeadLine(self._painter)
        yield RowList(self._painter, id="levels")

    def show(self, heads: Sequence[Head], rows: Sequence[LevelRow]) -> None:
        self._painter.heads, self._painter.rows = tuple(heads), tuple(rows)
        self.query_one(_HeadLine).refresh()
        self.query_one("#levels", RowList).show_rows(rows)
