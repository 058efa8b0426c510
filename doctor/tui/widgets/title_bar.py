"""The first line: what is examined, and how far the run is."""

from __future__ import annotations

from textual.content import Content
from textual.widget import Widget

from doctor.tui import signs


class TitleBar(Widget):
    """Left the target, right the state of the run; the right side is the last to be cut."""

    DEFAULT_CSS = """
    TitleBar { height: 1; padding: 0 2; background: $bar; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._name = ""
        self._label = ""
        self._state = Content()

    def show(self, name: str, label: str, state: Content) -> None:
        """All three in the reader's language, harmless and redacted."""
        if (name, label) != (self._name, self._label) or not state.is_same(self._state):
            self._name, self._label, self._state = name, label, state
            self.refresh()

    def render(self) -> Content:
        width = self.content_size.width
        state = self._state.truncate(width, ellipsis=True)
        room = width - state.cell_length - 1
        left = Content.assemble(("kvdoctor", signs.KEY), "  ", (self._label, signs.STRONG))
        if self._name:
            left = Content.assemble(left, (f"  {self._name}", signs.QUIET))
        if room < 9:
            return state
        left = left.truncate(room, ellipsis=True)
        return Content.assemble(left, " " * (width - left.cell_length - state.cell_length), state)
