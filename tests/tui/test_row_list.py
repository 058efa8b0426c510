"""Lists of any length: only what is in sight is drawn, and the cursor stays where it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.app import App, ComposeResult
from textual.content import Content

from doctor.tui.themes import DARK
from doctor.tui.widgets.row_list import RowList


@dataclass(frozen=True)
class Row:
    key: str


class Painter:
    """Every third row takes two lines. Counts what it is asked to draw."""

    def __init__(self) -> None:
        self.drawn: set[str] = set()

    def height(self, row: Row, width: int) -> int:
        return 2 if int(row.key) % 3 == 0 else 1

    def lines(self, row: Row, width: int, chosen: bool) -> Sequence[Content]:
        self.drawn.add(row.key)
        return [Content(f"row {row.key}")]


class Lists(App[None]):
    def __init__(self) -> None:
        super().__init__()
        self.register_theme(DARK)
        self.theme = DARK.name
        self.painter = Painter()

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return dict(DARK.variables)

    def compose(self) -> ComposeResult:
        yield RowList(self.painter)

    @property
    def rows(self) -> RowList[Row]:
        return self.query_one(RowList)


def many(count: int, first: int = 0) -> list[Row]:
    return [Row(str(n)) for n in range(first, first + count)]


async def test_of_two_thousand_rows_only_those_in_sight_are_drawn() -> None:
    app = Lists()
    async with app.run_test(size=(40, 20)) as pilot:
        app.rows.show_rows(many(2000))
        await pilot.pause()
        assert len(app.painter.drawn) <= 20

        app.painter.drawn.clear()
        await pilot.press("end")
        await pilot.pause()
        assert app.rows.current == Row("1999")
        assert "1999" in app.painter.drawn
        assert len(app.painter.drawn) <= 21


async def test_a_page_down_and_up_comes_back() -> None:
    app = Lists()
    async with app.run_test(size=(40, 20)) as pilot:
        app.rows.show_rows(many(2000))
        await pilot.press("down", "pagedown", "pagedown")
        there = app.rows.cursor
        await pilot.press("pageup", "pageup")

        assert there > 20
        assert app.rows.cursor <= 2


async def test_until_it_is_moved_the_cursor_stays_at_the_top() -> None:
    app = Lists()
    async with app.run_test(size=(40, 20)) as pilot:
        app.rows.show_rows(many(3, first=10))
        app.rows.show_rows(many(13))
        await pilot.pause()
        assert app.rows.current == Row("0")

        await pilot.press("down", "down")
        app.rows.show_rows(many(13, first=-5))
        assert app.rows.current == Row("2")


async def test_when_the_row_under_the_cursor_is_gone_the_cursor_is_on_another() -> None:
    app = Lists()
    async with app.run_test(size=(40, 20)) as pilot:
        app.rows.show_rows(many(10))
        await pilot.press("end")
        app.rows.show_rows(many(4))
        await pilot.pause()

        assert app.rows.current == Row("3")
        app.rows.show_rows([])
        assert app.rows.current is None
        await pilot.press("down", "end", "pagedown", "enter")
