"""A text to read, over the screen: the documentation of a check."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen

from doctor.checkapi import Check
from doctor.docpages import HEADINGS, translated
from doctor.text import Translator, _
from doctor.tui import signs
from doctor.tui.widgets.dialog import Heading, Hint
from doctor.tui.widgets.finding_detail import Build, FindingDetail
from doctor.tui.wrapping import hung

if TYPE_CHECKING:
    from doctor.tui.app import DoctorApp


# Paragraphs are broken to the width of the screen.
_UNBROKEN = 100_000


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


def rule_screen(check: Check, translate: Translator) -> ReadingScreen:
    """The documentation of ``check``, which is its docstring."""
    text = translated(check.doc, translate, _UNBROKEN)
    heads = [translate(head) for head in HEADINGS.values()]

    def build(width: int) -> Content:
        lines: list[Content] = []
        for paragraph in text.split("\n\n"):
            lines += [*_paragraph(paragraph, width, heads), Content()]
        return Content("\n").join(lines)

    return ReadingScreen(f"{check.code}  {check.slug}", build)


def _paragraph(text: str, width: int, heads: list[str]) -> list[Content]:
    """Reflowed; the fixed section words stand out. The text is ours and holds no markup."""
    words = " ".join(text.split()).removeprefix("## ")
    head = next((head for head in heads if words.startswith(head)), "")
    content = Content.assemble((head, signs.KEY), words[len(head) :])
    return hung(content, width)
