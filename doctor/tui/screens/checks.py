"""All checks of the target: how each ended and why, also those that found nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen

from doctor.checkapi import Check
from doctor.models import CheckResult
from doctor.render.words import milliseconds
from doctor.text import _
from doctor.tui import signs, words
from doctor.tui.messages import RunChanged
from doctor.tui.speech import Speech
from doctor.tui.widgets.filter_list import FilterList
from doctor.tui.widgets.key_bar import Key, KeyBar
from doctor.tui.widgets.row_list import RowList
from doctor.tui.widgets.title_bar import TitleBar

if TYPE_CHECKING:
    from doctor.tui.app import DoctorApp


@dataclass(frozen=True, slots=True)
class CheckRow:
    check: Check
    result: CheckResult | None
    running: bool

    @property
    def key(self) -> str:
        return self.check.code


class CheckRows:
    """``✓ KVD102  key-surrounded-by-whitespace  credentials  passed  3 ms``."""

    def __init__(self, speech: Speech) -> None:
        self._speech = speech

    def height(self, row: CheckRow, width: int) -> int:
        return 1

    def lines(self, row: CheckRow, width: int, chosen: bool) -> Sequence[Content]:
        sign, text = self._state(row)
        content = Content.assemble(
            ("▌" if chosen else " ", signs.KEY),
            (f"{sign.symbol} ", sign.style),
            (f"{row.check.code}  ", signs.STRONG),
            row.check.slug.ljust(34),
            (f" {row.check.area:<12}", signs.QUIET),
            (f" {text}", sign.style),
        )
        return [content.truncate(width, ellipsis=True)]

    def _state(self, row: CheckRow) -> tuple[signs.Sign, str]:
        say = self._speech.line
        if row.running:
            return signs.RUNNING, say(signs.RUNNING.word)
        if row.result is None:
            return signs.WAITING, say(_("not run"))
        sign = signs.STATUSES[row.result.status]
        if row.result.reason is not None:
            return sign, f"{say(sign.word)}: {say(row.result.reason)}"
        return sign, f"{say(sign.word)}  {milliseconds(row.result.duration_ms)}"


class ChecksScreen(Screen[str | None]):
    """Gives the code of a check to look into."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", show=False),
        Binding("ctrl+r", "run_one", show=False),
        Binding("ctrl+t", "run_area", show=False),
        Binding("f1", "why", show=False),
    ]

    app: DoctorApp

    def compose(self) -> ComposeResult:
        say = self.app.speech.line
        yield TitleBar()
        yield FilterList(
            CheckRows(self.app.speech),
            self._searched,
            say(_("type to filter: a code, a word, an area, a state")),
        )
        yield KeyBar()

    def on_mount(self) -> None:
        say = self.app.speech.line
        self.query_one(KeyBar).show(
            [
                Key("Enter", say(_("look into it")), "screen.look", 0),
                Key("^r", say(_("run this check")), "screen.run_one", 1),
                Key("^t", say(_("run its area")), "screen.run_area", 2),
                Key("F1", say(_("why")), "screen.why", 3),
                Key("Esc", say(_("back")), "screen.leave", 0),
            ]
        )
        self._fill()

    @on(RunChanged)
    def _fill(self) -> None:
        state, say = self.app.state, self.app.speech.line
        target = state.target
        results = target.results if target is not None else {}
        name = target.id if target is not None else ""
        checks = state.prepared.checks if state.prepared is not None else ()
        rows = [
            CheckRow(check, results.get(check.code), (name, check.code) in state.view.running)
            for check in checks
        ]
        self._list.show_rows(rows)
        tally = " · ".join(say(text) for text in words.tally(target)) if target is not None else ""
        self.query_one(TitleBar).show(say(_("checks")), say(name), Content(tally))

    def _searched(self, row: CheckRow) -> str:
        """What the filter looks at."""
        names = f"{row.check.code} {row.check.slug} {row.check.area}"
        if row.result is None:
            return names
        return f"{names} {self.app.speech.line(signs.STATUSES[row.result.status].word)}"

    @property
    def _list(self) -> FilterList[CheckRow]:
        return self.query_one(FilterList)

    @property
    def _check(self) -> Check | None:
        row = self._list.rows.current
        return row.check if row is not None else None

    @on(RowList.Chosen)
    def action_look(self) -> None:
        check = self._check
        self.dismiss(check.code if check is not None else None)

    def action_run_one(self) -> None:
        if (check := self._check) is not None:
            self.app.examine_some(check.code)

    def action_run_area(self) -> None:
        if (check := self._check) is not None:
            self.app.examine_some(check.area)

    def action_why(self) -> None:
        if (check := self._check) is not None:
            self.app.show_rule(check.code)

    def action_leave(self) -> None:
        self.dismiss(None)
