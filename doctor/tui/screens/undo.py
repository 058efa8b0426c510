"""What would be put back, before it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen

from doctor.text import _
from doctor.tui.detail import diff_lines
from doctor.tui.widgets.dialog import Heading, Hint
from doctor.tui.widgets.finding_detail import FindingDetail

if TYPE_CHECKING:
    from doctor.tui.app import DoctorApp


class UndoScreen(ModalScreen[bool]):
    """Gives whether to go on."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,n", "answer(False)", show=False),
        Binding("enter,u,y", "answer(True)", show=False),
    ]

    app: DoctorApp

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def compose(self) -> ComposeResult:
        say = self.app.speech.line
        with Vertical(classes="dialog tall"):
            yield Heading(say(_("Take this back?")))
            yield FindingDetail(id="diff")
            yield Hint(say(_("Enter puts every byte back   Esc cancels")))

    def on_mount(self) -> None:
        speech, text = self.app.speech, self._text
        pane = self.query_one(FindingDetail)
        pane.show(lambda width: Content("\n").join(diff_lines(speech, text, width)), anew=True)
        pane.focus()

    def action_answer(self, answer: bool) -> None:
        self.dismiss(answer)
