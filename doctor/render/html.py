"""A sheet as one HTML file: no script, nothing loaded from anywhere, readable on a phone and on
paper. Nothing is told by colour alone."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from pathlib import Path

from doctor.models import Finding, HopStatus
from doctor.render.hopnames import HOP_NAMES
from doctor.render.markdown import CASE_MARKS, HOP_MARKS, follows, kind_of
from doctor.render.paper import Speech
from doctor.render.sheet import Case, Outcome, Section, Sheet
from doctor.render.sheetcases import tally
from doctor.text import _

_STYLE = Path(__file__).parent / "templates" / "sheet.css"
# Even if an escape were forgotten, a browser would run and load nothing.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; form-action 'none'; base-uri 'none'"
_COLOURS = {
    Outcome.PASS: "good",
    Outcome.FAIL: "bad",
    Outcome.ERROR: "bad",
    Outcome.UNTESTED: "warn",
    Outcome.WAIVED: "warn",
    Outcome.SKIPPED: "quiet",
}


def html(sheet: Sheet, speech: Speech) -> str:
    page = _Page(speech)
    title = page.say(sheet.title)
    subject = f"{title}: {page.say(sheet.sections[0].title)}" if sheet.sections else title
    time = f'<time datetime="{page.say(sheet.started_at)}">{page.say(sheet.when)}</time>'
    body = [f"<h1>{title} · {time}</h1>"]
    for section in sheet.sections:
        body += page.section(section)
    body.append("<footer>")
    if sheet.footer:
        body.append(f"<p>{'. '.join(page.say(text) for text in sheet.footer)}.</p>")
    body += [f"<p>{page.say(_('Note: {note}', note=note))}</p>" for note in sheet.notes]
    body.append("</footer>")
    return "\n".join(
        (
            "<!doctype html>",
            f'<html lang="{escape(speech.language.replace("_", "-"))}">',
            '<head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="referrer" content="no-referrer">',
            f"<title>{subject}</title>",
            f"<style>\n{_STYLE.read_text('utf-8')}</style></head>",
            "<body>",
            *body,
            "</body></html>",
            "",
        )
    )


class _Page:
    def __init__(self, speech: Speech) -> None:
        self._speech = speech

    def say(self, text: str) -> str:
        return escape(self._speech.line(text))

    def section(self, section: Section) -> Iterator[str]:
        yield "<section>"
        mark, colour = ("✓", "good") if section.well else ("✗", "bad")
        yield f"<h2>{self.say(section.title)}</h2>"
        for number, text in enumerate(section.lead):
            head = f'<span class="{colour}">{mark}</span> ' if not number else ""
            yield f"<p{' class=lead' if not number else ''}>{head}{self.say(text)}</p>"
        if section.proof:
            yield f'<p class="proof"><span class="good">✓</span> {self.say(section.proof)}</p>'
        if section.path:
            yield from self._path(section)
        if section.listed:
            yield self._cases(section.cases)
        for number, finding in enumerate(section.shown, 1):
            yield from self._finding(number, finding, section)
        if section.folded:
            yield self._folded(section.folded)
        if section.answer:
            yield self._block(self._speech.answer(section.answer))
        yield from self._rest(section)
        yield "</section>"

    def _path(self, section: Section) -> Iterator[str]:
        yield f'<ol class="path" aria-label="{self.say(_("The path of a request"))}">'
        for hop in section.path:
            detail = self.say(hop.detail)
            if hop.ms is not None and hop.status is not HopStatus.SKIPPED:
                detail += f' <span class="quiet">{hop.ms} ms</span>'
            yield (
                f'<li class="{hop.status.value}"><b>{HOP_MARKS[hop.status]} '
                f"{self.say(HOP_NAMES[hop.hop])}</b> <span>{detail}</span></li>"
            )
        yield "</ol>"

    def _finding(self, number: int, finding: Finding, section: Section) -> Iterator[str]:
        yield f'<article class="{finding.severity.word}">'
        code = f'<span class="code">{escape(finding.code)}</span>'
        yield f"<h3>{number}. {self.say(finding.title)} {code}</h3>"
        yield f'<p class="kind">{self.say(kind_of(finding, section))}</p>'
        for paragraph in self._speech.block(finding.explanation).split("\n"):
            if paragraph.strip():
                yield f"<p>{escape(paragraph)}</p>"
        if finding.evidence:
            yield "<dl>"
            for one in finding.evidence:
                place = f'<br><span class="quiet">{self.say(one.location)}</span>'
                told = f"<code>{self.say(one.value)}</code>{place if one.location else ''}"
                yield f"<dt>{self.say(one.source)}</dt><dd>{told}</dd>"
            yield "</dl>"
        for fix in finding.fixes:
            state = _("Fix, proved:") if fix.proved else _("Fix:")
            yield f"<p><b>{self.say(state)}</b> {self.say(fix.title)}</p>"
            if fix.preview.strip():
                yield self._block(self._speech.block(fix.preview), diff=True)
        yield "</article>"

    def _block(self, text: str, diff: bool = False) -> str:
        colours = {"+": "add", "-": "cut"} if diff else {}
        lines = []
        for line in text.strip("\n").split("\n"):
            colour = colours.get(line[:1])
            lines.append(
                f"<span{f' class={colour}' if colour else ''}>{escape(line) or ' '}</span>"
            )
        return f"<pre>{''.join(lines)}</pre>"

    def _folded(self, findings: tuple[Finding, ...]) -> str:
        count = self.say(_("{n} consequences", n=len(findings)))
        items = "".join(f"<li>{self.say(follows(finding))}</li>" for finding in findings)
        return f"<details><summary>{count}</summary><ul>{items}</ul></details>"

    def _cases(self, cases: tuple[Case, ...]) -> str:
        rows = "".join(
            f'<tr><td class="outcome {_COLOURS[case.outcome]}">{CASE_MARKS[case.outcome]} '
            f"{self.say(_('{outcome}', outcome=case.outcome.value))}</td>"
            f"<td>{self.say(case.title)}</td><td>{self.say(case.message)}</td></tr>"
            for case in cases
        )
        return f'<table class="stack"><tbody>{rows}</tbody></table>'

    def _rest(self, section: Section) -> Iterator[str]:
        if section.untested:
            what = "; ".join(self._speech.line(text) for text in section.untested)
            yield f'<p class="quiet">{self.say(_("Not tested: {what}.", what=what))}</p>'
        if section.settings:
            rows = "".join(
                f"<tr><td>{self.say(one.name)}</td><td><code>{self.say(one.value)}</code></td>"
                f"<td>{self.say(one.origin)}</td></tr>"
                for one in section.settings
            )
            head = "".join(
                f"<th>{self.say(text)}</th>" for text in (_("setting"), _("value"), _("from"))
            )
            yield f"<details><summary>{self.say(_('The settings examined'))}</summary>"
            yield f'<table class="stack"><thead><tr>{head}</tr></thead>'
            yield f"<tbody>{rows}</tbody></table></details>"
        if section.cases:
            counts = ", ".join(self.say(text) for text in tally(section.cases))
            if section.listed:
                yield f'<p class="quiet">{counts}.</p>'
                return
            worst_first = sorted(section.cases, key=lambda c: _ORDER.index(c.outcome))
            lines = tuple(
                Case(c.id, c.group, f"{c.id} {c.title}", c.outcome, c.ms, c.message)
                for c in worst_first
            )
            table = self._cases(lines)
            yield f'<details class="record"><summary>{counts}</summary>{table}</details>'


_ORDER = (
    Outcome.FAIL,
    Outcome.ERROR,
    Outcome.UNTESTED,
    Outcome.WAIVED,
    Outcome.PASS,
    Outcome.SKIPPED,
)
