"""The app: holds the session and the state of the run, and opens screens."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, ClassVar

from textual.app import App
from textual.binding import Binding, BindingType
from textual.notifications import SeverityLevel
from textual.screen import Screen
from textual.worker import Worker, WorkerCancelled, WorkerFailed

from doctor.text import _
from doctor.tui import themes
from doctor.tui.commands import DoctorCommands
from doctor.tui.messages import RunChanged
from doctor.tui.pace import Pace
from doctor.tui.runview import RunView
from doctor.tui.screens.diagnose import DiagnoseScreen
from doctor.tui.session import Scope, Session, Trouble
from doctor.tui.speech import Speech
from doctor.tui.state import State
from doctor.tui.terminal import theme_for

if TYPE_CHECKING:
    from doctor.clinic.sitting import Sitting
    from doctor.tui.screens.tap import Feed


class DoctorApp(App[int]):
    """``session`` is the world outside, ``fixes`` whether anything may be written to it.

    ``watches`` opens the live engine in place of a run, and looks at it every so many seconds;
    ``taps`` the requests that go through a tap, ``clinic`` the exercises.
    """

    TITLE = "kvdoctor"
    CSS_PATH = "app.tcss"
    # textual declares these without ClassVar.
    COMMANDS = {DoctorCommands}  # noqa: RUF012
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (70, "-stacked"), (100, "-wide")]  # noqa: RUF012
    VERTICAL_BREAKPOINTS = [(0, "-short"), (30, "-tall")]  # noqa: RUF012

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "quit", _("Quit"), show=False),
        Binding("slash,ctrl+p", "command_palette", show=False),
        # In a field of text the question mark is one.
        Binding("question_mark,f1", "help", _("Help"), show=False),
    ]

    def __init__(
        self,
        session: Session,
        speech: Speech,
        *,
        fixes: bool = True,
        environ: Mapping[str, str] | None = None,
        clock: Callable[[], float] = time.perf_counter,
        watches: float | None = None,
        taps: Feed | None = None,
        clinic: Sitting | None = None,
    ) -> None:
        super().__init__()
        self._watches = watches
        self._taps = taps
        self._clinic = clinic
        self.session = session
        self.speech = speech
        self.clock = clock
        self.state = State(RunView(clock), fixes_allowed=fixes)
        self._pace = Pace(self._tell, self.set_timer, clock)
        self._use_themes(os.environ if environ is None else environ)

    def _use_themes(self, environ: Mapping[str, str]) -> None:
        """Only our own themes: the others lack the colours that states are told with."""
        for theme in themes.THEMES:
            self.register_theme(theme)
        names = {theme.name for theme in themes.THEMES}
        wanted = environ.get("TEXTUAL_THEME", "")
        self.theme = wanted if wanted in names else theme_for(environ)
        for name in set(self.available_themes) - names:
            self.unregister_theme(name)

    def get_theme_variable_defaults(self) -> dict[str, str]:
        return dict(themes.DARK.variables)

    # ------------------------------------------------------------------ the run

    def get_default_screen(self) -> Screen[None]:
        return DiagnoseScreen()

    def on_mount(self) -> None:
        # In a browser whoever reaches the port could write files.
        self.state.fixes_allowed &= not self.is_web
        self.call_after_refresh(self.start)

    def start(self) -> None:
        """The first run, once something is on the screen; or the live engine."""
        if self._watches is not None:
            from doctor.tui.screens.engine import EngineScreen

            self.push_screen(EngineScreen(interval=self._watches))
            return
        if self._taps is not None:
            from doctor.tui.screens.tap import TapScreen

            self.push_screen(TapScreen(self._taps))
            return
        if self._clinic is not None:
            from doctor.tui.screens.clinic import ClinicScreen

            self.push_screen(ClinicScreen(self._clinic))
            return
        self.examine(Scope())
        self.run_worker(self.session.warm(), group="warm", exit_on_error=False)

    def examine(self, scope: Scope) -> Worker[None]:
        """Run; a run in progress is cancelled."""
        return self.run_worker(self._run(scope), group="run", exclusive=True)

    def examine_some(self, selector: str) -> None:
        """Run the checks of a code or an area on the target on the screen."""
        target = self.state.target
        self.examine(Scope((target.id,) if target is not None else (), (selector,)))

    def stop(self) -> None:
        """End the run; what was seen stays."""
        self.workers.cancel_group(self, "run")

    async def _run(self, scope: Scope) -> None:
        state = self.state
        state.trouble = ""
        state.view.begin(partial=scope.partial)
        self._pace.ask()
        try:
            state.prepared = await self.session.prepare()
            state.undoable = await self._undoable()
            if not state.prepared.targets:
                return
            async for event in self.session.run(scope):
                state.view.apply(event)
                self._pace.ask()
        except Trouble as trouble:
            state.trouble = str(trouble)
        finally:
            state.view.stop()
            self._pace.now()

    async def _undoable(self) -> bool:
        try:
            return await self.session.undoable() is not None
        except Trouble:
            # It is told when the user asks for it.
            return True

    async def examined(self, scope: Scope) -> None:
        """Run and wait for the end, or until the user stops it or runs something else."""
        with contextlib.suppress(WorkerCancelled):
            await self.examine(scope).wait()

    def _tell(self) -> None:
        for screen in self.screen_stack:
            screen.post_message(RunChanged())

    def draw_now(self) -> None:
        """Something has changed that is not to wait."""
        self._pace.now()

    # ------------------------------------------------------------------ going somewhere

    def show_target(self, name: str) -> None:
        self.state.shown = name
        self._tell()

    def look_into(self, code: str | None) -> None:
        """Look at the finding with ``code``; where there is none, run its check and say so."""
        if code is None:
            return
        home = self.screen_stack[0]
        if isinstance(home, DiagnoseScreen) and home.go_to(code):
            return
        self.run_worker(self._check_one(code), group="look", exclusive=True)

    async def _check_one(self, code: str) -> None:
        from doctor.tui.words import result_of

        target = self.state.target
        if target is None:
            self.say(_("There is no target to examine."))
            return
        await self.examined(Scope((target.id,), (code,)))
        home = self.screen_stack[0]
        if not (isinstance(home, DiagnoseScreen) and home.go_to(code)):
            self.say(self.state.trouble or result_of(code, target.results.get(code)))

    def show_rule(self, code: str) -> None:
        """The documentation of a check."""
        from doctor.tui.screens.reading import rule_screen

        checks = self.state.prepared.checks if self.state.prepared is not None else ()
        check = next((check for check in checks if check.code == code), None)
        if check is None:
            self.say(_("There is no check {code} here.", code=code))
        else:
            self.push_screen(rule_screen(check, self.speech.translate))

    # ------------------------------------------------------------------ everywhere

    def say(self, text: str, *, severity: SeverityLevel = "information") -> None:
        """A short notice. Never read as markup."""
        self.notify(self.speech.block(text), severity=severity, markup=False)

    def action_help(self) -> None:
        from doctor.tui.screens.help import HelpScreen

        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen())

    def save_picture(self) -> None:
        """The screen as an SVG file of the user's choice."""
        from doctor.tui.flows.saving import save

        # The palette has to be off the screen first.
        self.call_after_refresh(
            lambda: self.run_worker(
                save(self, self.export_screenshot(), "kvdoctor.svg"), group="act", exclusive=True
            )
        )

    def export_screenshot(self, *, title: str | None = None, simplify: bool = False) -> str:
        """The screen as SVG, redacted once more."""
        return self.session.redactor(super().export_screenshot(title=title, simplify=simplify))

    def _fatal_error(self) -> None:
        """Leave without textual's traceback, which prints local variables: they may hold a key.

        The command that started the app reports ``failure`` instead.
        """
        self._close_messages_no_wait()

    @property
    def failure(self) -> Exception | None:
        """What ended the app, if it was a fault of ours."""
        error = self._exception
        if isinstance(error, WorkerFailed) and isinstance(error.error, Exception):
            return error.error
        return error
