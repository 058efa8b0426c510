"""The question before load is put on somebody else's server."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from doctor.text import _
from doctor.tui.widgets.dialog import Heading, Hint

if TYPE_CHECKING:
    from doctor.tui.app import DoctorApp


class BenchSpendScreen(ModalScreen[bool]):
    """Whether it may be sent. Enter, which leads here, does not answer."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("y", "answer(True)", show=False),
        Binding("escape,n,q", "answer(False)", show=False),
    ]

    app: DoctorApp

    def __init__(self, what: str) -> None:
        super().__init__()
        self._what = what

    def compose(self) -> ComposeResult:
        say = self.app.speech.line
        with Vertical(classes="dialog"):
            yield Heading(say(_("Spend these tokens?")), say(self._what))
            yield Hint(say(_("y sends them   Esc sends nothing")))

    def action_answer(self, yes: bool) -> None:
        self.dismiss(yes)
