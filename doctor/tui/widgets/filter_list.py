"""A list with a line to type in that keeps the rows holding all of its words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Generic

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.widgets import Input

from doctor.tui.widgets.row_list import R, RowList, RowPainter


class FilterList(Vertical, Generic[R]):
    """``text_of`` gives the text of a row that is searched."""

    DEFAULT_CSS = """
    FilterList { height: auto; }
    FilterList Input, FilterList Input:focus {
        border: none; height: 1; padding: 0 1; margin: 0 0 1 0; background: $panel;
    }
    """

    BINDINGS: ClassVar[list[BindingType]] = [
        # The cursor of the list moves while the filter is typed.
        Binding("up", "move(-1)", show=False, priority=True),
        Binding("down", "move(1)", show=False, priority=True),
        Binding("pageup", "page(-1)", show=False, priority=True),
        Binding("pagedown", "page(1)", show=False, priority=True),
    ]

    def __init__(
        self, painter: RowPainter[R], text_of: Callable[[R], str], placeholder: str
    ) -> None:
        super().__init__()
        self._painter = painter
        self._text_of = text_of
        self._placeholder = placeholder
        self._all: tuple[R, ...] = ()

    def compose(self) -> ComposeResult:
        yield Input(placeholder=self._placeholder)
        yield RowList(self._painter, id="rows")

    @property
    def rows(self) -> RowList[R]:
        return self.query_one("#rows", RowList)

    def show_rows(self, rows: Sequence[R]) -> None:
        self._all = tuple(rows)
        self._filter()

    @on(Input.Changed)
    def _filter(self) -> None:
        words = self.query_one(Input).value.lower().split()
        self.rows.show_rows(
            [row for row in self._all if all(word in self._text_of(row).lower() for word in words)]
        )

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        event.stop()
        # Posted from here, the message would not pass this widget, as its sender.
        self.rows.call_later(self.rows.action_choose)

    def action_move(self, by: int) -> None:
        self.rows.action_move(by)

    def action_page(self, direction: int) -> None:
        self.rows.action_page(direction)
