"""What the small screens on top of another have in common: a frame, a title, keys below."""

from __future__ import annotations

from textual.content import Content
from textual.widget import Widget

from doctor.tui import signs


class Heading(Widget):
    """The title of a small screen."""

    DEFAULT_CSS = """
    Heading { height: auto; padding: 0 1 1 1; }
    """

    def __init__(self, title: str, text: str = "") -> None:
        super().__init__()
        self._title = title
        self._text = text

    def render(self) -> Content:
        title = Content.styled(self._title, signs.KEY)
        if not self._text:
            return title
        return Content.assemble(title, "\n", self._text)


class Hint(Widget):
    """A line below: the keys, or what is wrong with what was typed."""

    DEFAULT_CSS = """
    Hint { height: auto; padding: 1 1 0 1; color: $quiet; dock: bottom; }
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text
        self._wrong = ""

    def complain(self, text: str) -> None:
        """Tell what is wrong, until something else is typed."""
        self._wrong = text
        self.refresh(layout=True)

    def render(self) -> Content:
        if self._wrong:
            return Content.styled(f"✗ {self._wrong}", signs.BROKEN)
        return Content(self._text)
