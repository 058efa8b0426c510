"""The command palette: everything by name, and checks, areas, findings and targets besides."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, cast

from textual.command import DiscoveryHit, Hit, Hits, Provider
from textual.content import Content
from textual.fuzzy import Matcher
from textual.screen import Screen

from doctor.text import Text, _
from doctor.tui.session import Scope

if TYPE_CHECKING:
    from doctor.tui.app import DoctorApp


@dataclass(frozen=True, slots=True)
class Command:
    """``first`` ones are offered before anything is typed."""

    name: Text | str
    help: Text | str
    call: Callable[[], object]
    first: bool = True


class DoctorCommands(Provider):
    """Only what can be done now."""

    @property
    def _app(self) -> DoctorApp:
        return cast("DoctorApp", self.app)

    async def discover(self) -> Hits:
        say = self._app.speech.line
        for command in self._commands():
            if command.first:
                name = Content(say(command.name))
                yield DiscoveryHit(name, command.call, text=name.plain, help=say(command.help))

    async def search(self, query: str) -> Hits:
        matcher = self.matcher(query)
        say = self._app.speech.line
        for command in self._commands():
            name = say(command.name)
            score = matcher.match(name)
            if score > 0:
                shown = self._highlighted(matcher, name)
                yield Hit(score, shown, command.call, text=name, help=say(command.help))

    def _highlighted(self, matcher: Matcher, name: str) -> Content:
        """What ``Matcher.highlight`` does, which reads the name as markup."""
        content = Content(name)
        style = self.match_style or "bold"
        for offset in matcher.fuzzy_search.match(matcher.query, name)[1]:
            content = content.stylize(style, offset, offset + 1)
        return content

    def _commands(self) -> Iterator[Command]:
        yield from self._screen_commands()
        yield from self._targets()
        yield from self._checks()
        yield from self._app_commands()

    def _action(self, name: str) -> Callable[[], object]:
        return partial(self._app.run_action, f"screen.{name}", self.screen)

    def _screen_commands(self) -> Iterator[Command]:
        from doctor.tui import acts
        from doctor.tui.screens.diagnose import DiagnoseScreen

        screen = self.screen
        if not isinstance(screen, DiagnoseScreen):
            yield from self._keys_of(screen)
            return
        state = self._app.state
        yield Command(_("Run all checks"), "r", self._action("run"))
        if state.view.active:
            yield Command(_("Stop the run"), "Esc", self._action("stop"))
        for key in acts.possible(state, screen.selected):
            name = acts.COMMANDS[key.action]
            yield Command(name, key.key, self._action(key.action))
        if screen.selected is not None:
            yield Command(
                _("Run the check of the selected finding alone"), "R", self._action("run_one")
            )
        if state.fixes_allowed and len(state.repairable(screen.selected)) > 1:
            yield Command(_("Apply the selected fix alone"), "A", self._action("apply_one"))
        if state.fixes_allowed and not acts.starts_from_nothing(state):
            yield Command(acts.COMMANDS["first_run"], "n", self._action("first_run"))

    def _keys_of(self, screen: Screen[object]) -> Iterator[Command]:
        """What the keys of another screen do here and now."""
        from doctor.tui.widgets.key_bar import KeyBar

        for bar in screen.query(KeyBar):
            for key in bar.keys:
                if not key.action.startswith("app."):
                    call = partial(self._app.run_action, key.action, screen)
                    yield Command(key.text[:1].upper() + key.text[1:], key.key, call)

    def _targets(self) -> Iterator[Command]:
        for target in self._app.state.view.targets.values():
            show = partial(self._app.show_target, target.id)
            run = partial(self._app.examine, Scope((target.id,)))
            yield Command(_("Show {target}", target=target.label), "", show, first=False)
            yield Command(
                _("Run all checks on {target}", target=target.label), "", run, first=False
            )

    def _checks(self) -> Iterator[Command]:
        prepared = self._app.state.prepared
        if prepared is None or self._app.state.target is None:
            return
        for area in dict.fromkeys(check.area for check in prepared.checks):
            run = partial(self._app.examine_some, area)
            yield Command(_("Run the checks of {area}", area=area), "", run)
        for check in prepared.checks:
            names = {"code": check.code, "slug": check.slug}
            run = partial(self._app.examine_some, check.code)
            rule = partial(self._app.show_rule, check.code)
            yield Command(_("Run {code} {slug}", **names), "", run, first=False)
            yield Command(_("About {code} {slug}", **names), "", rule, first=False)

    def _app_commands(self) -> Iterator[Command]:
        app = self._app
        yield Command(_("Colours"), _("dark, light, or the terminal's own"), app.search_themes)
        if not app.is_web:
            text = _("what is on the screen, keys masked")
            yield Command(_("Save a picture (SVG)"), text, app.save_picture)
        yield Command(_("Help"), "?", app.action_help)
        yield Command(_("Quit"), "q", app.exit)
