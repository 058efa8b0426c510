"""Paste an error text: what can cause it, likeliest first, and the way to the check."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import events, on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.content import Content
from textual.screen import Screen
from textual.widgets import TextArea

from doctor.text import _
from doctor.tui import signs
from doctor.tui.explained import Cause, Explained
from doctor.tui.speech import Speech
from doctor.tui.widgets.finding_detail import FindingDetail
from doctor.tui.widgets.key_bar import Key, KeyBar
from doctor.tui.widgets.row_list import RowList
from doctor.tui.widgets.title_bar import TitleBar
from doctor.tui.wrapping import hung

if TYPE_CHECKING:
    from doctor.tui.app import DoctorApp

# After the last key the text is read, in seconds.
_PAUSE = 0.2


class PasteArea(TextArea):
    """What is pasted is redacted first: error texts hold keys."""

    app: DoctorApp

    async def _on_paste(self, event: events.Paste) -> None:
        # The handler of the class above is called after this one.
        event.text = self.app.session.redactor(event.text)


class CauseRow:
    def __init__(self, cause: Cause) -> None:
        self.cause = cause

    @property
    def key(self) -> str:
        return self.cause.code


class CauseRows:
    """``62 %  KVD301  proxy unreachable``."""

    def __init__(self, speech: Speech) -> None:
        self._speech = speech

    def height(self, row: CauseRow, width: int) -> int:
        return 1

    def lines(self, row: CauseRow, width: int, chosen: bool) -> Sequence[Content]:
        cause = row.cause
        here = cause.here is not None
        content = Content.assemble(
            ("▌" if chosen else " ", signs.KEY),
            (f"{cause.percent:>3} %  ", signs.STRONG),
            (f"{cause.code}  ", signs.KEY),
            (f"✓ {self._speech.line(_('found'))}: " if here else "", signs.GOOD),
            self._speech.line(cause.title),
        )
        return [content.truncate(width, ellipsis=True)]


class ExplainScreen(Screen[str | None]):
    """Gives the code of the check to look into."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape", "leave", show=False),
        Binding("ctrl+l", "clear", show=False),
    ]

    app: DoctorApp

    def compose(self) -> ComposeResult:
        say = self.app.speech.line
        yield TitleBar()
        yield PasteArea(
            id="error",
            soft_wrap=True,
            tab_behavior="focus",
            placeholder=say(_("Paste an error text or a log here.")),
            highlight_cursor_line=False,
        )
        with Container(id="answer"):
            rows: RowList[CauseRow] = RowList(CauseRows(self.app.speech), id="causes")
            yield rows
            yield FindingDetail(id="detail")
        yield KeyBar()

    def on_mount(self) -> None:
        say = self.app.speech.line
        hint = say(_("offline: the text goes nowhere"))
        self.query_one(TitleBar).show(
            "", say(_("explain an error")), Content.styled(hint, signs.QUIET)
        )
        self.query_one(KeyBar).show(
            [
                Key("Tab", say(_("to the causes")), "app.focus_next", 1),
                Key("Enter", say(_("run that check")), "screen.look", 0),
                Key("^l", say(_("clear")), "screen.clear", 2),
                Key("Esc", say(_("back")), "screen.leave", 0),
            ]
        )
        self._timer = self.set_timer(_PAUSE, self._read)
        self._timer.pause()
        self._explained = Explained(())
        self._show()

    @on(TextArea.Changed)
    def _changed(self) -> None:
        self._timer.stop()
        self._timer = self.set_timer(_PAUSE, self._read)

    def _read(self) -> None:
        self.run_worker(self._explain(), group="explain", exclusive=True)

    async def _explain(self) -> None:
        text = self.query_one(PasteArea).text
        here = self.app.state.places
        self._explained = await self.app.session.explain(text, here)
        self._show()

    def _show(self) -> None:
        rows = self.query_one(RowList)
        rows.show_rows([CauseRow(cause) for cause in self._explained.causes])
        self.query_one("#answer").set_class(not self._explained.causes, "-calm")
        self._detail()

    @on(RowList.Moved)
    def _detail(self) -> None:
        row = self.query_one(RowList).current
        cause = row.cause if row is not None else None
        speech, empty = self.app.speech, not self.query_one(PasteArea).text.strip()
        self.query_one(FindingDetail).show(
            lambda width: _text(speech, width, cause, empty), anew=True
        )

    @on(RowList.Chosen)
    def action_look(self) -> None:
        row = self.query_one(RowList).current
        if row is not None:
            self.dismiss(row.cause.code)

    def action_clear(self) -> None:
        area = self.query_one(PasteArea)
        area.clear()
        area.focus()

    def action_leave(self) -> None:
        self.dismiss(None)


def _text(speech: Speech, width: int, cause: Cause | None, empty: bool) -> Content:
    say = speech.line
    if cause is None:
        text = (
            _("The causes of the text show here as soon as there is one.")
            if empty
            else _(
                "No text of this is known. The checks look at the connection itself: r runs them."
            )
        )
        return Content("\n").join(hung(Content.styled(say(text), signs.QUIET), width))
    lines = hung(Content.styled(say(cause.title), signs.STRONG), width)
    lines += [Content.styled(cause.code, signs.KEY), Content()]
    told: tuple[tuple[str, str | None], ...] = (
        (_("the text"), cause.quote),
        (_("means"), cause.meaning),
        (_("tell apart"), cause.tell_apart),
        (_("seen here"), cause.here),
        (_("to fix it"), cause.fix),
    )
    for label, value in told:
        if value:
            lead = Content.styled(say(label), "$accent")
            lines += [*hung(Content(say(value)), width, 12, lead), Content()]
    likely = _("Likely, by the text alone. Enter runs the check, which settles it.")
    lines += hung(Content.styled(say(likely), signs.QUIET), width)
    return Content("\n").join(lines)
