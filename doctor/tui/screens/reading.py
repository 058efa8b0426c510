"""A text to read, over the screen: the documentation of a check."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen

from doctor.checkapi import Check
from doctor.text import _
from doctor.tui import signs
from doctor.tui.widgets.dialog import Heading, Hint
from doctor.tui.widgets.finding_detail import Build, FindingDetail
from doctor.tui.wrapping import hung

if TYPE_CHECKING:
    from doctor.tui.app import DoctorApp


class ReadingScreen(ModalScreen[None]):
    """Scrolls; any of the leaving keys closes it."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter,w", "dismiss", show=False),
    ]

    app: DoctorApp

    def __init__(self, title: str, build: Build) -> None:
        super().__init__()
        self._title = title
        self._build = build

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog tall"):
            yield Heading(self.app.speech.line(self._title))
            yield FindingDetail(id="text")
            yield Hint(self.app.speech.line(_("Esc closes")))

    def on_mount(self) -> None:
        pane = self.query_one(FindingDetail)
        pane.show(self._build, anew=True)
        pane.focus()


def rule_screen(check: Check) -> ReadingScreen:
    """The documentation of ``check``, which is its docstring."""
    text = inspect.cleandoc(check.doc)

    def build(width: int) -> Content:
        lines: list[Content] = []
        for paragraph in text.split("\n\n"):
            lines += [*_paragraph(paragraph, width), Content()]
        return Content("\n").join(lines)

    return ReadingScreen(f"{check.code}  {check.slug}", build)


_HEADS = ("What it checks", "Why it matters", "How to fix", "Fix safety", "References")


def _paragraph(text: str, width: int) -> list[Content]:
    """Reflowed; the fixed section words stand out. The text is ours and holds no markup."""
    words = " ".join(text.split()).removeprefix("## ")
    head = next((head for head in _HEADS if words.startswith(head)), "")
    content = Content.assemble((head, signs.KEY), words[len(head) :])
    return hung(content, width)
