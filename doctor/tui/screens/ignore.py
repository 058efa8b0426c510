"""Why a finding is left out."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input

from doctor.models import Finding
from doctor.text import _
from doctor.tui.widgets.dialog import Heading, Hint

if TYPE_CHECKING:
    from doctor.tui.app import DoctorApp


class IgnoreScreen(ModalScreen[str | None]):
    """Gives the reason, which is required."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", show=False)]

    app: DoctorApp

    def __init__(self, finding: Finding) -> None:
        super().__init__()
        self._finding = finding

    def compose(self) -> ComposeResult:
        say = self.app.speech.line
        finding = self._finding
        with Vertical(classes="dialog"):
            title = _("Leave out {code} for {target}", code=finding.code, target=finding.target)
            yield Heading(say(title), say(finding.title))
            yield Input(placeholder=say(_("the reason, for whoever reads kvdoctor.toml")))
            text = _(
                "Enter writes an [[ignore]] rule into kvdoctor.toml of this folder   Esc cancels"
            )
            yield Hint(say(text))

    @on(Input.Changed)
    def _changed(self) -> None:
        self.query_one(Hint).complain("")

    @on(Input.Submitted)
    def _submitted(self, event: Input.Submitted) -> None:
        reason = " ".join(event.value.split())
        if reason:
            self.dismiss(reason)
        else:
            text = _("A rule without a reason is one that nobody dares to remove.")
            self.query_one(Hint).complain(self.app.speech.line(text))

    def action_leave(self) -> None:
        self.dismiss(None)
