"""Which target to look at."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from doctor.text import _
from doctor.tui import words
from doctor.tui.messages import RunChanged
from doctor.tui.widgets.dialog import Heading, Hint
from doctor.tui.widgets.filter_list import FilterList
from doctor.tui.widgets.plain_rows import PlainRow, PlainRows
from doctor.tui.widgets.row_list import RowList

if TYPE_CHECKING:
    from doctor.tui.app import DoctorApp


class TargetsScreen(ModalScreen[str | None]):
    """Gives the id of the target."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", show=False)]

    app: DoctorApp

    def compose(self) -> ComposeResult:
        say = self.app.speech.line
        with Vertical(classes="dialog tall"):
            yield Heading(say(_("Targets")))
            yield FilterList(
                PlainRows(),
                lambda row: f"{row.text} {row.beside}",
                say(_("type to filter")),
            )
            yield Hint(say(_("Enter shows it   Esc closes. The worst come first.")))

    def on_mount(self) -> None:
        self._fill()
        shown = self.app.state.target
        if shown is not None:
            self.query_one(FilterList).rows.go_to(lambda row: row.key == shown.id)

    @on(RunChanged)
    def _fill(self) -> None:
        say = self.app.speech.line
        rows = []
        for target in self.app.state.view.targets.values():
            sign, state = words.state_of(target)
            rows.append(PlainRow(target.id, say(target.label), say(state), sign.symbol, sign.style))
        self.query_one(FilterList).show_rows(rows)

    @on(RowList.Chosen)
    def _chosen(self, event: RowList.Chosen) -> None:
        row = event.rows.current
        self.dismiss(row.key if row is not None else None)

    def action_leave(self) -> None:
        self.dismiss(None)
