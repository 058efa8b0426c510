"""What stands in the place of a finding: the run so far, all well, or what there is to do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from textual.content import Content

from doctor.connection import Setting
from doctor.models import CheckResult, Status, TargetReport
from doctor.render import words as report_words
from doctor.render.words import milliseconds
from doctor.text import Text, _, listed
from doctor.tui import signs, words
from doctor.tui.acts import starts_from_nothing
from doctor.tui.runview import TargetView
from doctor.tui.speech import Speech
from doctor.tui.state import State
from doctor.tui.wrapping import hung

_BAR = 24
_MOST_RUNNING = 8
_MOST_UNTESTED = 12
_LABEL = 16


@dataclass(frozen=True, slots=True)
class Overview:
    """Builds the text for a width in columns."""

    speech: Speech
    width: int
    state: State

    def of(self, target: TargetView | None, cause: str | None = None) -> Content:
        """For ``target``; with ``cause`` (a code) what follows from that finding."""
        if cause is not None and target is not None:
            lines = self._consequences(target, cause)
        elif self.state.view.active and (target is None or target.report is None):
            lines = self._running()
        elif target is None or target.report is None:
            lines = self._nothing()
        else:
            lines = self._tested(target, target.report)
        return Content("\n").join(lines)

    # ------------------------------------------------------------------ pieces

    def _say(self, text: str, style: str = "", indent: int = 0) -> list[Content]:
        return hung(Content.styled(self.speech.line(text), style), self.width, indent)

    def _labelled(self, label: str, text: str, style: str = "") -> list[Content]:
        lead = Content(self.speech.line(label)).stylize("$accent")
        content = Content.styled(self.speech.line(text), style)
        return hung(content, self.width, _LABEL, lead)

    # ------------------------------------------------------------------ states

    def _consequences(self, target: TargetView, cause: str) -> list[Content]:
        lines = self._say(_("These follow from {code} and go with it:", code=cause), signs.STRONG)
        for finding in self.state.findings(target):
            if finding.explained_by == cause:
                lead = Content(finding.code).stylize(signs.QUIET)
                title = Content(self.speech.line(finding.title))
                lines += [Content(), *hung(title, self.width, 8, lead)]
        return lines

    def _running(self) -> list[Content]:
        view = self.state.view
        if not view.expected:
            return self._say(_("Looking for settings…"), signs.QUIET)
        done = round(_BAR * view.ended / view.expected)
        bar = Content.assemble(("━" * done, "$accent"), ("━" * (_BAR - done), "$panel"))
        number = _("{done} of {all} checks", done=view.ended, all=view.expected)
        lines = [Content.assemble(bar, f"  {self.speech.line(number)}"), Content()]
        running = sorted(view.running.values(), key=lambda one: one.since)
        for one in running[:_MOST_RUNNING]:
            time = milliseconds(view.since(one))
            lines.append(
                Content.assemble(
                    (f"{signs.RUNNING.symbol} ", "$accent"),
                    (f"{one.code}  ", signs.QUIET),
                    one.slug,
                    (f"  {time}", signs.QUIET),
                ).truncate(self.width, ellipsis=True)
            )
        return lines

    def _nothing(self) -> list[Content]:
        if self.state.prepared is None:
            return self._say(_("Stopped before anything was seen. r runs the checks."))
        lines = self._say(_("What can be done now:"), signs.STRONG)
        for key, text in (
            *self._first_step(),
            ("e", _("paste an error text and see what causes it")),
            ("r", _("look again, after a variable or a file was set")),
            (
                "q",
                _("leave, and name a target: kvdoctor --base-url https://HOST/v1 --key-env NAME"),
            ),
            ("", _("or see it work on a broken setup: kvdoctor demo --tui")),
        ):
            lead = Content(key).stylize(signs.KEY)
            lines += hung(Content(self.speech.line(text)), self.width, 3, lead)
        return lines

    def _first_step(self) -> list[tuple[str, Text]]:
        if not starts_from_nothing(self.state):
            return []
        return [("n", _("set a client up: from a key in hand to the first answer"))]

    def _tested(self, target: TargetView, report: TargetReport) -> list[Content]:
        lines: list[Content] = []
        if self.state.well:
            sign = signs.STATUSES[Status.PASS]
            text = self.speech.line(_("Everything that was asked was answered."))
            lines += [Content(f"{sign.symbol} {text}").stylize(f"bold {sign.style}"), Content()]
        lines += self._open_shells()
        lines += self._measured(report)
        lines += self._verdicts(report)
        lines += self._labelled(_("checks"), listed(words.tally(target)))
        if left_out := self.state.ignored(target):
            text = _("{n} by the rules of kvdoctor.toml", n=left_out)
            lines += self._labelled(_("left out"), text)
        requests = self.state.view.report
        if requests is not None:
            lines += self._labelled(_("requests"), report_words.spent(requests.spending))
        return lines + self._untested(target, report)

    def _open_shells(self) -> list[Content]:
        """A file that was mended does not reach programs that run already."""
        commands = self.state.verdict.commands if self.state.verdict is not None else ()
        if not commands:
            return []
        text = _("Shells that are open still have the old values. To run there, or open another:")
        lines = self._say(text)
        for command in commands:
            lines += self._say(command, signs.STRONG, 2)
        return [*lines, Content()]

    def _measured(self, report: TargetReport) -> list[Content]:
        facts = report.facts
        lines: list[Content] = []
        if "ttft_ms" in facts:
            ms = milliseconds(int(facts["ttft_ms"]))
            lines += self._labelled(_("first token"), _("after {ms}", ms=ms))
        if "window" in facts:
            lines += self._labelled(_("window"), _window(facts["window"], report))
        return lines

    def _verdicts(self, report: TargetReport) -> list[Content]:
        verdicts = report.verdicts
        lines: list[Content] = []
        for label, verdict, detail in (
            (_("reachable"), verdicts.reachable, ""),
            (_("authenticated"), verdicts.authenticated, verdicts.authenticated_detail),
            (_("model answers"), verdicts.model_answers, ""),
        ):
            sign = signs.VERDICTS[verdict]
            text = f"{sign.symbol} {self.speech.translate(sign.word)}"
            if detail:
                text += f": {self.speech.translate(detail)}"
            lines += self._labelled(label, text, sign.style)
        return lines

    def _untested(self, target: TargetView, report: TargetReport) -> list[Content]:
        reasons = list(dict.fromkeys(report.not_tested))
        open_checks = [r for r in target.results.values() if r.status in _OPEN]
        if not reasons and not open_checks:
            return []
        lines = [Content(), *self._say(_("Not tested"), signs.STRONG)]
        for reason in reasons:
            lines += hung(Content(self.speech.line(reason)), self.width, 2, Content("·"))
        lines += self._checks(open_checks[:_MOST_UNTESTED])
        more = len(open_checks) - _MOST_UNTESTED
        if more > 0:
            lines += self._say(_("and {n} more: v shows all checks", n=more), signs.QUIET, 2)
        return lines

    def _checks(self, results: Iterable[CheckResult]) -> list[Content]:
        lines: list[Content] = []
        for result in results:
            sign = signs.STATUSES[result.status]
            lead = Content.assemble((sign.symbol, sign.style), f" {result.code}")
            why = self.speech.line(result.reason or sign.word)
            lines += hung(Content(why).stylize(signs.QUIET), self.width, 10, lead)
        return lines


_OPEN = (Status.UNKNOWN, Status.TIMEOUT, Status.CRASHED)


def _window(window: str, report: TargetReport) -> Text:
    total = int(window)
    mine: Setting[int] | None = report.connection.max_tokens
    if mine is None:
        return _("{window} tokens", window=f"{total:,}")
    return _(
        "{window} tokens; your max_tokens {mine} leaves {rest} for the prompt",
        window=f"{total:,}",
        mine=f"{mine.value:,}",
        rest=f"{max(0, total - mine.value):,}",
    )
