"""The first screen: the path, the repair, the findings, and the one that is looked at."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.content import Content
from textual.style import Style

from doctor.models import Finding, Hop
from doctor.text import _
from doctor.tui import acts, signs, words
from doctor.tui.detail import Detail
from doctor.tui.messages import RunChanged
from doctor.tui.overview import Overview
from doctor.tui.rows import FindingRow, FoldRow, ListRow, SummaryRow, rows_of
from doctor.tui.screens.acting import Acting
from doctor.tui.widgets.banner import Banner
from doctor.tui.widgets.finding_detail import FindingDetail
from doctor.tui.widgets.finding_rows import FindingRows
from doctor.tui.widgets.key_bar import Key, KeyBar
from doctor.tui.widgets.path_bar import PathBar
from doctor.tui.widgets.row_list import RowList
from doctor.tui.widgets.title_bar import TitleBar

# While a check runs, its time is written anew this often, in seconds.
_TICK = 0.25


class DiagnoseScreen(Acting):
    """Everything about one target."""

    AUTO_FOCUS = "#findings"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "back", show=False),
        Binding("space,right", "unfold", show=False),
        Binding("left", "fold", show=False),
        *(Binding(str(n), f"number({n})", show=False) for n in range(1, 10)),
    ]

    def compose(self) -> ComposeResult:
        speech = self.app.speech
        yield TitleBar(id="title")
        yield PathBar(speech, id="path")
        yield Banner(id="banner")
        with Container(id="body"):
            yield RowList(FindingRows(speech), id="findings")
            yield FindingDetail(id="detail")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        self._unfolded: set[str] = set()
        self._detail_of: str | None = None
        self.set_interval(_TICK, self._tick)
        self.draw()

    # ------------------------------------------------------------------ drawing

    @on(RunChanged)
    def _run_changed(self) -> None:
        self.draw()

    def _tick(self) -> None:
        if self.app.state.view.active:
            self._draw_title()

    def draw(self) -> None:
        """Show the state of the run. Cheap where nothing changed."""
        with self.app.batch_update():
            self._draw_title()
            self.query_one(PathBar).show(self.app.state.target)
            self._draw_banner()
            self._draw_findings()
            self._draw_detail()
            self._draw_keys()

    def _draw_title(self) -> None:
        state, say = self.app.state, self.app.speech.line
        view, target = state.view, state.target
        style = signs.QUIET if not view.active else "$accent"
        mark = "● " if view.active else ""
        progress = Content.styled(mark + say(words.status(view)), style)
        label = say(target.label) if target is not None else ""
        many = len(view.targets)
        name = say(_("1 of {n} targets", n=many)) if many > 1 else ""
        self.query_one(TitleBar).show(name, label, progress)

    def _draw_banner(self) -> None:
        banner = acts.banner(self.app.state)
        say = self.app.speech.line
        key = Content()
        if banner.key:
            text = Content.assemble((f"[{banner.key}]", signs.KEY), f" {say(banner.does)}")
            key = text.stylize(Style.from_meta({"@click": f"screen.{banner.action}"}))
        texts = [say(text) for text in banner.texts]
        self.query_one(Banner).show(banner.kind, say(banner.head), texts, key)

    def _draw_findings(self) -> None:
        target = self.app.state.target
        rows: tuple[ListRow, ...] = ()
        if target is not None:
            report = target.report
            roots = report.diagnosis.root_causes if report is not None else ()
            findings = self.app.state.findings(target)
            rows = rows_of(findings, roots, self._unfolded)
            if rows and report is not None:
                rows = (*rows, SummaryRow(tuple(words.tally(target))))
        self.query_one("#body").set_class(not rows, "-calm")
        self._list.show_rows(rows)

    def _draw_detail(self) -> None:
        pane, target = self.query_one(FindingDetail), self.app.state.target
        row = self._list.current
        key = row.key if row is not None else ""
        diagnosis = target.report.diagnosis if target and target.report else None
        speech = self.app.speech
        match row:
            case FindingRow(finding=finding):
                pane.show(
                    lambda width: Detail(speech, width).of(finding, diagnosis),
                    anew=key != self._detail_of,
                )
            case _:
                cause = row.cause if isinstance(row, FoldRow) else None
                pane.show(
                    lambda width: Overview(speech, width, self.app.state).of(target, cause),
                    anew=key != self._detail_of,
                )
        self._detail_of = key

    def _draw_keys(self) -> None:
        say = self.app.speech.line
        keys = [Key("esc", say(_("stop")), "screen.stop", 0)] if self.app.state.view.active else []
        keys.append(Key("r", say(_("run")), "screen.run", 1))
        for key in acts.possible(self.app.state, self.selected):
            keys.append(Key(key.key, say(key.does), f"screen.{key.action}", key.rank))
        keys += [
            Key("/", say(_("palette")), "app.command_palette", 2),
            Key("?", say(_("help")), "app.help", 0),
            Key("q", say(_("quit")), "app.quit", 0),
        ]
        self.query_one(KeyBar).show(keys)

    # ------------------------------------------------------------------ the selected finding

    def look_at_the_worst(self) -> None:
        self._unfolded.clear()
        self._list.follow()

    @property
    def _list(self) -> RowList[ListRow]:
        return self.query_one("#findings", RowList)

    @property
    def selected(self) -> Finding | None:
        """The finding that is looked at."""
        row = self._list.current
        return row.finding if isinstance(row, FindingRow) else None

    def go_to(self, code: str) -> bool:
        """Look at the finding with ``code``; whether there is one."""
        target = self.app.state.target
        known = {finding.code: finding for finding in self.app.state.findings(target)}
        if code not in known:
            return False
        cause = known[code].explained_by
        if cause is not None:
            self._unfolded.add(cause)
            self._draw_findings()
        return self._list.go_to(
            lambda row: isinstance(row, FindingRow) and row.finding.code == code
        )

    @on(RowList.Moved, "#findings")
    def _moved(self) -> None:
        self._draw_detail()
        self._draw_keys()

    @on(RowList.Chosen, "#findings")
    def _chosen(self) -> None:
        row = self._list.current
        if isinstance(row, FoldRow):
            self._set_fold(row.cause, open_=not row.open)
        else:
            self.query_one("#body").add_class("-detail")
            self.query_one(FindingDetail).focus()

    def action_unfold(self) -> None:
        row = self._list.current
        if isinstance(row, FoldRow):
            self._set_fold(row.cause, open_=True)
        elif isinstance(row, FindingRow) and row.depth == 0:
            self._set_fold(row.finding.code, open_=True)

    def action_fold(self) -> None:
        row = self._list.current
        if isinstance(row, FoldRow):
            self._set_fold(row.cause, open_=False)
        elif isinstance(row, FindingRow):
            self._set_fold(row.finding.explained_by or row.finding.code, open_=False)

    def _set_fold(self, cause: str, *, open_: bool) -> None:
        (self._unfolded.add if open_ else self._unfolded.discard)(cause)
        self.draw()

    def action_number(self, number: int) -> None:
        self._list.go_to(lambda row: isinstance(row, FindingRow) and row.number == number)

    def action_jump_hop(self, name: str) -> None:
        """To the first finding of a hop of the path."""
        hop = Hop(name)
        found = self._list.go_to(lambda row: isinstance(row, FindingRow) and row.finding.hop is hop)
        if not found:
            self.app.say(_("Nothing was found at this hop."))

    def action_back(self) -> None:
        """Out of the detail, else out of the run."""
        body = self.query_one("#body")
        if body.has_class("-detail") or self.query_one(FindingDetail).has_focus:
            body.remove_class("-detail")
            self._list.focus()
        elif self.app.state.view.active:
            self.action_stop()
