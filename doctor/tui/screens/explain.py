"""Paste an error text or a log: what can cause it, likeliest first, and the way to the check; of an
engine's log its starts and where the GPU's memory went."""

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
from doctor.tui.explain_text import answer_text
from doctor.tui.explained import Cause, Explained
from doctor.tui.speech import Speech
from doctor.tui.widgets.finding_detail import FindingDetail
from doctor.tui.widgets.key_bar import Key, KeyBar
from doctor.tui.widgets.row_list import RowList
from doctor.tui.widgets.title_bar import TitleBar

if TYPE_CHECKING:
    from doctor.tui.app import DoctorApp

# After the last key the text is read, in seconds.
_PAUSE = 0.2


class PasteArea(TextArea):
    """What is pasted is redacted first: error texts hold keys."""

    app: DoctorApp

    async def _on_paste(self, event: events.Paste) -> None:
        from doctor.tui.explaining import without_keys

        # The handler of the class above is called after this one.
        event.text = without_keys(event.text, self.app.session.redactor)


class AnswerRow:
    """A cause, or the engine of the log (None)."""

    def __init__(self, cause: Cause | None) -> None:
        self.cause = cause

    @property
    def key(self) -> str:
        return self.cause.code if self.cause is not None else ""


class AnswerRows:
    """``62 %  KVD301  proxy unreachable``."""

    def __init__(self, speech: Speech) -> None:
        self._speech = speech

    def height(self, row: AnswerRow, width: int) -> int:
        return 1

    def lines(self, row: AnswerRow, width: int, chosen: bool) -> Sequence[Content]:
        mark = ("▌" if chosen else " ", signs.KEY)
        cause, say = row.cause, self._speech.line
        if cause is None:
            content = Content.assemble(mark, " " * 7, say(_("the engine of this log")))
        else:
            content = Content.assemble(
                mark,
                (f"{cause.percent:>3} %  ", signs.STRONG),
                (f"{cause.code}  ", signs.KEY),
                (f"✓ {say(_('found'))}: " if cause.here is not None else "", signs.GOOD),
                say(cause.title),
            )
        return [content.truncate(width, ellipsis=True)]


class ExplainScreen(Screen[str | None]):
    """Gives the code of the check to look into; None where there is none."""

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
            rows: RowList[AnswerRow] = RowList(AnswerRows(self.app.speech), id="causes")
            yield rows
            yield FindingDetail(id="detail")
        yield KeyBar()

    def on_mount(self) -> None:
        say = self.app.speech.line
        hint = say(_("offline: the text goes nowhere"))
        self.query_one(TitleBar).show(
            "", say(_("explain an error")), Content.styled(hint, signs.QUIET)
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
        told = self._explained
        rows = [AnswerRow(cause) for cause in told.causes]
        if told.summary or told.drawn:
            # The cause first: it is what was asked for.
            rows.append(AnswerRow(None))
        self.query_one(RowList).show_rows(rows)
        self.query_one("#answer").set_class(not rows, "-calm")
        self._detail()

    @on(RowList.Moved)
    def _detail(self) -> None:
        row = self.query_one(RowList).current
        empty = not self.query_one(PasteArea).text.strip()
        speech, told = self.app.speech, self._explained
        self.query_one(FindingDetail).show(
            lambda width: answer_text(speech, width, told, row.cause if row else None, empty),
            anew=True,
        )
        self._keys(row)

    def _keys(self, row: AnswerRow | None) -> None:
        say = self.app.speech.line
        keys = [Key("Tab", say(_("to the causes")), "app.focus_next", 1)]
        if row is not None and row.cause is not None and row.cause.checked:
            # A check of a launch line has nothing to look at on a connection.
            of_a_log = self._explained.start is not None
            text = _("what it is, and how to mend it") if of_a_log else _("run that check")
            keys.append(Key("Enter", say(text), "screen.look", 0))
        keys += [
            Key("^l", say(_("clear")), "screen.clear", 2),
            Key("F1", say(_("help")), "app.help", 3),
            Key("Esc", say(_("back")), "screen.leave", 0),
        ]
        self.query_one(KeyBar).show(keys)

    @on(RowList.Chosen)
    def action_look(self) -> None:
        row = self.query_one(RowList).current
        cause = row.cause if row is not None else None
        if cause is None or not cause.checked:
            return
        if self._explained.start is not None:
            self.app.show_rule(cause.code)
        else:
            self.dismiss(cause.code)

    def action_clear(self) -> None:
        area = self.query_one(PasteArea)
        area.clear()
        area.focus()

    def action_leave(self) -> None:
        self.dismiss(None)
