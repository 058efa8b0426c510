"""The acts of the diagnose screen: each key leads to its flow, or to another screen.

Flows and screens are imported when they are first wanted: the first paint does not wait for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding, BindingType
from textual.screen import Screen

from doctor.models import Finding
from doctor.tui.session import Scope

if TYPE_CHECKING:
    from doctor.tui.app import DoctorApp
    from doctor.tui.screens.first_run import Aim


class Acting(Screen[None]):
    """What can be done with the selected finding and with the run."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "run", show=False),
        Binding("R", "run_one", show=False),
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
        Binding("l", "engine", show=False),
        Binding("b", "bench", show=False),
        Binding("n", "first_run", show=False),
    ]

    app: DoctorApp

    @property
    def selected(self) -> Finding | None:
        """The finding that is looked at."""
        raise NotImplementedError

    def look_at_the_worst(self) -> None:
        """Let the cursor go to the first finding, whatever comes to be the first."""
        raise NotImplementedError

    def action_run(self) -> None:
        self.app.state.verdict = None
        self.look_at_the_worst()
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
            self.look_at_the_worst()
            self.app.show_target(name)

    def action_first_run(self) -> None:
        """Set a client up. A key that is exported may have a target of its own already."""
        if self.app.state.fixes_allowed:
            from doctor.tui.screens.first_run import FirstRunScreen

            self.app.push_screen(FirstRunScreen(self.app.session.first_steps()), self._aimed)

    def _aimed(self, at: Aim | None) -> None:
        if at is not None:
            self.app.session.aim(at)
            self.action_run()

    def action_explain(self) -> None:
        from doctor.tui.screens.explain import ExplainScreen

        self.app.push_screen(ExplainScreen(), self.app.look_into)

    def action_settings(self) -> None:
        from doctor.tui.screens.settings import SettingsScreen

        self.app.push_screen(SettingsScreen())

    def action_engine(self) -> None:
        from doctor.tui.screens.engine import EngineScreen

        target = self.app.state.target
        self.app.push_screen(EngineScreen(target.id if target is not None else ""))

    def action_bench(self) -> None:
        target = self.app.state.target
        if target is not None:
            from doctor.tui.screens.bench import BenchScreen

            self.app.push_screen(BenchScreen(self.app.session.benching(target.id)))

    def action_checks(self) -> None:
        from doctor.tui.screens.checks import ChecksScreen

        self.app.push_screen(ChecksScreen(), self.app.look_into)
