"""Keys, and how to read the signs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen

from doctor.models import HopStatus, Severity
from doctor.text import Text, _
from doctor.tui import signs
from doctor.tui.speech import Speech
from doctor.tui.widgets.dialog import Heading, Hint
from doctor.tui.widgets.finding_detail import FindingDetail
from doctor.tui.widgets.key_bar import Key, KeyBar
from doctor.tui.wrapping import hung

if TYPE_CHECKING:
    from doctor.tui.app import DoctorApp

_KEYS: tuple[tuple[str, Text], ...] = (
    ("r", _("run all checks; R runs the check of the selected finding alone")),
    ("a", _("apply: shows the diff, asks, writes, repeats the request; A applies this one only")),
    ("u", _("undo what was applied, byte for byte")),
    ("d w", _("the whole diff; why this is a fault: the documentation of the check")),
    ("c", _("copy the finding, a command, a diff or the request as curl; or write it to a file")),
    ("i", _("leave a finding out from now on, with a reason")),
    ("x", _("export the report")),
    ("t", _("another target")),
    ("e", _("paste an error text: its likely causes, and the checks that settle it")),
    ("n", _("set a client up: from a key in hand to the first answer")),
    ("s", _("base URL, key, model and the rest: effective value, origin, what it shadows")),
    ("v", _("all checks, also those that found nothing; run one of them or an area")),
    ("l", _("the live engine: KV cache, requests, latencies; + and - change how often")),
    ("b", _("bench: load on the target, live plots, what limits it; runs are kept and compared")),
    ("1–9", _("go to a finding; j and k, or the arrows, go on; Enter and Space open")),
    ("Tab", _("from pane to pane; Esc goes back, and stops a run")),
    ("/", _("all commands by name")),
    ("q", _("quit")),
)


class HelpScreen(ModalScreen[None]):
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,question_mark,enter", "dismiss", show=False)
    ]

    app: DoctorApp

    def compose(self) -> ComposeResult:
        say = self.app.speech.line
        with Vertical(classes="dialog tall"):
            yield Heading(say(_("Keys and signs")))
            yield FindingDetail(id="text")
            yield Hint(
                say(_("Esc closes. The mouse works: hops, findings and keys can be clicked."))
            )

    def on_mount(self) -> None:
        pane = self.query_one(FindingDetail)
        speech, here = self.app.speech, self._here()
        pane.show(lambda width: help_text(speech, width, here), anew=True)
        pane.focus()

    def _here(self) -> tuple[Key, ...]:
        """The keys of the screen that help was called on; none for the diagnosis, of which all
        are told."""
        from doctor.tui.screens.diagnose import DiagnoseScreen

        asking = self.app.screen_stack[-2]
        if isinstance(asking, DiagnoseScreen):
            return ()
        keys = [key for bar in asking.query(KeyBar) for key in bar.keys]
        return tuple(key for key in keys if key.action != "app.help")


def help_text(speech: Speech, width: int, here: Sequence[Key] = ()) -> Content:
    """Keys first, those of the screen ``here`` ahead, then what the signs mean."""
    lines: list[Content] = []
    if here:
        lines.append(Content.styled(speech.line(_("On this screen")), signs.STRONG))
        for one in here:
            # The key bar has them translated already.
            lines += hung(Content(one.text), width, 6, Content.styled(one.key, signs.KEY))
        lines += [Content(), Content.styled(speech.line(_("On the diagnosis")), signs.STRONG)]
    for key, text in _KEYS:
        lines += hung(Content(speech.line(text)), width, 6, Content.styled(key, signs.KEY))
    lines += [Content(), Content.styled(speech.line(_("Signs")), signs.STRONG)]
    for sign, text in (
        (signs.HOPS[HopStatus.OK], _("works: it was tested and answered")),
        (
            signs.HOPS[HopStatus.BROKEN],
            _("broken: the first broken hop of the path is the one to mend"),
        ),
        (
            signs.HOPS[HopStatus.UNKNOWN],
            _("unknown: it was not tested, which is neither good nor bad"),
        ),
        (signs.HOPS[HopStatus.SKIPPED], _("not applicable here")),
        (signs.SEVERITIES[Severity.WARNING], _("ought to be mended, and makes no request fail")),
    ):
        lines += hung(Content(speech.line(text)), width, 6, Content.styled(sign.symbol, sign.style))
    for symbol, text in (
        ("◆", _("the knee of a benchmark: a larger load brings no more")),
        ("│", _("above a bar: the slowest tenth; of the engine, what waits")),
    ):
        lines += hung(Content(speech.line(text)), width, 6, Content.styled(symbol, signs.QUIET))
    proved = _(
        "“proved” means that a real request was sent with these changes and answered. "
        "“likely” means that it was not."
    )
    lines += [Content(), *hung(Content(speech.line(proved)), width)]
    return Content("\n").join(lines)
