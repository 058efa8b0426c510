"""A benchmark while it runs, and when it is over: plots, a table of loads, what limits it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.content import Content
from textual.screen import Screen

from doctor.bench.compare import Comparison, compared
from doctor.bench.figures import Level
from doctor.bench.progress import Measured
from doctor.bench.running import Run
from doctor.bench.stop import Stop
from doctor.text import _
from doctor.tui import signs
from doctor.tui.bench_plan import total
from doctor.tui.bench_view import CHARTS, BenchView, drawings, figures_of, heads, rows
from doctor.tui.bench_words import sentence, told
from doctor.tui.screens.bench_kept import BenchKeptScreen
from doctor.tui.screens.bench_name import BenchNameScreen
from doctor.tui.screens.bench_spend import BenchSpendScreen
from doctor.tui.screens.reading import ReadingScreen
from doctor.tui.session import Trouble
from doctor.tui.widgets.banner import Banner
from doctor.tui.widgets.finding_detail import FindingDetail
from doctor.tui.widgets.key_bar import Key, KeyBar
from doctor.tui.widgets.level_table import LevelTable
from doctor.tui.widgets.load_chart import LoadChart
from doctor.tui.widgets.row_list import RowList
from doctor.tui.widgets.title_bar import TitleBar
from doctor.tui.wrapping import hung

if TYPE_CHECKING:
    from doctor.tui.app import DoctorApp
    from doctor.tui.benching import Benching, Wanted

# Drawing takes time from the load: so seldom it does not show in what is measured. In seconds.
_TICK = 0.5
_LABEL = 26


class BenchRunScreen(Screen[None]):
    """Puts on the load of ``wanted``; or shows ``run``, which is kept as ``name``."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", show=False),
        Binding("r", "again", show=False),
        Binding("s", "save", show=False),
        Binding("c", "compare", show=False),
        Binding("k", "kept", show=False),
        Binding("v", "view", show=False),
    ]
    AUTO_FOCUS = "#levels"

    app: DoctorApp

    def __init__(
        self,
        benching: Benching,
        *,
        wanted: Wanted | None = None,
        run: Run | None = None,
        name: str = "",
    ) -> None:
        super().__init__()
        self._benching = benching
        self._wanted = wanted
        self._kept_as = name
        self._stop = Stop()
        self._view = BenchView()
        self._trouble = ""
        self._comparison: Comparison | None = None
        self._changed = False
        if run is not None:
            self._view.apply(run)

    def compose(self) -> ComposeResult:
        yield TitleBar()
        yield Banner()
        with Container(id="body"):
            with Container(id="figures"):
                with Container(id="charts"):
                    for name in CHARTS:
                        yield LoadChart(id=name)
                yield LevelTable(id="table")
            yield FindingDetail(id="told")
        yield KeyBar()

    def on_mount(self) -> None:
        self.set_interval(_TICK, self._tick)
        self.draw()
        if self._wanted is not None:
            self._begin(self._wanted)

    # ------------------------------------------------------------------ the run

    @property
    def _active(self) -> bool:
        return self._wanted is not None and self._view.run is None and not self._trouble

    def _begin(self, wanted: Wanted) -> None:
        self._view, self._stop = BenchView(), Stop()
        self._trouble, self._kept_as, self._comparison = "", "", None
        self.draw()
        self.run_worker(self._measure(wanted), group="bench", exclusive=True)

    async def _measure(self, wanted: Wanted) -> None:
        try:
            async for heard in self._benching.run(wanted, self._stop):
                self._view.apply(heard)
                self._changed = True
                if isinstance(heard, Measured):
                    self.draw()
        except Trouble as trouble:
            self._trouble = str(trouble)
        self.draw()

    def _tick(self) -> None:
        if self._changed:
            self.draw()

    # ------------------------------------------------------------------ drawing

    def draw(self) -> None:
        """Show what was heard until now."""
        self._changed = False
        say = self.app.speech.line
        with self.app.batch_update():
            self._draw_title()
            self.set_class(bool(self._trouble), "-nothing")
            now = sentence(self._view, self._stop, self._trouble, self._comparison)
            texts = [say(text) for text in now.texts]
            self.query_one(Banner).show(now.kind, say(now.head), texts, Content())
            for name, drawing in drawings(self._view, say).items():
                self.query_one(f"#{name}", LoadChart).show(drawing)
            self.query_one(LevelTable).show(heads(self._view, say), rows(self._view))
            self._draw_told()
            self._draw_keys()

    def _draw_title(self) -> None:
        say, now = self.app.speech.line, self._view.now
        if self._active:
            text = say(_("{n} loads measured", n=len(self._view.levels)))
            state = Content.styled(f"● {text}", "$accent")
        elif self._kept_as:
            state = Content.styled(say(_("kept as {name}", name=self._kept_as)), signs.QUIET)
        else:
            state = Content.styled(say(_("not kept")), signs.QUIET)
        setup = self._view.run.setup if self._view.run is not None else {}
        where = setup.get("server", now.side if now is not None else "")
        name = f"{setup['model']} · {where}" if setup.get("model") else where
        self.query_one(TitleBar).show(say(name), say(_("bench")), state)

    def _draw_told(self) -> None:
        speech, run, comparison = self.app.speech, self._view.run, self._comparison
        pane = self.query_one(FindingDetail)
        if run is not None:
            pane.show(lambda width: told(speech, width, run, comparison), anew=False)
            return
        if self._trouble:
            texts = [self._trouble, _("r tries again, Esc leads back to what is sent.")]
        else:
            texts = [_("Esc stops: no further request begins. What was measured is kept.")]
            if self._wanted is not None:
                texts.insert(0, total(self._wanted.scenario))

        def build(width: int) -> Content:
            lines = [line for text in texts for line in hung(Content(speech.line(text)), width)]
            return Content("\n").join(lines)

        pane.show(build, anew=False)

    def _draw_keys(self) -> None:
        say = self.app.speech.line
        keys: list[Key] = []
        if self._view.levels:
            keys.append(Key("Enter", say(_("all of a load")), "screen.look", 2))
        if self._view.run is not None:
            if self._can_save:
                keys.append(Key("s", say(_("save")), "screen.save", 1))
            keys += [
                Key("c", say(_("compare")), "screen.compare", 1),
                Key("k", say(_("kept runs")), "screen.kept", 3),
            ]
        if self._wanted is not None and not self._active:
            keys.append(Key("r", say(_("again")), "screen.again", 2))
        if self._one_pane and not self._trouble:
            word = _("figures") if self.has_class("-told") else _("in words")
            keys.append(Key("v", say(word), "screen.view", 1))
        word = _("stop") if self._active else _("back")
        keys += [
            Key("?", say(_("help")), "app.help", 2),
            Key("Esc", say(word), "screen.leave", 0),
        ]
        self.query_one(KeyBar).show(keys)

    @property
    def _can_save(self) -> bool:
        run = self._view.run
        return run is not None and run.answered and self.app.state.fixes_allowed

    @property
    def _one_pane(self) -> bool:
        """Whether figures and words have to take turns."""
        return self.has_class("-short") or self.has_class("-narrow")

    def on_resize(self) -> None:
        self.call_after_refresh(self._draw_keys)

    # ------------------------------------------------------------------ keys

    @on(RowList.Chosen)
    def action_look(self) -> None:
        """All figures of the chosen load."""
        row = self.query_one("#levels", RowList).current
        wanted = None if row is None else row.key
        level = next((one for one in self._view.levels if one.load.name == wanted), None)
        if level is not None:
            title = _("load {load}", load=level.load.name)
            self.app.push_screen(ReadingScreen(title, self._figures(level)))

    def _figures(self, level: Level) -> Callable[[int], Content]:
        say = self.app.speech.line

        def build(width: int) -> Content:
            lines: list[Content] = []
            for label, value in figures_of(level):
                lead = Content.styled(say(label), "$accent")
                lines += hung(Content(say(value)), width, _LABEL, lead)
            return Content("\n").join(lines)

        return build

    def action_again(self) -> None:
        """The same load once more; where it costs, after the same question."""
        if self._wanted is not None and not self._active:
            self.run_worker(self._again(self._wanted), group="act", exclusive=True)

    async def _again(self, wanted: Wanted) -> None:
        question = self._benching.question(wanted.scenario)
        if question is None or await self.app.push_screen_wait(BenchSpendScreen(question)):
            self._begin(wanted)

    def action_save(self) -> None:
        if self._view.run is not None and self._can_save:
            screen = BenchNameScreen(self._benching, self._view.run, self._kept_as)
            self.app.push_screen(screen, self._saved)

    def _saved(self, name: str | None) -> None:
        if name is not None:
            self._kept_as = name
            self.draw()

    def action_compare(self) -> None:
        if self._view.run is not None:
            self.run_worker(self._compare(self._view.run), group="act", exclusive=True)

    async def _compare(self, run: Run) -> None:
        runs = await self._benching.kept()
        screen = BenchKeptScreen(runs, _("Against which run?"))
        name = await self.app.push_screen_wait(screen)
        if name is not None:
            self._comparison = compared(dict(runs)[name], run, name)
            self.add_class("-told")
            self.draw()
            self.query_one(FindingDetail).scroll_home(animate=False)

    def action_kept(self) -> None:
        if not self._active:
            self.run_worker(self._kept(), group="act", exclusive=True)

    async def _kept(self) -> None:
        runs = await self._benching.kept()
        name = await self.app.push_screen_wait(BenchKeptScreen(runs, _("Kept runs")))
        if name is not None:
            other = BenchRunScreen(self._benching, run=dict(runs)[name], name=name)
            self.app.push_screen(other)

    def action_view(self) -> None:
        self.toggle_class("-told")
        self.query_one(FindingDetail if self.has_class("-told") else "#levels").focus()
        self._draw_keys()

    def action_leave(self) -> None:
        """Out of a run that is going on: the first time gently."""
        if not self._active:
            self.dismiss(None)
        elif self._view.now is None and not self._view.levels:
            # Nothing was measured yet.
            self.dismiss(None)
        else:
            self._stop.ask()
            self.draw()
