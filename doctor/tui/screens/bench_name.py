"""Under which name to keep a run."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input

from doctor.bench.running import Run
from doctor.bench.saved import NameTaken, RunError
from doctor.text import _
from doctor.tui.widgets.dialog import Heading, Hint

if TYPE_CHECKING:
    from doctor.tui.app import DoctorApp
    from doctor.tui.benching import Benching


class BenchNameScreen(ModalScreen[str | None]):
    """Keeps the run and gives its name; a kept one is only overwritten when Enter is pressed
    twice."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", show=False)]

    app: DoctorApp

    def __init__(self, benching: Benching, run: Run, name: str = "") -> None:
        super().__init__()
        self._benching = benching
        self._run = run
        self._first = name
        self._warned: str | None = None

    def compose(self) -> ComposeResult:
        say = self.app.speech.line
        with Vertical(classes="dialog"):
            yield Heading(say(_("Keep the run as")), say(_("letters, digits, '.', '_' and '-'")))
            yield Input(self._first, select_on_focus=False)
            yield Hint(say(_("Enter keeps it   Esc cancels")))

    @on(Input.Changed)
    def _changed(self) -> None:
        self.query_one(Hint).complain("")

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        name = event.value.strip()
        if name:
            self.run_worker(self._keep(name), group="keep", exclusive=True)
        else:
            self._complain(_("A run needs a name."))

    async def _keep(self, name: str) -> None:
        try:
            await self._benching.keep(self._run, name, replace=self._warned == name)
        except NameTaken:
            self._warned = name
            self._complain(_("{name} is kept already. Enter again overwrites it.", name=name))
        except RunError as error:
            self._complain(str(error))
        else:
            self.dismiss(name)

    def _complain(self, text: str) -> None:
        self.query_one(Hint).complain(self.app.speech.line(text))

    def action_leave(self) -> None:
        self.dismiss(None)
