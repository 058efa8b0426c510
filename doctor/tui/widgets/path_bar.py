"""The path of the request, drawn across the top: what works, and where it stops."""

from __future__ import annotations

from rich.cells import cell_len
from textual.content import Content
from textual.geometry import Size
from textual.style import Style
from textual.widget import Widget

from doctor.models import Hop, HopStatus
from doctor.tui import pathview, signs
from doctor.tui.pathview import Cell, Placed
from doctor.tui.runview import TargetView
from doctor.tui.speech import Speech


class PathBar(Widget):
    """Names joined by a line, states below, and a sentence under the first broken hop."""

    DEFAULT_CSS = """
    PathBar { height: auto; padding: 0 2; }
    """

    def __init__(self, speech: Speech, *, id: str | None = None) -> None:
        super().__init__(id=id)
        # Clicks work without, and underlines would be all that one sees.
        self.set_reactive(Widget.auto_links, False)
        self._speech = speech
        self._cells: tuple[Cell, ...] = pathview.cells([None] * len(Hop), False, speech.line)
        self._stops: tuple[str, ...] = ()

    def show(self, target: TargetView | None) -> None:
        """Draw the path of ``target``."""
        path = target.path if target is not None else tuple([None] * len(Hop))
        cells = pathview.cells(path, bool(target and target.examining), self._speech.line)
        stops = tuple(self._speech.line(text) for text in pathview.stops_at(path))
        if (cells, stops) != (self._cells, self._stops):
            taller = bool(stops) != bool(self._stops)
            self._cells, self._stops = cells, stops
            self.refresh(layout=taller)

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._lines(width))

    def render(self) -> Content:
        return Content("\n").join(self._lines(self.content_size.width))

    def _lines(self, width: int) -> list[Content]:
        if width <= 0:
            return []
        rows = pathview.lay_out(
            self._cells,
            width,
            {hop: self._speech.line(name) for hop, name in pathview.NAMES.items()},
            {hop: self._speech.line(name) for hop, name in pathview.SHORT.items()},
        )
        lines: list[Content] = []
        for row in rows:
            lines += [self._names(row), self._states(row, width)]
            if self._stops and any(placed.cell.first for placed in row):
                lines.append(self._caret(row, width))
        return lines

    def _names(self, row: list[Placed]) -> Content:
        parts: list[Content] = []
        for index, placed in enumerate(row):
            name = Content(placed.name)
            if placed.cell.first:
                name = name.stylize(signs.LOUD)
            elif placed.cell.status is HopStatus.OK:
                name = name.stylize(signs.STRONG)
            elif placed.cell.status is HopStatus.BROKEN:
                name = name.stylize(signs.BROKEN)
            else:
                name = name.stylize(signs.QUIET)
            click = Style.from_meta({"@click": f"screen.jump_hop('{placed.cell.hop.value}')"})
            parts.append(name.stylize(click))
            if index < len(row) - 1:
                gap = placed.width - name.cell_length
                parts.append(self._line(gap, placed.cell.status))
        return Content.assemble(*parts)

    def _line(self, gap: int, status: HopStatus | None) -> Content:
        whole = status in (HopStatus.OK, HopStatus.SKIPPED)
        stroke = ("━" if whole else "╌") * max(0, gap - 2)
        return Content.assemble(" ", (stroke, signs.GOOD if whole else signs.QUIET), " ")

    def _states(self, row: list[Placed], width: int) -> Content:
        parts: list[Content] = []
        column = 0
        for placed in row:
            if placed.state:
                start = sum(part.cell_length for part in parts)
                parts.append(Content(" " * max(0, column - start)))
                parts.append(Content(placed.state).stylize(placed.cell.style))
            column += placed.width
        return Content.assemble(*parts).truncate(width, ellipsis=True)

    def _caret(self, row: list[Placed], width: int) -> Content:
        column = 0
        for placed in row:
            if placed.cell.first:
                break
            column += placed.width
        for stop in self._stops[:-1]:
            text = f"▲ {stop}"
            if cell_len(text) <= width - column:
                return Content.assemble(" " * column, (text, signs.BROKEN))
        # Not below its hop any more, so nothing points at it.
        texts = [Content.styled(f"✗ {stop}", signs.BROKEN) for stop in self._stops]
        fitting = (text for text in texts if text.cell_length <= width)
        return next(fitting, texts[-1].truncate(width, ellipsis=True))
