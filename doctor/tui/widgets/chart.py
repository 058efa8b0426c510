"""A small chart of the last values: columns in eighths of a line, bounds drawn across."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from textual.content import Content
from textual.widget import Widget

from doctor.tui import signs

EIGHTHS = " ▁▂▃▄▅▆▇█"
_LINE = "┈"
AXIS = 6


@dataclass(frozen=True, slots=True)
class Bound:
    """A line across the chart at ``value``, with its label at the right."""

    value: float
    label: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """What a chart shows, all texts in the reader's language and harmless.

    ``low`` is drawn over ``high``, newest last; None leaves a gap. ``top`` is the value of the
    upper edge, ``top_label`` its label. ``style`` is that of ``value`` and of ``low``, unless each
    of its columns has one in ``styles``. Styles are colours alone.
    """

    title: str
    value: str
    note: str
    style: str
    low: tuple[float | None, ...]
    high: tuple[float | None, ...] = ()
    high_style: str = signs.QUIET
    top: float = 1.0
    top_label: str = ""
    bounds: tuple[Bound, ...] = ()
    styles: tuple[str, ...] = ()


D = TypeVar("D")


class Drawn(Widget, Generic[D]):
    """A widget that draws what it is shown, as wide and as high as it is.

    ``lines`` makes of a drawing, a width and a height at most so many lines.
    """

    def __init__(
        self, lines: Callable[[D, int, int], list[Content]], *, id: str | None = None
    ) -> None:
        super().__init__(id=id)
        self._lines = lines
        self._drawing: D | None = None

    def show(self, drawing: D) -> None:
        if drawing != self._drawing:
            self._drawing = drawing
            self.refresh()

    def render(self) -> Content:
        width, height = self.content_size
        if self._drawing is None or width <= AXIS or height < 1:
            return Content()
        return Content("\n").join(self._lines(self._drawing, width, height))


class Chart(Drawn[Drawing]):
    """One drawing: a line that says it, and below as many lines of columns as there is room."""

    DEFAULT_CSS = """
    Chart { height: 1fr; min-height: 3; padding: 0 1; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(lines_of, id=id)


def lines_of(drawing: Drawing, width: int, height: int) -> list[Content]:
    """The head, and columns below it."""
    head = head_of(drawing).truncate(width, ellipsis=True)
    return [head, *columns(drawing, width, max(height - 1, 0))]


def head_of(drawing: Drawing) -> Content:
    """The name, the value now, and what it means."""
    return Content.assemble(
        (drawing.title, signs.STRONG),
        "  ",
        (drawing.value, f"bold {drawing.style}" if drawing.style else signs.STRONG),
        (f"  {drawing.note}" if drawing.note else "", signs.QUIET),
    )


def columns(drawing: Drawing, width: int, height: int) -> list[Content]:
    """``height`` lines of ``width``, the upper one first."""
    room = width - AXIS
    low = _last(drawing.low, room)
    high = _last(drawing.high, room) if drawing.high else [None] * room
    styles = ([drawing.style] * room + list(drawing.styles))[-room:]
    marks, across = _marks(drawing, height)
    lines = []

    def filled(value: float | None, base: int) -> int:
        return part(value, drawing.top, height, base)

    for row in range(height):
        base = height - 1 - row
        cells = [
            _cell(filled(one, base), filled(two, base), style, drawing.high_style, row in across)
            for one, two, style in zip(low, high, styles, strict=True)
        ]
        label = f" {marks.get(row, '')}"[:AXIS].ljust(AXIS)
        lines.append(Content.assemble(*together(cells), (label, signs.QUIET)))
    return lines


def _last(values: Sequence[float | None], room: int) -> list[float | None]:
    """The newest ones, right-aligned."""
    kept = list(values[-room:])
    return [None] * (room - len(kept)) + kept


def _marks(drawing: Drawing, height: int) -> tuple[dict[int, str], set[int]]:
    """Labels by line, and the lines on which a bound lies. A bound's label comes before that of
    the upper edge, and the first of two that fall on one line stays."""
    marks: dict[int, str] = {}
    for bound in drawing.bounds:
        row = height - 1 - int(min(bound.value / drawing.top, 0.999) * height)
        marks.setdefault(row, bound.label)
    across = set(marks)
    if drawing.top_label:
        marks.setdefault(0, drawing.top_label)
    return marks, across


def part(value: float | None, top: float, height: int, base: int) -> int:
    """How many eighths of the line ``base`` lines above the ground the value fills."""
    if value is None or top <= 0:
        return 0
    filled = round(min(max(value / top, 0.0), 1.0) * height * 8)
    if value > 0:
        filled = max(filled, 1)
    return min(max(filled - base * 8, 0), 8)


Cell = tuple[str, str]


def _cell(low: int, high: int, style: str, high_style: str, across: bool) -> Cell:
    """The character and its style; ``low`` and ``high`` in eighths."""
    if low:
        # Behind a column that ends within the line the other one goes on.
        return EIGHTHS[low], f"{style} on {high_style}" if high == 8 and low < 8 else style
    if high:
        return EIGHTHS[high], high_style
    return (_LINE if across else " "), signs.QUIET


def together(cells: Sequence[Cell]) -> list[Cell]:
    """Neighbours of one style together."""
    runs: list[Cell] = []
    for char, style in cells:
        if runs and runs[-1][1] == style:
            runs[-1] = (runs[-1][0] + char, style)
        else:
            runs.append((char, style))
    return runs
