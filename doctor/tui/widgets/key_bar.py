"""The last line: the keys that do something here and now."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.content import Content
from textual.style import Style
from textual.widget import Widget

from doctor.tui import signs


@dataclass(frozen=True, slots=True)
class Key:
    """``key`` as it is written, what it does, the action for the mouse. What matters least, by
    ``rank``, goes first where there is no room."""

    key: str
    text: str
    action: str
    rank: int = 1


class KeyBar(Widget):
    """Keys in one line, as many as fit."""

    DEFAULT_CSS = """
    KeyBar { height: 1; padding: 0 2; background: $bar; dock: bottom; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        # Clicks work without, and underlines would be all that one sees.
        self.set_reactive(Widget.auto_links, False)
        self._keys: tuple[Key, ...] = ()

    @property
    def keys(self) -> tuple[Key, ...]:
        """All of them, also those for which there is no room."""
        return self._keys

    def show(self, keys: Sequence[Key]) -> None:
        if tuple(keys) != self._keys:
            self._keys = tuple(keys)
            self.refresh()

    def render(self) -> Content:
        width = self.content_size.width
        for gap in ("  ", " "):
            kept = list(self._keys)
            line = self._line(kept, gap)
            if line.cell_length <= width:
                return line
        while kept and line.cell_length > width:
            kept.remove(max(reversed(kept), key=lambda key: key.rank))
            line = self._line(kept, gap)
        return self._line(kept, "  ") if self._line(kept, "  ").cell_length <= width else line

    def _line(self, keys: Sequence[Key], gap: str) -> Content:
        parts: list[Content | str] = []
        for key in keys:
            one = Content.assemble((key.key, signs.KEY), " ", key.text)
            if parts:
                parts.append(gap)
            parts.append(one.stylize(Style.from_meta({"@click": key.action})))
        return Content.assemble(*parts)
