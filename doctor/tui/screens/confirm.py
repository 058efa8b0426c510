"""What would be written, to the byte, before it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen

from doctor.models import Applicability
from doctor.text import _, listed
from doctor.tui import signs
from doctor.tui.detail import diff_lines
from doctor.tui.fixing import Part, Proposal
from doctor.tui.session import Trouble
from doctor.tui.speech import Speech
from doctor.tui.widgets.dialog import Heading, Hint
from doctor.tui.widgets.finding_detail import FindingDetail
from doctor.tui.widgets.row_list import RowList
from doctor.tui.wrapping import hung

if TYPE_CHECKING:
    from doctor.tui.app import DoctorApp

_WORDS = {
    Applicability.SAFE: _("safe"),
    Applicability.UNSAFE: _("changes more than the fault: look at it"),
    Applicability.MANUAL: _("by hand"),
}


@dataclass(frozen=True, slots=True)
class PartRow:
    part: Part
    chosen: bool

    @property
    def key(self) -> str:
        return self.part.id


class PartRows:
    """A box to tick, the title, and what is left to the user."""

    def __init__(self, speech: Speech, *, look_only: bool) -> None:
        self._speech = speech
        self._look_only = look_only

    def height(self, row: PartRow, width: int) -> int:
        return len(self.lines(row, width, False))

    def lines(self, row: PartRow, width: int, chosen: bool) -> Sequence[Content]:
        part, say = row.part, self._speech.line
        proved = _("proved") if part.proved else _("not proved")
        state = say(listed((_WORDS[part.applicability], proved)))
        title = Content.assemble(
            (f"{part.code}  ", signs.KEY),
            (say(part.title), signs.STRONG),
            (f"   {state}", signs.QUIET),
        )
        lines = hung(title, width, 4, Content.styled(self._box(row), signs.KEY))
        if part.refused is not None:
            refused = say(_("not written: {reason}", reason=part.refused))
            lines += hung(Content.styled(f"✗ {refused}", signs.BROKEN), width, 4)
        if part.commands and not part.writable:
            lines += hung(Content.styled(say(_("To run in this shell:")), signs.QUIET), width, 4)
            for command in part.commands:
                lines += hung(Content.styled(self._speech.block(command), signs.STRONG), width, 6)
        return lines

    def _box(self, row: PartRow) -> str:
        if self._look_only or not row.part.writable:
            return " ·"
        return "[x]" if row.chosen else "[ ]"


class ConfirmScreen(ModalScreen[tuple[str, ...]]):
    """Gives the ids of the parts to write, none if the user leaves."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,n", "leave", show=False),
        Binding("enter,a,y", "apply", show=False, priority=True),
        Binding("space", "tick", show=False),
    ]

    app: DoctorApp

    def __init__(self, proposal: Proposal, *, look_only: bool = False) -> None:
        super().__init__()
        self._look_only = look_only
        self._proposal = proposal
        # What only proves nothing by itself is written when the user says so.
        self._rows = [
            PartRow(
                part, part.writable and (part.proved or part.applicability is Applicability.SAFE)
            )
            for part in proposal.parts
        ]
        # The parts whose diff is on the screen: no others are written.
        self._shown: tuple[str, ...] | None = None
        self._entered = False

    def compose(self) -> ComposeResult:
        say = self.app.speech.line
        with Vertical(classes="dialog tall"):
            yield Heading(say(self._title()), say(self._what_follows()))
            rows: RowList[PartRow] = RowList(
                PartRows(self.app.speech, look_only=self._look_only), id="parts"
            )
            yield rows
            yield FindingDetail(id="diff")
            yield Hint(say(self._keys()))

    def _title(self) -> str:
        if self._look_only or not self._writable:
            return _("The fixes")
        return _("Write these changes?")

    def _what_follows(self) -> str:
        if not self._writable:
            return _("No file can help here: the lines are to be run, or the setting to be made.")
        return _("After that the request that failed is repeated. u takes everything back.")

    def _keys(self) -> str:
        if self._look_only or not self._writable:
            return _("Esc closes")
        return _("Enter writes   Space leaves one out   Esc cancels")

    @property
    def _writable(self) -> bool:
        return any(row.part.writable for row in self._rows)

    def on_mount(self) -> None:
        rows = self.query_one(RowList)
        rows.show_rows(self._rows)
        rows.focus()
        self._draw_diff()

    def _draw_diff(self) -> None:
        self.run_worker(self._preview(), group="preview", exclusive=True)

    async def _preview(self) -> None:
        """The very bytes: the ticked parts together, as they would be written."""
        speech, chosen = self.app.speech, self._chosen
        try:
            text = await self.app.session.preview(self._proposal, chosen)
        except Trouble as trouble:
            self._entered = False
            self.query_one(Hint).complain(speech.line(str(trouble)))
            return
        self.query_one(Hint).complain("")
        pane = self.query_one(FindingDetail)
        pane.display = bool(text)
        pane.show(lambda width: Content("\n").join(diff_lines(speech, text, width)), anew=True)
        self._shown = chosen
        if self._entered:
            self.dismiss(chosen)

    @property
    def _chosen(self) -> tuple[str, ...]:
        return tuple(row.key for row in self._rows if row.chosen)

    @on(RowList.Chosen)
    def _clicked(self) -> None:
        self.action_tick()

    def action_tick(self) -> None:
        rows = self.query_one(RowList)
        row = rows.current
        if self._look_only or row is None or not row.part.writable:
            return
        self._rows = [
            replace(one, chosen=not one.chosen) if one.key == row.key else one for one in self._rows
        ]
        rows.show_rows(self._rows)
        self._shown, self._entered = None, False
        self._draw_diff()

    def action_apply(self) -> None:
        if self._look_only or not self._writable:
            self.dismiss(())
        elif not self._chosen:
            self.query_one(Hint).complain(self.app.speech.line(_("Nothing is ticked.")))
        elif self._shown == self._chosen:
            self.dismiss(self._chosen)
        else:
            # Pressed before the diff was there: it counts as soon as it is.
            self._entered = True

    def action_leave(self) -> None:
        self.dismiss(())
