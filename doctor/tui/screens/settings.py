"""The settings of every target in one table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen

from doctor.text import _
from doctor.tui import signs
from doctor.tui.messages import RunChanged
from doctor.tui.settingrows import (
    NAMES,
    HeadRow,
    RepairRow,
    SettingRow,
    ShadowRow,
    TableRow,
    table,
)
from doctor.tui.speech import Speech
from doctor.tui.strays import with_strays
from doctor.tui.widgets.filter_list import FilterList
from doctor.tui.widgets.key_bar import Key, KeyBar
from doctor.tui.widgets.title_bar import TitleBar
from doctor.tui.wrapping import hung

if TYPE_CHECKING:
    from doctor.tui.app import DoctorApp

_NAME = 14
_STATE = 16
# Below this width the origin goes on a line of its own.
_WIDE = 96


class TableRows:
    """Name, value, origin and state; shadowed values and the repaired one below."""

    def __init__(self, speech: Speech) -> None:
        self._speech = speech

    def height(self, row: TableRow, width: int) -> int:
        return len(self.lines(row, width, False))

    def lines(self, row: TableRow, width: int, chosen: bool) -> Sequence[Content]:
        say = self._speech.line
        match row:
            case HeadRow():
                head = Content.styled(say(row.label), signs.STRONG).truncate(
                    width - 4, ellipsis=True
                )
                rule = "─" * max(0, width - head.cell_length - 5)
                return [Content.assemble((" ── ", "$rule"), head, (f" {rule}", "$rule"))]
            case SettingRow():
                value = (
                    with_strays(say(row.value)) if row.value else Content.styled("–", signs.QUIET)
                )
                state = Content.styled(f"{row.sign.symbol} {say(row.sign.word)}", row.sign.style)
                name = Content.styled(say(NAMES[row.name]), "$accent")
                return self._columns(width, chosen, name, value, say(row.origin), state)
            case ShadowRow():
                name = Content.styled(f"  {say(_('shadows'))}", signs.QUIET)
                value = with_strays(say(row.value), signs.QUIET)
                return self._columns(width, chosen, name, value, say(row.origin), Content())
            case RepairRow():
                name = Content.styled(f"  {say(_('proved'))}", signs.GOOD)
                value = with_strays(say(row.value), signs.GOOD)
                state = Content.styled(f"✓ {say(_('answers'))}", signs.GOOD)
                return self._columns(width, chosen, name, value, "", state)

    def _columns(
        self,
        width: int,
        chosen: bool,
        name: Content,
        value: Content,
        origin: str,
        state: Content,
    ) -> Sequence[Content]:
        mark = Content.styled("▌" if chosen else " ", signs.KEY)
        lead = mark + name.truncate(_NAME, ellipsis=True, pad=True)
        where = Content.styled(origin, signs.QUIET)
        room = width - _NAME - 2 - _STATE
        if width < _WIDE:
            lines = hung(value, width - _STATE, _NAME + 2, lead)
            lines[0] = _at(lines[0], state, width - _STATE)
            return [*lines, *(hung(where, width, _NAME + 2) if origin else ())]
        half = room * 3 // 5
        left = hung(value, _NAME + 2 + half - 2, _NAME + 2, lead)
        right = where.wrap(room - half - 2) if origin else []
        lines = []
        for index in range(max(len(left), len(right))):
            line = left[index] if index < len(left) else Content()
            if index < len(right):
                line = _at(line, right[index], _NAME + 2 + half)
            lines.append(line)
        lines[0] = _at(lines[0], state, width - _STATE)
        return lines


def _at(line: Content, more: Content, column: int) -> Content:
    return Content.assemble(line, " " * max(1, column - line.cell_length), more)


class SettingsScreen(Screen[None]):
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "dismiss", show=False)]

    app: DoctorApp

    def compose(self) -> ComposeResult:
        yield TitleBar()
        yield FilterList(
            TableRows(self.app.speech), _text, self.app.speech.line(_("type to filter"))
        )
        yield KeyBar()

    def on_mount(self) -> None:
        say = self.app.speech.line
        self.query_one(KeyBar).show([Key("Esc", say(_("back")), "screen.dismiss", 0)])
        self._fill()

    @on(RunChanged)
    def _fill(self) -> None:
        say = self.app.speech.line
        self.query_one(FilterList).show_rows(table(self.app.state))
        hint = say(_("what is in effect, where it is from, what it shadows"))
        self.query_one(TitleBar).show("", say(_("settings")), Content.styled(hint, signs.QUIET))


def _text(row: TableRow) -> str:
    """What the filter searches: the target's name finds all of its rows."""
    match row:
        case HeadRow():
            return f"{row.target} {row.label}"
        case SettingRow() | ShadowRow():
            return f"{row.target} {NAMES[row.name]} {row.value} {row.origin}"
        case RepairRow():
            return f"{row.target} {NAMES[row.name]} {row.value}"
