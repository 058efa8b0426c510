"""The one sentence that matters now, and the key that acts on it."""

from __future__ import annotations

from collections.abc import Sequence

from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

from doctor.tui import signs
from doctor.tui.wrapping import hung


class Banner(Widget):
    """A word, a sentence and a key. Its background tells good, bad and undecided apart."""

    DEFAULT_CSS = """
    Banner {
        height: auto;
        padding: 0 2;
        background: $banner;
        &.-good { background: $banner-good; }
        &.-bad { background: $banner-bad; }
        &.-doubt { background: $banner-doubt; }
    }
    """

    _MOST_LINES = 2

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        # Clicks work without, and underlines would be all that one sees.
        self.set_reactive(Widget.auto_links, False)
        self._head = Content()
        self._texts: tuple[str, ...] = ("",)
        self._key = Content()

    def show(self, kind: str, head: str, texts: Sequence[str], key: Content) -> None:
        """``kind`` is good, bad, doubt or empty; of ``texts`` the first that fits one line
        is shown, else the last. ``key`` may hold an action to click on."""
        style = {"good": signs.GOOD, "bad": signs.BROKEN, "doubt": signs.DOUBT}.get(kind, "")
        made = Content(head).stylize(f"bold {style}".strip())
        for name in ("good", "bad", "doubt"):
            self.set_class(name == kind, f"-{name}")
        same = made.is_same(self._head) and tuple(texts) == self._texts and key.is_same(self._key)
        if not same:
            taller = len(self._lines(self.content_size.width))
            self._head, self._texts, self._key = made, tuple(texts), key
            self.refresh(layout=taller != len(self._lines(self.content_size.width)))

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return len(self._lines(width))

    def render(self) -> Content:
        return Content("\n").join(self._lines(self.content_size.width))

    def _lines(self, width: int) -> list[Content]:
        if width <= 0:
            return [Content()]
        indent = self._head.cell_length + 2 if self._head else 0
        key = self._key.cell_length
        room = width - indent - (key + 2 if key else 0)
        contents = [Content.styled(text, signs.STRONG) for text in self._texts]
        text = next((one for one in contents if one.cell_length <= room), contents[-1])
        lines = hung(text, width, indent, self._head)
        if not key:
            return self._cut(lines, width)
        if lines[-1].cell_length + 2 + key <= width and len(lines) <= self._MOST_LINES:
            gap = " " * (width - lines[-1].cell_length - key)
            return [*lines[:-1], Content.assemble(lines[-1], gap, self._key)]
        lines = self._cut(lines, width)
        if len(lines) < self._MOST_LINES or lines[-1].cell_length + 2 + key > width:
            lines = [*lines, Content.assemble(" " * max(0, width - key), self._key)]
        return lines

    def _cut(self, lines: list[Content], width: int) -> list[Content]:
        if len(lines) <= self._MOST_LINES:
            return lines
        last = Content.assemble(lines[self._MOST_LINES - 1].truncate(width - 1), "…")
        return [*lines[: self._MOST_LINES - 1], last]
