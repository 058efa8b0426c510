"""The first screen: the path, the repair, the findings, and the one that is looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.content import Content
from textual.screen import Screen
from textual.style import Style

from doctor.models import Finding, Hop
from doctor.text import _
from doctor.tui import signs, words
from doctor.tui.detail import Detail
from doctor.tui.messages import RunChanged
from doctor.tui.overview import Overview
from doctor.tui.rows import FindingRow, FoldRow, ListRow, SummaryRow, rows_of
from doctor.tui.session import Scope
from doctor.tui.widgets.banner import Banner
from doctor.tui.widgets.finding_detail import FindingDetail
from doctor.tui.widgets.finding_rows import FindingRows
from doctor.tui.widgets.key_bar import Key, KeyBar
from doctor.tui.widgets.path_bar import PathBar
from doctor.tui.widgets.row_list import RowList
from doctor.tui.widgets.title_bar import TitleBar

if TYPE_CHECKING:
    from doctor.tui.app import DoctorApp

# While a check runs, its time is written anew this often, in seconds.
_TICK = 0.25


class DiagnoseScreen(Screen[None]):
    """Everything about one target. Acting is in ``doctor.tui.flows``, one module for each act."""

    AUTO_FOCUS = "#findings"

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "run", show=False),
        Binding("R", "run_one", show=False),
        Binding("escape", "back", show=False),
        Binding("a", "apply", show=False),
        Binding("A", "apply_one", show=False),
        Binding("u", "undo", show=False),
        Binding("d", "diff", show=False),
        Binding("c", "copy", show=False),
        Binding("i", "ignore", show=False),
        Binding("x", "export", show=False),
        Binding("w", "why", show=False),
        Binding("t", "targets", show=False),
        Binding("e", "explain", show=False),
        Binding("s", "settings", show=False),
        Binding("v", "checks", show=False),
        Binding("space,right", "unfold", show=False),
        Binding("left", "fold", show=False),
        *(Binding(str(n), f"number({n})", show=False) for n in range(1, 10)),
    ]

    app: DoctorApp

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
        banner = words.banner(self.app.state)
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
        for key in words.possible(self.app.state, self.selected):
            keys.append(Key(key.key, say(key.does), f"screen.{key.action}", key.rank))
        keys += [
            Key("/", say(_("palette")), "app.command_palette", 2),
            Key("?", say(_("help")), "app.help", 0),
            Key("q", say(_("quit")), "app.quit", 0),
        ]
        self.query_one(KeyBar).show(keys)

    # ------------------------------------------------------------------ the selected finding

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

    # ------------------------------------------------------------------ acting

    def action_run(self) -> None:
        self.app.state.verdict = None
        self._list.follow()
        self.app.examine(Scope())

    def action_stop(self) -> None:
        self.app.stop()

    def action_run_one(self) -> None:
        if self.selected is not None:
            self.app.examine_some(self.selected.code)

    def action_apply(self) -> None:
        from doctor.tui.flows import applying

        applying.start(self.app, self.app.state.repairable(self.selected))

    def action_apply_one(self) -> None:
        from doctor.tui.flows import applying

        applying.start(self.app, (self.selected.code,) if self.selected is not None else ())

    def action_undo(self) -> None:
        from doctor.tui.flows import undoing

        undoing.start(self.app)

    def action_diff(self) -> None:
        from doctor.tui.flows import applying

        applying.start(self.app, self.app.state.repairable(self.selected), look_only=True)

    def action_copy(self) -> None:
        from doctor.tui.flows import copying

        copying.start(self.app, self.selected)

    def action_ignore(self) -> None:
        from doctor.tui.flows import ignoring

        ignoring.start(self.app, self.selected)

    def action_export(self) -> None:
        from doctor.tui.flows import exporting

        exporting.start(self.app)

    def action_why(self) -> None:
        if self.selected is not None:
            self.app.show_rule(self.selected.code)

    def action_targets(self) -> None:
        from doctor.tui.screens.targets import TargetsScreen

        self.app.push_screen(TargetsScreen(), self._target_chosen)

    def _target_chosen(self, name: str | None) -> None:
        if name is not None:
            self._list.follow()
            self._unfolded.clear()
            self.app.show_target(name)

    def action_explain(self) -> None:
        from doctor.tui.screens.explain import ExplainScreen

        self.app.push_screen(ExplainScreen(), self.app.look_into)

    def action_settings(self) -> None:
        from doctor.tui.screens.settings import SettingsScreen

        self.app.push_screen(SettingsScreen())

    def action_checks(self) -> None:
        from doctor.tui.screens.checks import ChecksScreen

        self.app.push_screen(ChecksScreen(), self.app.look_into)
