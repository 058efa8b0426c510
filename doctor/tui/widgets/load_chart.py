"""A chart over loads: a bar for each, a whisker above it, the names of the loads below."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.content import Content

from doctor.columns import columns
from doctor.tui import signs
from doctor.tui.widgets.chart import AXIS, EIGHTHS, Cell, Drawn, part, together

# A wider bar says no more.
_WIDEST = 9
_WHISKER, _TIP = "│", "╷"


@dataclass(frozen=True, slots=True)
class Bar:
    """One load. The bar goes up to ``low`` and the whisker to ``high``; None is nothing there.
    ``under_way`` says that it is still measured, ``marked`` that it is the knee."""

    name: str
    low: float | None
    high: float | None = None
    under_way: bool = False
    marked: bool = False


@dataclass(frozen=True, slots=True)
class LoadDrawing:
    """What a chart shows, all texts in the reader's language and harmless. ``key`` explains the
    whisker. ``top`` is the value of the upper edge, ``top_label`` its label."""

    title: str
    value: str
    key: str
    bars: tuple[Bar, ...]
    top: float = 1.0
    top_label: str = ""


class LoadChart(Drawn[LoadDrawing]):
    """One drawing: a line that says it, the bars, and a line with their names."""

    DEFAULT_CSS = """
    LoadChart { height: 1fr; min-height: 4; padding: 0 1; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(lines_of, id=id)


def lines_of(drawing: LoadDrawing, width: int, height: int) -> list[Content]:
    """``height`` lines of ``width``: what it is, bars, names."""
    head = Content.assemble(
        (drawing.title, signs.STRONG),
        "  ",
        (drawing.value, signs.STRONG),
        (f"  {drawing.key}" if drawing.key else "", signs.QUIET),
    )
    room = width - AXIS
    slot = max(min(room // max(len(drawing.bars), 1), _WIDEST + 1), 1)
    shown = drawing.bars[-(room // slot) :]
    rows = max(height - 2, 0)
    lines = [head.truncate(width, ellipsis=True)]
    for row in range(rows):
        cells = [cell for bar in shown for cell in _cells(bar, drawing.top, rows, row, slot)]
        label = f" {drawing.top_label}"[:AXIS].ljust(AXIS) if row == 0 else " " * AXIS
        blank = " " * (room - len(cells))
        lines.append(Content.assemble(*together(cells), (blank + label, signs.QUIET)))
    return [*lines, _names(shown, slot, width)][:height]


def _cells(bar: Bar, top: float, rows: int, row: int, slot: int) -> Sequence[Cell]:
    base = rows - 1 - row
    wide = max(slot - 1, 1)
    style = signs.QUIET if bar.under_way else "$accent"
    low, high = part(bar.low, top, rows, base), part(bar.high, top, rows, base)
    gap = [(" ", "")] * (slot - wide)
    if low:
        return [(EIGHTHS[low], style)] * wide + gap
    middle = wide // 2
    mark = _WHISKER if high > 4 else _TIP if high else " "
    return [(mark if place == middle else " ", signs.QUIET) for place in range(wide)] + gap


def _names(bars: Sequence[Bar], slot: int, width: int) -> Content:
    """As many as fit, the marked one before all others."""
    texts = [f"{'◆' if b.marked else ''}{b.name}{'…' if b.under_way else ''}" for b in bars]
    taken = [False] * (width + 1)
    placed: dict[int, tuple[str, str]] = {}
    for place in sorted(range(len(bars)), key=lambda n: (not bars[n].marked, -n)):
        text, start = texts[place], place * slot
        end = start + columns(text)
        if end <= width and not any(taken[max(start - 1, 0) : end + 1]):
            taken[start:end] = [True] * (end - start)
            placed[start] = (text, signs.STRONG if bars[place].marked else signs.QUIET)
    parts: list[tuple[str, str]] = []
    at = 0
    for start, (text, style) in sorted(placed.items()):
        parts += [(" " * (start - at), ""), (text, style)]
        at = start + columns(text)
    return Content.assemble(*parts)
