"""Before a benchmark: whom, how much and what, to be changed; and the question before it spends."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, VerticalScroll
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input

from doctor.text import _
from doctor.tui import signs
from doctor.tui.bench_form import FIELDS, form_of, initial
from doctor.tui.bench_plan import plan_text, total
from doctor.tui.benching import Wanted, Whom
from doctor.tui.screens.bench_kept import BenchKeptScreen
from doctor.tui.screens.bench_run import BenchRunScreen
from doctor.tui.screens.bench_spend import BenchSpendScreen
from doctor.tui.session import Trouble
from doctor.tui.widgets.banner import Banner
from doctor.tui.widgets.finding_detail import FindingDetail
from doctor.tui.widgets.form_field import FormField
from doctor.tui.widgets.key_bar import Key, KeyBar
from doctor.tui.widgets.title_bar import TitleBar

if TYPE_CHECKING:
    from doctor.tui.app import DoctorApp
    from doctor.tui.benching import Benching


class BenchScreen(Screen[None]):
    """What stands in its fields is what ``benching`` sends."""

    # Of the letters those that the focused field does not take.
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", show=False),
        Binding("enter", "start", show=False, priority=True),
        Binding("up", "field(-1)", show=False, priority=True),
        Binding("down", "field(1)", show=False, priority=True),
        Binding("k", "kept", show=False, priority=True),
        Binding("y", "copy", show=False, priority=True),
        Binding("question_mark", "help", show=False, priority=True),
        Binding("slash", "app.command_palette", show=False, priority=True),
        Binding("q", "quit", show=False, priority=True),
    ]
    AUTO_FOCUS = "#up-to"

    app: DoctorApp

    def __init__(self, benching: Benching) -> None:
        super().__init__()
        self._benching = benching
        self._whom: Whom | None = None
        self._form = form_of(initial())
        self._trouble = ""

    def compose(self) -> ComposeResult:
        say, texts = self.app.speech.line, initial()
        yield TitleBar()
        yield Banner()
        with Container(id="body"):
            with VerticalScroll(id="fields", can_focus=False):
                for field in FIELDS:
                    yield FormField(
                        say(field.label),
                        say(field.hint),
                        texts[field.name],
                        id=field.name,
                        number=field.name != "model",
                        begins=field.begins,
                    )
            yield FindingDetail(id="plan")
        yield KeyBar()

    def on_mount(self) -> None:
        self.run_worker(self._look(), group="look", exclusive=True)
        self.draw()

    async def _look(self) -> None:
        try:
            self._whom = await self._benching.whom()
        except Trouble as trouble:
            self._trouble = str(trouble)
        else:
            self._trouble = self._whom.refused
        self.draw()

    # ------------------------------------------------------------------ drawing

    @on(Input.Changed)
    def _changed(self) -> None:
        fields = self.query(FormField)
        self._form = form_of({field.field: field.text for field in fields})
        say = self.app.speech.line
        for field in fields:
            wrong = self._form.wrong.get(field.field)
            field.complain(say(wrong) if wrong else "")
        self.draw()

    def draw(self) -> None:
        """Everything but the fields."""
        say = self.app.speech.line
        hint = Content.styled(say(_("nothing is sent yet")), signs.QUIET)
        with self.app.batch_update():
            name = say(self._whom.label) if self._whom is not None else ""
            self.query_one(TitleBar).show(name, say(_("bench")), hint)
            self._draw_banner()
            self._draw_plan()
            self._draw_keys()

    def _draw_banner(self) -> None:
        say, banner = self.app.speech.line, self.query_one(Banner)
        if self._trouble:
            banner.show("bad", say(_("Cannot run")), [say(self._trouble)], Content())
        elif self._form.scenario is None:
            text = say(_("what is wrong is said beside the field"))
            banner.show("bad", say(_("Not so")), [text], Content())
        else:
            text = say(total(self._form.scenario))
            banner.show("", say(_("Would send")), [text], Content())

    def _draw_plan(self) -> None:
        whom, form, scenario = self._whom, self._form, self._form.scenario
        if whom is None:
            return
        asks = scenario is not None and self._benching.question(scenario) is not None
        speech = self.app.speech
        self.query_one(FindingDetail).show(
            lambda width: plan_text(speech, width, whom, form, asks), anew=False
        )

    def _draw_keys(self) -> None:
        say = self.app.speech.line
        keys = [Key("Enter", say(_("send")), "screen.start", 0)] if self._ready else []
        keys += [
            Key("↑↓", say(_("another field")), "screen.field(1)", 2),
            Key("k", say(_("kept runs")), "screen.kept", 1),
        ]
        if self._ready:
            keys.append(Key("y", say(_("copy the command")), "screen.copy", 3))
        keys += [
            Key("?", say(_("help")), "app.help", 2),
            Key("Esc", say(_("back")), "screen.leave", 0),
        ]
        self.query_one(KeyBar).show(keys)

    @property
    def _ready(self) -> bool:
        known = self._whom is not None and not self._trouble
        return known and self._form.scenario is not None

    # ------------------------------------------------------------------ keys

    def action_field(self, by: int) -> None:
        if by > 0:
            self.focus_next(Input)
        else:
            self.focus_previous(Input)

    def action_start(self) -> None:
        self.run_worker(self._start(), group="act", exclusive=True)

    async def _start(self) -> None:
        scenario = self._form.scenario
        if scenario is None or not self._ready:
            return
        question = self._benching.question(scenario)
        if question is not None and not await self.app.push_screen_wait(BenchSpendScreen(question)):
            self.app.say(_("nothing was sent"))
            return
        wanted = Wanted(scenario, self._form.model)
        self.app.push_screen(BenchRunScreen(self._benching, wanted=wanted))

    def action_kept(self) -> None:
        self.run_worker(self._kept(), group="act", exclusive=True)

    async def _kept(self) -> None:
        runs = await self._benching.kept()
        name = await self.app.push_screen_wait(BenchKeptScreen(runs, _("Kept runs")))
        if name is not None:
            self.app.push_screen(BenchRunScreen(self._benching, run=dict(runs)[name], name=name))

    def action_copy(self) -> None:
        if self._whom is not None and self._form.scenario is not None:
            command = self._form.command(self._whom.words)
            self.app.copy_to_clipboard(self.app.speech.line(command))
            self.app.say(_("Copied, if this terminal lets programs copy."))

    def action_help(self) -> None:
        self.app.action_help()

    def action_quit(self) -> None:
        self.app.exit()

    def action_leave(self) -> None:
        self.dismiss(None)
