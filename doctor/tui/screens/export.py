"""In which format to write the report."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from doctor.text import _
from doctor.tui.widgets.dialog import Heading, Hint
from doctor.tui.widgets.plain_rows import PlainRow, PlainRows
from doctor.tui.widgets.row_list import RowList

if TYPE_CHECKING:
    from doctor.tui.app import DoctorApp

_USES = {
    "plain": _("text to read or to mail"),
    "rich": _("text with a drawn path"),
    "json": _("one document, kvdoctor.report/1"),
    "jsonl": _("every event on a line"),
    "junit": _("for CI"),
    "sarif": _("for code scanning"),
    "github": _("workflow annotations"),
    "markdown": _("for an issue or a chat"),
    "html": _("a page of its own"),
}


class ExportScreen(ModalScreen[str | None]):
    """Gives the format."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q", "leave", show=False)]

    app: DoctorApp

    def __init__(self, formats: Sequence[str]) -> None:
        super().__init__()
        self._formats = tuple(formats)

    def compose(self) -> ComposeResult:
        say = self.app.speech.line
        with Vertical(classes="dialog"):
            yield Heading(say(_("Export the report")))
            rows: RowList[PlainRow] = RowList(PlainRows(), id="formats")
            yield rows
            yield Hint(say(_("Enter chooses   Esc closes. Keys are masked in every format.")))

    def on_mount(self) -> None:
        say = self.app.speech.line
        rows = self.query_one(RowList)
        rows.show_rows(
            [PlainRow(name, name.ljust(10), say(_USES.get(name, ""))) for name in self._formats]
        )
        rows.focus()

    @on(RowList.Chosen)
    def _chosen(self, event: RowList.Chosen) -> None:
        row = event.rows.current
        self.dismiss(row.key if row is not None else None)

    def action_leave(self) -> None:
        self.dismiss(None)
