"""From a key in hand to the first answer: which client, which server, which variable and model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar
from urllib.parse import urlsplit

from textual import on
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container
from textual.content import Content
from textual.screen import Screen
from textual.widgets import Input

from doctor.patterns import Pattern
from doctor.text import _
from doctor.tui import signs
from doctor.tui.first_steps import FirstSteps
from doctor.tui.widgets.banner import Banner
from doctor.tui.widgets.finding_detail import FindingDetail
from doctor.tui.widgets.key_bar import Key, KeyBar
from doctor.tui.widgets.plain_rows import PlainRow, PlainRows
from doctor.tui.widgets.row_list import RowList
from doctor.tui.widgets.title_bar import TitleBar
from doctor.tui.wrapping import hung

if TYPE_CHECKING:
    from doctor.tui.app import DoctorApp

_VARIABLE = Pattern(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True, slots=True)
class Aim:
    """What is to be set up. An empty ``base_url`` is the usual gateway's, an empty ``key_env``
    whatever is found, an empty ``model`` the client's own."""

    client: str
    base_url: str = ""
    key_env: str = ""
    model: str = ""


class FirstRunScreen(Screen[Aim | None]):
    """Gives what is to be examined and set up. Nothing is written or asked here."""

    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape", "leave", show=False)]
    AUTO_FOCUS = "#clients"

    app: DoctorApp

    def __init__(self, steps: FirstSteps) -> None:
        super().__init__()
        self._steps = steps
        self._wrong = ""

    def compose(self) -> ComposeResult:
        say = self.app.speech.line
        server = _("address of the server; empty: {name}", name=self._steps.usual_label)
        variable = _("variable with the key; empty: {name}", name=self._variable_by_default)
        yield TitleBar()
        yield Banner()
        yield Input(placeholder=say(server), id="server")
        yield Input(placeholder=say(variable), id="variable")
        yield Input(placeholder=say(_("model; empty: the client's own")), id="model")
        with Container(id="body"):
            rows: RowList[PlainRow] = RowList(PlainRows(), id="clients")
            yield rows
            yield FindingDetail(id="detail")
        yield KeyBar()

    def on_mount(self) -> None:
        say = self.app.speech.line
        hint = say(_("nothing is written yet"))
        title = say(_("set a client up"))
        self.query_one(TitleBar).show("", title, Content.styled(hint, signs.QUIET))
        self.query_one(KeyBar).show(
            [
                Key("Enter", say(_("set it up")), "screen.choose", 0),
                Key("Tab", say(_("another server, variable or model")), "app.focus_next", 1),
                Key("Esc", say(_("back")), "screen.leave", 0),
            ]
        )
        rows = [PlainRow(client, say(label)) for client, label in self._steps.clients]
        self.query_one(RowList).show_rows(rows)
        self._draw()

    # ------------------------------------------------------------------ drawing

    @property
    def _variable_by_default(self) -> str:
        """The usual one, or the only one that holds a key."""
        keys = self._steps.keys
        if self._steps.usual_key in keys or not keys:
            return self._steps.usual_key
        return next(iter(keys))

    @on(RowList.Moved)
    @on(Input.Changed)
    def _draw(self) -> None:
        say, banner = self.app.speech.line, self.query_one(Banner)
        self._wrong = self._complaint()
        if self._wrong:
            banner.show("bad", say(_("Not so")), [say(self._wrong)], Content())
        else:
            text = say(_("Choose the client that is to use your key."))
            banner.show("", say(_("First steps")), [text], Content())
        self.query_one(FindingDetail).show(self._text, anew=True)

    def _complaint(self) -> str:
        """What is wrong with what was typed; empty where nothing is."""
        server, variable, model = self._typed
        if server and not _is_address(server):
            return _("An address begins with http:// or https:// and has a host.")
        if variable and not _VARIABLE.fullmatch(variable):
            return _("Here goes the name of a variable. A key itself is never typed in.")
        if len(model.split()) > 1:
            return _("A model's id holds no blank.")
        return ""

    @property
    def _typed(self) -> tuple[str, str, str]:
        """Server, variable and model."""

        def value(name: str) -> str:
            return self.query_one(f"#{name}", Input).value.strip()

        return value("server"), value("variable"), value("model")

    def _text(self, width: int) -> Content:
        say = self.app.speech.line
        row = self.query_one(RowList).current
        server, variable, _model = self._typed
        lines: list[Content] = []

        def step(number: int, head: str, *texts: str) -> None:
            lead = Content.styled(f"{number}", signs.KEY)
            lines.extend(hung(Content.styled(say(head), signs.STRONG), width, 3, lead))
            for text in texts:
                lines.extend(hung(Content(say(text)), width, 3))
            lines.append(Content())

        name = row.text if row is not None else ""
        step(1, _("The key"), *self._key(variable or self._variable_by_default, server))
        step(
            2,
            _("The settings of {client}", client=name),
            _(
                "Enter looks whether anything configures it. If nothing does, what it needs is "
                "shown; a writes its files once you have seen the difference, u takes that back. "
                "They name the variable and never hold the key."
            ),
        )
        step(
            3,
            _("The first answer"),
            _(
                "The request that it would send is sent to {server}, as short as can be. What "
                "keeps it from being answered is named, with the value to use.",
                server=server or self._steps.usual_label,
            ),
        )
        return Content("\n").join(lines)

    def _key(self, variable: str, server: str) -> list[str]:
        held = self._steps.keys.get(variable)
        if held:
            return [_("✓ {name} holds {key}.", name=variable, key=held)]
        if variable != self._variable_by_default:
            return [_("It is taken from {name}, if that is set.", name=variable)]
        texts = [
            _(
                "{name} is not set. Leave with q, type this, and start kvdoctor again:",
                name=variable,
            ),
            f"read -rs {variable} && export {variable}",
        ]
        if self._steps.console and not server:
            texts.append(_("Keys are made at {page}.", page=self._steps.console))
        return texts

    # ------------------------------------------------------------------ leaving

    @on(Input.Submitted)
    def _submitted(self) -> None:
        self.query_one(RowList).focus()

    @on(RowList.Chosen)
    def action_choose(self) -> None:
        row = self.query_one(RowList).current
        if row is not None and not self._wrong:
            self.dismiss(Aim(row.key, *self._typed))

    def action_leave(self) -> None:
        self.dismiss(None)


def _is_address(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        return False
