"""Where to write a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input

from doctor.text import _
from doctor.tui.widgets.dialog import Heading, Hint

if TYPE_CHECKING:
    from doctor.tui.app import DoctorApp


class SaveScreen(ModalScreen[Path | None]):
    """Gives the path; a file that exists is only overwritten when Enter is pressed twice."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", show=False)]

    app: DoctorApp

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name
        self._warned: Path | None = None

    def compose(self) -> ComposeResult:
        say = self.app.speech.line
        with Vertical(classes="dialog"):
            yield Heading(say(_("Write to which file?")))
            yield Input(self._name, select_on_focus=False)
            yield Hint(say(_("Enter writes   Esc cancels")))

    @on(Input.Changed)
    def _changed(self) -> None:
        self.query_one(Hint).complain("")

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        text = event.value.strip()
        if not text:
            self._complain(_("A file needs a name."))
            return
        path = Path(text).expanduser()
        if path.is_dir():
            self._complain(_("{path} is a folder.", path=str(path)))
        elif path.exists() and self._warned != path:
            self._warned = path
            self._complain(_("{path} exists. Enter again overwrites it.", path=str(path)))
        else:
            self.dismiss(path)

    def _complain(self, text: str) -> None:
        self.query_one(Hint).complain(self.app.speech.line(text))

    def action_leave(self) -> None:
        self.dismiss(None)
