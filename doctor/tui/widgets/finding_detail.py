"""The selected finding, or what was and was not tested where there is none."""

from __future__ import annotations

from collections.abc import Callable

from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.content import Content
from textual.geometry import Size
from textual.widget import Widget

# Longer lines are hard to read, however wide the screen is.
_WIDEST = 100

# Builds the text for a width in columns.
Build = Callable[[int], Content]


class _Text(Widget):
    """Text built for the width that there is."""

    DEFAULT_CSS = """
    _Text { height: auto; }
    """

    def __init__(self) -> None:
        super().__init__()
        self._build: Build = lambda _width: Content()
        self._built: tuple[int, Content] | None = None

    def show(self, build: Build) -> bool:
        """Whether that changed anything."""
        width = self.content_size.width
        content = build(min(width, _WIDEST)) if width else Content()
        self._build = build
        if self._built is not None and width and self._built[1].is_same(content):
            return False
        self._built = (width, content) if width else None
        self.refresh(layout=True)
        return True

    def _content(self, width: int) -> Content:
        if self._built is None or self._built[0] != width:
            self._built = (width, self._build(min(width, _WIDEST)))
        return self._built[1]

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return self._content(width).get_height({}, width) if width else 1

    def render(self) -> Content:
        return self._content(self.content_size.width)


class FindingDetail(VerticalScroll, can_focus=True):
    """Scrolls a text that may be selected and copied with the mouse."""

    DEFAULT_CSS = """
    FindingDetail { padding: 0 2; scrollbar-size-vertical: 1; }
    """

    def compose(self) -> ComposeResult:
        yield _Text()

    def show(self, build: Build, *, anew: bool) -> None:
        """Show another text; ``anew`` scrolls to its beginning."""
        self.query_one(_Text).show(build)
        if anew:
            self.scroll_home(animate=False)
