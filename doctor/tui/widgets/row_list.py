"""A list of any length: only the rows in sight are drawn."""

from __future__ import annotations

import bisect
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.visual import Visual

# The terminal has to reverse its default colours itself: only it knows them.
_REVERSE = Style(reverse=True)


def _reversed(strip: Strip) -> Strip:
    return Strip(Segment.apply_style(strip, post_style=_REVERSE), strip.cell_length)


class Keyed(Protocol):
    """A row: ``key`` is what it is known by when the rows are replaced."""

    @property
    def key(self) -> str: ...


R = TypeVar("R", bound=Keyed)
D = TypeVar("D", bound=Keyed, contravariant=True)


class RowPainter(Protocol[D]):
    """Draws rows. ``height`` must agree with ``lines`` and be cheap: it is asked of every row."""

    def height(self, row: D, width: int) -> int: ...

    def lines(self, row: D, width: int, chosen: bool) -> Sequence[Content]: ...


class RowList(ScrollView, Generic[R], can_focus=True):
    """Rows with a cursor. Rows may be replaced at any time; the cursor stays on its row."""

    DEFAULT_CSS = """
    RowList {
        overflow-x: hidden;
        scrollbar-size-vertical: 1;
        & > .row-list--row { color: $foreground; }
        & > .row-list--cursor { background: $panel; color: $foreground; }
        &:focus > .row-list--cursor {
            background: $cursor-background; color: $cursor-foreground; text-style: $cursor-style;
        }
    }
    """

    COMPONENT_CLASSES: ClassVar[set[str]] = {"row-list--row", "row-list--cursor"}

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("up,k", "move(-1)", show=False),
        Binding("down,j", "move(1)", show=False),
        Binding("pageup", "page(-1)", show=False),
        Binding("pagedown", "page(1)", show=False),
        Binding("home,g", "edge(-1)", show=False),
        Binding("end,G", "edge(1)", show=False),
        Binding("enter", "choose", show=False),
    ]

    cursor: reactive[int] = reactive(0, init=False)

    class Moved(Message):
        """The cursor is on another row."""

        def __init__(self, rows: RowList[Any]) -> None:
            super().__init__()
            self.rows = rows

        @property
        def control(self) -> RowList[Any]:
            return self.rows

    class Chosen(Message):
        """Enter, or a click on the row under the cursor."""

        def __init__(self, rows: RowList[Any]) -> None:
            super().__init__()
            self.rows = rows

        @property
        def control(self) -> RowList[Any]:
            return self.rows

    def __init__(self, painter: RowPainter[R], *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._painter = painter
        self._rows: tuple[R, ...] = ()
        self._starts: list[int] = []
        self._laid_out = 0
        self._painted: dict[tuple[int, bool, bool], list[Strip]] = {}
        # Until the user moves it the cursor stays at the top, whatever arrives there.
        self._touched = False

    # ------------------------------------------------------------------ rows

    @property
    def rows(self) -> tuple[R, ...]:
        return self._rows

    @property
    def current(self) -> R | None:
        """The row under the cursor."""
        return self._rows[self.cursor] if self.cursor < len(self._rows) else None

    def show_rows(self, rows: Sequence[R]) -> None:
        """Replace all rows."""
        rows = tuple(rows)
        if rows == self._rows:
            return
        before = self.current
        self._rows = rows
        self._lay_out()
        place = self._place_of(before.key) if before is not None and self._touched else None
        if place is None:
            place = 0 if not self._touched else min(self.cursor, max(0, len(rows) - 1))
        self.set_reactive(RowList.cursor, place)
        after = self.current
        if (before and before.key) != (after and after.key):
            self._bring_into_view()
        if before != after:
            self.post_message(self.Moved(self))
        self.refresh()

    def go_to(self, wanted: Callable[[R], bool]) -> bool:
        """Put the cursor on the first row that is ``wanted``; whether there was one."""
        for index, row in enumerate(self._rows):
            if wanted(row):
                self._touched = True
                self.cursor = index
                return True
        return False

    def follow(self) -> None:
        """Let the cursor stay at the top again."""
        self._touched = False

    def _place_of(self, key: str) -> int | None:
        return next((i for i, row in enumerate(self._rows) if row.key == key), None)

    # ------------------------------------------------------------------ layout

    def _lay_out(self) -> None:
        width = self.scrollable_content_region.width
        self._laid_out = width
        self._painted.clear()
        starts, total = [], 0
        for row in self._rows:
            starts.append(total)
            total += self._painter.height(row, width)
        self._starts = [*starts, total]
        self.virtual_size = Size(width, total)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return sum(self._painter.height(row, width) for row in self._rows)

    def on_resize(self) -> None:
        self._lay_out()
        self._bring_into_view()
        self.refresh()

    def notify_style_update(self) -> None:
        self._painted.clear()
        super().notify_style_update()

    def _bring_into_view(self) -> None:
        if self.cursor < len(self._rows):
            top, bottom = self._starts[self.cursor], self._starts[self.cursor + 1]
            region = Region(0, top, self.scrollable_content_region.width, bottom - top)
            self.scroll_to_region(region, animate=False, force=True, immediate=True)

    def render_line(self, y: int) -> Strip:
        width = self.scrollable_content_region.width
        if width != self._laid_out:
            self._lay_out()
        line = self.scroll_offset.y + y
        base = self.get_visual_style("row-list--row")
        if not self._rows or line >= self._starts[-1]:
            return Strip.blank(width, base.rich_style)
        index = bisect.bisect_right(self._starts, line) - 1
        strips = self._paint(index, width)
        return strips[line - self._starts[index]]

    def _paint(self, index: int, width: int) -> list[Strip]:
        chosen = index == self.cursor
        key = (index, chosen, self.has_focus)
        strips = self._painted.get(key)
        if strips is None:
            names = ("row-list--row", "row-list--cursor") if chosen else ("row-list--row",)
            style = self.get_visual_style(*names)
            reverse = bool(chosen and self._cursor_is_reversed)
            strips = []
            for content in self._painter.lines(self._rows[index], width, chosen):
                drawn = Visual.to_strips(self, content, width, 1, style, apply_selection=False)
                strip = drawn[0] if drawn else Strip.blank(width)
                strip = strip.adjust_cell_length(width, style.rich_style)
                strips.append(_reversed(strip) if reverse else strip)
            height = self._starts[index + 1] - self._starts[index]
            strips += [Strip.blank(width, style.rich_style)] * (height - len(strips))
            self._painted[key] = strips
        return strips

    @property
    def _cursor_is_reversed(self) -> bool:
        return bool(
            self.has_focus and self.get_component_styles("row-list--cursor").text_style.reverse
        )

    # ------------------------------------------------------------------ moving

    def validate_cursor(self, cursor: int) -> int:
        return max(0, min(cursor, len(self._rows) - 1))

    def watch_cursor(self, before: int, after: int) -> None:
        if before != after:
            self._bring_into_view()
            self.refresh()
            self.post_message(self.Moved(self))

    def watch_has_focus(self, has_focus: bool) -> None:
        super().watch_has_focus(has_focus)
        self.refresh()

    def action_move(self, by: int) -> None:
        self._touched = True
        self.cursor += by

    def action_page(self, direction: int) -> None:
        self._touched = True
        if self._rows:
            line = self._starts[self.cursor] + direction * max(1, self.size.height - 1)
            self.cursor = max(0, bisect.bisect_right(self._starts[:-1], line) - 1)

    def action_edge(self, direction: int) -> None:
        self._touched = True
        self.cursor = 0 if direction < 0 else len(self._rows) - 1

    def action_choose(self) -> None:
        if self.current is not None:
            self.post_message(self.Chosen(self))

    def on_click(self, event: events.Click) -> None:
        offset = event.get_content_offset(self)
        if offset is None or not self._rows:
            return
        line = self.scroll_offset.y + offset.y
        if line >= self._starts[-1]:
            return
        index = bisect.bisect_right(self._starts, line) - 1
        self._touched = True
        if index == self.cursor:
            self.action_choose()
        else:
            self.cursor = index
