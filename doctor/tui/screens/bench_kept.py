"""Which kept run to look at, or to hold another against."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen

from doctor.bench.running import Run
from doctor.bench.told import rate
from doctor.text import _
from doctor.tui.widgets.dialog import Heading, Hint
from doctor.tui.widgets.filter_list import FilterList
from doctor.tui.widgets.plain_rows import PlainRow, PlainRows
from doctor.tui.widgets.row_list import RowList

if TYPE_CHECKING:
    from doctor.tui.app import DoctorApp


class BenchKeptScreen(ModalScreen[str | None]):
    """Gives the name. The newest comes first."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", show=False)]

    app: DoctorApp

    def __init__(self, runs: Sequence[tuple[str, Run]], title: str) -> None:
        super().__init__()
        self._runs = tuple(reversed(runs))
        self._title = title

    def compose(self) -> ComposeResult:
        say = self.app.speech.line
        text = "" if self._runs else say(_("None is kept yet: s keeps a run under a name."))
        with Vertical(classes="dialog tall"):
            yield Heading(say(self._title), text)
            yield FilterList(
                PlainRows(), lambda row: f"{row.text} {row.beside}", say(_("type to filter"))
            )
            yield Hint(say(_("Enter chooses   Esc closes")))

    def on_mount(self) -> None:
        wide = max((len(name) for name, _run in self._runs), default=0)
        self.query_one(FilterList).show_rows(
            [self._row(name, run, wide) for name, run in self._runs]
        )

    def _row(self, name: str, run: Run, wide: int) -> PlainRow:
        say = self.app.speech.line
        best = max(run.levels, key=lambda level: level.output_rate, default=None)
        told = [run.started[:16].replace("T", " "), run.setup.get("model", "")]
        if best is not None:
            told.append(
                _("{rate} tokens/s at {load}", rate=rate(best.output_rate), load=best.load.name)
            )
        beside = " · ".join(say(text) for text in told if text)
        return PlainRow(name, say(name).ljust(wide), beside)

    @on(RowList.Chosen)
    def _chosen(self, event: RowList.Chosen) -> None:
        row = event.rows.current
        self.dismiss(row.key if row is not None else None)

    def action_leave(self) -> None:
        self.dismiss(None)
