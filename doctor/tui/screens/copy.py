"""What to copy: a list with the text beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen

from doctor.text import _
from doctor.tui.copies import Copy
from doctor.tui.detail import diff_lines
from doctor.tui.strays import with_strays
from doctor.tui.widgets.dialog import Heading, Hint
from doctor.tui.widgets.finding_detail import FindingDetail
from doctor.tui.widgets.plain_rows import PlainRow, PlainRows
from doctor.tui.widgets.row_list import RowList
from doctor.tui.wrapping import hung

if TYPE_CHECKING:
    from doctor.tui.app import DoctorApp


@dataclass(frozen=True, slots=True)
class Choice:
    copy: Copy
    to_file: bool


class CopyScreen(ModalScreen[Choice | None]):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q", "leave", show=False),
        Binding("f", "file", show=False),
    ]

    app: DoctorApp

    def __init__(self, copies: Sequence[Copy]) -> None:
        super().__init__()
        self._copies = tuple(copies)

    def compose(self) -> ComposeResult:
        say = self.app.speech.line
        with Vertical(classes="dialog tall"):
            yield Heading(say(_("Copy")))
            rows: RowList[PlainRow] = RowList(PlainRows(), id="choices")
            yield rows
            yield FindingDetail(id="text")
            yield Hint(say(_("Enter copies   f writes a file   Esc closes")))

    def on_mount(self) -> None:
        rows = self.query_one(RowList)
        rows.show_rows(
            [PlainRow(str(n), self.app.speech.line(c.title)) for n, c in enumerate(self._copies)]
        )
        rows.focus()
        self._preview()

    @property
    def _copy(self) -> Copy | None:
        rows = self.query_one(RowList)
        return self._copies[rows.cursor] if self._copies else None

    @on(RowList.Moved)
    def _preview(self) -> None:
        copy = self._copy
        if copy is None:
            return
        speech = self.app.speech

        def build(width: int) -> Content:
            if copy.is_diff:
                return Content("\n").join(diff_lines(speech, copy.text, width))
            return Content("\n").join(hung(with_strays(copy.text), width))

        self.query_one(FindingDetail).show(build, anew=True)

    @on(RowList.Chosen)
    def _chosen(self) -> None:
        self._leave_with(to_file=False)

    def action_file(self) -> None:
        self._leave_with(to_file=True)

    def _leave_with(self, *, to_file: bool) -> None:
        copy = self._copy
        self.dismiss(None if copy is None else Choice(copy, to_file))

    def action_leave(self) -> None:
        self.dismiss(None)
