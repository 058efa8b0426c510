"""The live engine: use of its KV cache, its requests, latencies, hits and output as they change."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.screen import Screen

from doctor.text import _
from doctor.tui import charts, signs
from doctor.tui.session import Trouble
from doctor.tui.widgets.banner import Banner
from doctor.tui.widgets.chart import Chart
from doctor.tui.widgets.key_bar import Key, KeyBar
from doctor.tui.widgets.title_bar import TitleBar

if TYPE_CHECKING:
    from doctor.enginemetrics.sample import Gap, Sample
    from doctor.tui.app import DoctorApp

# More than any terminal has columns.
_KEPT = 500
_FASTEST, _SLOWEST = 0.5, 60.0


class EngineScreen(Screen[None]):
    """``target`` is the id of the target that is an engine, or has one behind it; "" lets the
    session choose."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,l", "leave", show=False),
        Binding("r", "again", show=False),
        Binding("plus,equals_sign", "slower", show=False),
        Binding("minus", "faster", show=False),
    ]

    app: DoctorApp

    def __init__(self, target: str = "", interval: float = 2.0) -> None:
        super().__init__()
        self._target = target
        self._interval = interval
        self._history: deque[Sample | Gap] = deque(maxlen=_KEPT)
        self._trouble = ""

    def compose(self) -> ComposeResult:
        yield TitleBar(id="title")
        yield Banner(id="banner")
        with VerticalScroll(id="charts"):
            for name in charts.NAMES:
                yield Chart(id=name)
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        say = self.app.speech.line
        self.query_one(KeyBar).show(
            [
                Key("+", say(_("slower")), "screen.slower", 2),
                Key("-", say(_("faster")), "screen.faster", 2),
                Key("r", say(_("start anew")), "screen.again", 1),
                Key("?", say(_("help")), "app.help", 1),
                Key("Esc", say(_("back")), "screen.leave", 0),
            ]
        )
        self.action_again()

    async def _watch(self) -> None:
        self._trouble = ""
        try:
            async for sample in self.app.session.watch(self._target, self._interval):
                self._history.append(sample)
                self.draw()
        except Trouble as trouble:
            self._trouble = str(trouble)
            self.draw()

    # ------------------------------------------------------------------ drawing

    def draw(self) -> None:
        """Show what was seen until now."""
        say = self.app.speech.line
        with self.app.batch_update():
            state = Content.styled(
                say(_("every {seconds:g} s", seconds=self._interval)), signs.QUIET
            )
            self.query_one(TitleBar).show(say(self._target), say(_("live engine")), state)
            self._draw_banner()
            for name, drawing in charts.drawings(self._history, say).items():
                self.query_one(f"#{name}", Chart).show(drawing)

    def _draw_banner(self) -> None:
        from doctor.enginemetrics.sample import Gap
        from doctor.render.samples import remarks

        banner, say = self.query_one(Banner), self.app.speech.line
        banner.display = True
        last = self._history[-1] if self._history else None
        if self._trouble:
            banner.show("bad", say(_("No metrics")), [say(self._trouble)], Content())
        elif last is None:
            banner.show("", say(_("Asking")), [say(_("the engine for its metrics"))], Content())
        elif isinstance(last, Gap):
            banner.show("bad", say(_("No answer")), [say(last.reason)], Content())
        elif last.saturated:
            text = " · ".join(say(remark) for remark in remarks(last))
            banner.show("bad", say(_("Saturated")), [text], Content())
        elif last.waiting:
            text = " · ".join(say(remark) for remark in remarks(last))
            banner.show("doubt", say(_("Busy")), [text], Content())
        else:
            banner.show("good", say(_("At ease")), [say(_("nobody waits"))], Content())

    # ------------------------------------------------------------------ keys

    def action_again(self) -> None:
        """Forget what was seen and look anew."""
        self._history.clear()
        self.draw()
        self.run_worker(self._watch(), group="watch", exclusive=True)

    def action_slower(self) -> None:
        self._pace(2.0)

    def action_faster(self) -> None:
        self._pace(0.5)

    def _pace(self, factor: float) -> None:
        interval = min(max(self._interval * factor, _FASTEST), _SLOWEST)
        if interval != self._interval:
            self._interval = interval
            # One column is one look, and columns of different lengths would mislead.
            self.action_again()

    def action_leave(self) -> None:
        self.dismiss(None)
