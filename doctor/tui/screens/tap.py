"""The requests that go through a tap, as they come: the newest at the top, each to look into."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content
from textual.screen import Screen

from doctor.text import _
from doctor.tui import signs
from doctor.tui.screens.reading import ReadingScreen
from doctor.tui.widgets.banner import Banner
from doctor.tui.widgets.key_bar import Key, KeyBar
from doctor.tui.widgets.plain_rows import PlainRow, PlainRows
from doctor.tui.widgets.row_list import RowList
from doctor.tui.widgets.title_bar import TitleBar
from doctor.tui.wrapping import hung

if TYPE_CHECKING:
    from doctor.tap.record import Record
    from doctor.tui.app import DoctorApp

_KEPT = 1_000


class Feed:
    """What the tap gives the screen. ``addresses`` are pairs of a listener's address and the
    server that it leads to, ``sets`` the lines that lead a program there.

    ``put`` is called with each request that is over; before there is a screen they are kept.
    """

    def __init__(self, addresses: tuple[tuple[str, str], ...], sets: tuple[str, ...]) -> None:
        self.addresses = addresses
        self.sets = tuple(line for line in sets if line)
        self.records: deque[Record] = deque(maxlen=_KEPT)
        self.count = 0
        self.changed: Callable[[], None] = lambda: None

    def put(self, record: Record) -> None:
        self.records.append(record)
        self.count += 1
        self.changed()


class TapScreen(Screen[None]):
    """Leaving it ends the tap; the diagnosis follows in the terminal."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("a", "addresses", show=False),
    ]

    app: DoctorApp

    def __init__(self, feed: Feed) -> None:
        super().__init__()
        self._feed = feed
        self._drawing = False

    def compose(self) -> ComposeResult:
        yield TitleBar(id="title")
        yield Banner(id="banner")
        yield RowList(PlainRows(), id="requests")
        yield KeyBar(id="keys")

    def on_mount(self) -> None:
        say = self.app.speech.line
        self.query_one(KeyBar).show(
            [
                Key("Enter", say(_("look into")), "screen.look", 1),
                Key("a", say(_("addresses")), "screen.addresses", 1),
                Key("?", say(_("help")), "app.help", 2),
                Key("q", say(_("end, and diagnose")), "app.quit", 0),
            ]
        )
        self.query_one(RowList).focus()
        self._feed.changed = self._ask
        self.draw()

    def on_unmount(self) -> None:
        self._feed.changed = lambda: None

    def _ask(self) -> None:
        """Many requests may be over at the same time; they are drawn together."""
        if not self._drawing:
            self._drawing = True
            self.call_after_refresh(self.draw)

    # ------------------------------------------------------------------ drawing

    def draw(self) -> None:
        """Show what has come until now."""
        self._drawing = False
        say = self.app.speech.line
        failed = sum(record.failed for record in self._feed.records)
        state = Content.styled(say(_("{n} requests", n=f"{self._feed.count:,}")), signs.QUIET)
        with self.app.batch_update():
            self.query_one(TitleBar).show("", say(_("tap")), state)
            self._draw_banner(failed)
            rows = [self._row(record) for record in reversed(self._feed.records)]
            self.query_one(RowList).show_rows(rows)

    def _draw_banner(self, failed: int) -> None:
        say, banner = self.app.speech.line, self.query_one(Banner)
        ways = [
            _("{address} leads to {server}", address=here, server=there)
            for here, there in self._feed.addresses
        ]
        way = " · ".join(say(one) for one in ways)
        if not self._feed.count:
            banner.show("", say(_("Waiting")), [way], Content())
        elif failed:
            text = say(_("{n} without an answer", n=f"{failed:,}"))
            banner.show("bad", text, [way], Content())
        else:
            banner.show("good", say(_("All answered")), [way], Content())

    def _row(self, record: Record) -> PlainRow:
        from doctor.tap.rows import row_of

        say = self.app.speech.line
        row = row_of(record, say)
        broken = row.failed
        return PlainRow(
            key=str(record.number),
            text=say(f"{row.clock}  {row.status:<5} {row.request}"),
            beside=say(f"{row.model}   {row.first}   {row.total}   {row.tokens}"),
            symbol="✗" if broken else "✓",
            style=signs.BROKEN if broken else signs.GOOD,
        )

    # ------------------------------------------------------------------ looking into one

    @on(RowList.Chosen)
    def action_look(self) -> None:
        row = self.query_one(RowList).current
        wanted = None if row is None else row.key
        record = next((r for r in self._feed.records if str(r.number) == wanted), None)
        if record is not None:
            self.app.push_screen(ReadingScreen(record.url, self._told(record)))

    def _told(self, record: Record) -> Callable[[int], Content]:
        say = self.app.speech.line
        lines = [(record.method, record.url)]
        lines += [*record.headers, ("", ""), (str(record.status or "-"), record.trouble)]
        lines += [*record.answer_headers]
        if record.reply is not None and record.reply.outcome.message:
            lines += [("", ""), (say(_("answer")), record.reply.outcome.message)]

        def build(width: int) -> Content:
            made: list[Content] = []
            for name, value in lines:
                text = Content.assemble((say(name), signs.KEY), "  ", say(value))
                made += hung(text, width) if name else [Content()]
            return Content("\n").join(made)

        return build

    def action_addresses(self) -> None:
        """What leads a program here."""
        say = self.app.speech.line

        def build(width: int) -> Content:
            made: list[Content] = []
            for line in self._feed.sets:
                made += hung(Content(say(line)), width)
            return Content("\n").join(made)

        self.app.push_screen(ReadingScreen(_("Set in the shell of the program"), build))
