"""Which fault it is: every code with its name, to filter and choose from."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from doctor.codes import SLUGS
from doctor.explain.document import title_of
from doctor.text import _
from doctor.tui.widgets.dialog import Heading, Hint
from doctor.tui.widgets.filter_list import FilterList
from doctor.tui.widgets.plain_rows import PlainRow, PlainRows
from doctor.tui.widgets.row_list import RowList

if TYPE_CHECKING:
    from doctor.tui.app import DoctorApp


class CodesScreen(ModalScreen[str | None]):
    """Gives the code."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", show=False)]

    app: DoctorApp

    def compose(self) -> ComposeResult:
        say = self.app.speech.line
        with Vertical(classes="dialog tall"):
            yield Heading(say(_("What is broken?")))
            yield FilterList(
                PlainRows(), lambda row: f"{row.key} {row.beside}", say(_("type to filter"))
            )
            yield Hint(say(_("Enter names it   Esc closes")))

    def on_mount(self) -> None:
        rows = [PlainRow(code, code, self._named(code)) for code in sorted(SLUGS)]
        self.query_one(FilterList).show_rows(rows)

    def _named(self, code: str) -> str:
        """The slug, with its words where the reader's language is another."""
        words, slug = self.app.speech.line(title_of(code)), SLUGS[code]
        return slug if words == title_of(code) else f"{words}  {slug}"

    @on(RowList.Chosen)
    def _chosen(self, event: RowList.Chosen) -> None:
        row = event.rows.current
        self.dismiss(row.key if row is not None else None)

    def action_leave(self) -> None:
        self.dismiss(None)
