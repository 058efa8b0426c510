"""The clinic: the cases with what is solved, the open one with its task, its hints, its verdict."""

from __future__ import annotations

import contextlib
import shlex
from collections.abc import Awaitable, Callable, Iterator
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.content import Content
from textual.screen import Screen

from doctor.clinic.cases import LEVELS, Case, Task, cases
from doctor.clinic.judge import Verdict
from doctor.clinic.sandbox import SandboxError, at_home
from doctor.text import _
from doctor.tui import signs
from doctor.tui.screens.codes import CodesScreen
from doctor.tui.widgets.banner import Banner
from doctor.tui.widgets.finding_detail import FindingDetail
from doctor.tui.widgets.key_bar import Key, KeyBar
from doctor.tui.widgets.plain_rows import PlainRow, PlainRows
from doctor.tui.widgets.row_list import RowList
from doctor.tui.widgets.title_bar import TitleBar
from doctor.tui.wrapping import hung

if TYPE_CHECKING:
    from doctor.clinic.sitting import Sitting
    from doctor.tui.app import DoctorApp


class ClinicScreen(Screen[None]):
    """Leaving it ends the servers of the open case; its files stay."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("c", "check", show=False),
        Binding("h", "hint", show=False),
        Binding("n", "name", show=False),
        Binding("x", "anew", show=False),
        Binding("y", "copy", show=False),
    ]

    app: DoctorApp

    def __init__(self, sitting: Sitting) -> None:
        super().__init__()
        self._sitting = sitting
        self._cases = {case.id: case for case in cases()}
        self._judged: Verdict | None = None
        self._trouble = ""
        self._busy = False

    def compose(self) -> ComposeResult:
        yield TitleBar()
        yield Banner()
        with Container(id="body"):
            rows: RowList[PlainRow] = RowList(PlainRows(), id="cases")
            yield rows
            yield FindingDetail(id="detail")
        yield KeyBar()

    def on_mount(self) -> None:
        self.query_one(RowList).focus()
        self.draw()
        # Once it is known how many rows there is room for.
        self.call_after_refresh(self._go_to_the_first)

    def _go_to_the_first(self) -> None:
        """That is not solved."""
        unsolved = next((c for c in cases() if not self._sitting.standing(c).solved), cases()[0])
        self.query_one(RowList).go_to(lambda row: row.key == unsolved.id)

    async def on_unmount(self) -> None:
        await self._sitting.close()

    # ------------------------------------------------------------------ drawing

    def draw(self) -> None:
        """Everything, from what is known now."""
        say = self.app.speech.line
        solved = sum(self._sitting.standing(case).solved for case in cases())
        count = say(_("{solved} of {all} solved", solved=solved, all=len(self._cases)))
        with self.app.batch_update():
            self.query_one(TitleBar).show("", say(_("clinic")), Content.styled(count, signs.QUIET))
            self._draw_banner()
            self.query_one(RowList).show_rows(list(self._rows()))
            self._draw_detail()
            self._draw_keys()

    def _draw_banner(self) -> None:
        say, banner = self.app.speech.line, self.query_one(Banner)
        verdict, case = self._judged, self._sitting.case
        if self._trouble:
            banner.show("bad", say(_("Cannot open")), [say(self._trouble)], Content())
        elif self._busy:
            banner.show("", say(_("Asking")), [say(_("as the client would"))], Content())
        elif verdict is not None:
            kind, head = ("good", _("Solved")) if verdict.solved else ("bad", _("Not yet"))
            banner.show(kind, say(head), [say(verdict.text)], Content())
        elif case is not None and self._sitting.verdict is not None:
            text = say(self._sitting.verdict.symptom)
            banner.show("doubt", say(_("Case {id}", id=case.id)), [text], Content())
        else:
            text = say(_("Enter opens a case: files to mend, and the servers that they are for."))
            banner.show("", say(_("Practise")), [text], Content())

    def _rows(self) -> list[PlainRow]:
        say = self.app.speech.line
        rows: list[PlainRow] = []
        for level, title in LEVELS.items():
            rows.append(PlainRow(f"level-{level}", say(title), "", f"{level}", signs.STRONG))
            for case in self._cases.values():
                if case.level == level:
                    rows.append(self._row(case))
        return rows

    def _row(self, case: Case) -> PlainRow:
        say, standing = self.app.speech.line, self._sitting.standing(case)
        is_open = case == self._sitting.case
        name = say(case.name) if standing.solved else ""
        beside = say(_("open")) if is_open and not standing.solved else name
        symbol, style = (
            ("✓", signs.GOOD) if standing.solved else ("●" if is_open else " ", "$accent")
        )
        return PlainRow(case.id, f"{case.id:<4}", beside, f" {symbol}", style)

    def _draw_detail(self) -> None:
        case = self._chosen_case
        self.query_one(FindingDetail).show(lambda width: self._text(case, width), anew=True)

    def _text(self, case: Case | None, width: int) -> Content:
        say = self.app.speech.line

        def told(text: str, style: str = "", indent: int = 0) -> list[Content]:
            return hung(Content.styled(say(text), style), width, indent)

        if case is None:
            text = _("Each level has its cases below. What is solved shows its name.")
            return Content("\n").join(told(text, signs.QUIET))
        title = _("Case {id}: {level}", id=case.id, level=LEVELS[case.level])
        lines = [*told(title, signs.STRONG), Content()]
        if case == self._sitting.case:
            lines += self._exercise(case, told)
        else:
            lines += self._aside(case, told)
            lines += told(_("Enter opens it."))
        return Content("\n").join(lines)

    def _aside(self, case: Case, told: Callable[..., list[Content]]) -> list[Content]:
        """What was broken, of a solved case, and the hints that were asked for."""
        lines: list[Content] = []
        if self._sitting.standing(case).solved and case.task is Task.MEND:
            lines += [*told(_("It was: {broken}", broken=case.scenario.broken)), Content()]
        for number, hint in enumerate(self._sitting.hints(case), 1):
            lines += [*told(_("Hint {number}: {hint}", number=number, hint=hint)), Content()]
        return lines

    def _exercise(self, case: Case, told: Callable[..., list[Content]]) -> list[Content]:
        sandbox = self._sitting.sandbox
        assert sandbox is not None
        lines: list[Content] = []
        if self._sitting.verdict is not None:
            lines += [*told(self._sitting.verdict.symptom), Content()]
        # Ahead of the task, which may not fit on the screen.
        lines += self._aside(case, told)
        if self._mended:
            return lines + self._next(told)
        if sandbox.case.task is Task.MEND:
            lines += told(_("Mend these files in another terminal, then c judges:"))
            for path in sandbox.files():
                lines += told(at_home(path), signs.KEY, 2)
        else:
            lines += told(_("No file of yours can mend it. Find out what it is; n names it."))
        check = shlex.join(("kvdoctor", "check", *sandbox.typed()))
        for text, line in (
            (_("A shell in which they count (y copies the line):"), sandbox.shell_line(short=True)),
            (_("What a user would type there:"), check),
        ):
            lines += [Content(), *told(text), *told(line, signs.QUIET, 2)]
        return lines

    @property
    def _mended(self) -> bool:
        """Whether the open case was just judged to be solved."""
        return self._judged is not None and self._judged.solved

    def _next(self, told: Callable[..., list[Content]]) -> list[Content]:
        following = next((c for c in cases() if not self._sitting.standing(c).solved), None)
        if following is None:
            return told(_("That was the last one: all cases are solved."))
        return told(_("Next is {id}: choose it, Enter opens it.", id=following.id))

    def _draw_keys(self) -> None:
        say, case = self.app.speech.line, self._sitting.case
        keys = [Key("Enter", say(_("open the case")), "screen.open", 0)]
        if case is not None:
            mends = case.task is Task.MEND
            word, action = (_("judge"), "check") if mends else (_("name it"), "name")
            keys += [
                Key("c" if mends else "n", say(word), f"screen.{action}", 0),
                Key("h", say(_("hint")), "screen.hint", 1),
                Key("y", say(_("copy the shell line")), "screen.copy", 3),
                Key("x", say(_("lay anew")), "screen.anew", 2),
            ]
        keys += [Key("?", say(_("help")), "app.help", 2), Key("q", say(_("quit")), "app.quit", 0)]
        self.query_one(KeyBar).show(keys)

    # ------------------------------------------------------------------ doing

    @property
    def _chosen_case(self) -> Case | None:
        row = self.query_one(RowList).current
        return self._cases.get(row.key) if row is not None else None

    @on(RowList.Moved)
    def _moved(self) -> None:
        self._draw_detail()

    @on(RowList.Chosen)
    def action_open(self) -> None:
        case = self._chosen_case
        if case is not None and case != self._sitting.case:
            self._do(lambda: self._sitting.open(case))

    def action_anew(self) -> None:
        case = self._sitting.case
        if case is not None:
            self._do(lambda: self._sitting.open(case, anew=True))

    def action_check(self) -> None:
        case = self._sitting.case
        if case is not None and case.task is Task.MEND:
            self._do(self._check)

    async def _check(self) -> None:
        self._judged = await self._sitting.check()

    def action_hint(self) -> None:
        if self._sitting.case is not None:
            with self._telling():
                self._sitting.hint()
            self._go_to_open()

    def action_name(self) -> None:
        case = self._sitting.case
        if case is not None and case.task is Task.NAME:
            self.app.push_screen(CodesScreen(), self._named)

    def _named(self, code: str | None) -> None:
        if code is not None:
            with self._telling():
                self._judged = self._sitting.answer(code)
            self._go_to_open()

    def action_copy(self) -> None:
        sandbox = self._sitting.sandbox
        if sandbox is not None:
            self.app.copy_to_clipboard(sandbox.shell_line())
            self.app.say(_("Copied, if this terminal lets programs copy."))

    def _do(self, work: Callable[[], Awaitable[object]]) -> None:
        """Run ``work``; what was done before it is ended."""
        self.run_worker(self._working(work), group="clinic", exclusive=True)

    async def _working(self, work: Callable[[], Awaitable[object]]) -> None:
        self._judged, self._busy = None, True
        self.draw()
        try:
            with self._telling():
                await work()
        finally:
            self._busy = False
        self._go_to_open()

    def _go_to_open(self) -> None:
        self.draw()
        case = self._sitting.case
        if case is not None:
            self.query_one(RowList).go_to(lambda row: row.key == case.id)
            self._draw_detail()

    @contextlib.contextmanager
    def _telling(self) -> Iterator[None]:
        self._trouble = ""
        try:
            yield
        except SandboxError as error:
            self._trouble = error.args[0]
        except OSError as error:
            self._trouble = f"{error.filename}: {error.strerror}"
