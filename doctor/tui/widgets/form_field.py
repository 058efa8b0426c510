"""A line of a form: what it is, a place to type, and what is wrong with what was typed."""

from __future__ import annotations

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input

from doctor.tui import signs

# Shows where one can type, also where a field has no colour of its own.
_EMPTY = "–"


class _Name(Widget):
    DEFAULT_CSS = """
    _Name { height: 1; width: 16; }
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text
        self.here = False

    def render(self) -> Content:
        mark = ("▌", signs.KEY) if self.here else (" ", "")
        return Content.assemble(mark, (self._text, signs.STRONG if self.here else ""))


class _Note(Widget):
    DEFAULT_CSS = """
    _Note { height: auto; width: 1fr; padding: 0 1; }
    """

    def __init__(self, hint: str) -> None:
        super().__init__()
        self._hint = hint
        self._wrong = ""

    def complain(self, text: str) -> None:
        if text != self._wrong:
            self._wrong = text
            self.refresh(layout=True)

    def render(self) -> Content:
        if self._wrong:
            return Content.styled(f"✗ {self._wrong}", signs.BROKEN)
        return Content.styled(self._hint, signs.QUIET)


class _Number(Input):
    """Takes what numbers are written with; letters stay keys of the screen."""

    def __init__(self, value: str, *, id: str) -> None:
        super().__init__(
            value, placeholder=_EMPTY, id=id, restrict=r"[0-9.,_ ]*", select_on_focus=False
        )

    def check_consume_key(self, key: str, character: str | None) -> bool:
        return character is not None and character in "0123456789.,_ "


class FormField(Horizontal):
    """``label`` and ``hint`` are in the reader's language and harmless. ``number`` says that
    numbers alone go there; ``begins`` sets it off from the fields above."""

    DEFAULT_CSS = """
    FormField {
        height: auto;
        Input, Input:focus { border: none; height: 1; width: 16; padding: 0 1; background: $panel; }
        Input:focus { background: $cursor-background; color: $cursor-foreground; }
    }
    """

    def __init__(
        self,
        label: str,
        hint: str,
        value: str,
        *,
        id: str,
        number: bool = True,
        begins: bool = False,
    ) -> None:
        super().__init__(classes="begins" if begins else None)
        self._label = _Name(label)
        self._note = _Note(hint)
        self._input = (
            _Number(value, id=id)
            if number
            else Input(value, placeholder=_EMPTY, id=id, select_on_focus=False)
        )

    def compose(self) -> ComposeResult:
        yield self._label
        yield self._input
        yield self._note

    def on_descendant_focus(self) -> None:
        self._set_here(True)

    def on_descendant_blur(self) -> None:
        self._set_here(False)

    def _set_here(self, here: bool) -> None:
        self.set_class(here, "-here")
        self._label.here = here
        self._label.refresh()

    @property
    def field(self) -> str:
        """Its id."""
        return self._input.id or ""

    @property
    def text(self) -> str:
        return self._input.value

    def complain(self, text: str) -> None:
        """What is wrong with it; "" is nothing."""
        self.set_class(bool(text), "-wrong")
        self._note.complain(text)
