"""A sheet as markdown: for issues, wikis and step summaries (CommonMark with GitHub's tables)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from doctor.models import Finding, HopStatus
from doctor.render import markup as m
from doctor.render.hopnames import CONFIDENCE_NAMES, HOP_NAMES, SEVERITY_NAMES
from doctor.render.paper import Speech
from doctor.render.sheet import Case, Outcome, Section, Sheet
from doctor.render.sheetcases import tally
from doctor.text import _, listed

HOP_MARKS = {
    HopStatus.OK: "✓",
    HopStatus.BROKEN: "✗",
    HopStatus.UNKNOWN: "?",
    HopStatus.SKIPPED: "–",
}
CASE_MARKS = {
    Outcome.PASS: "✓",
    Outcome.FAIL: "✗",
    Outcome.ERROR: "✗",
    Outcome.UNTESTED: "?",
    Outcome.WAIVED: "~",
    Outcome.SKIPPED: "–",
}


def markdown(sheet: Sheet, speech: Speech) -> str:
    """The whole document; blocks are parted by empty lines."""
    blocks = [f"# {m.text(speech.line(sheet.title))}"]
    for section in sheet.sections:
        blocks += section_blocks(section, speech)
    footer = [m.text(speech.line(text)) for text in sheet.footer]
    blocks.append(f"{'. '.join((*footer, sheet.when))}.")
    blocks += [m.text(speech.line(_("Note: {note}", note=note))) for note in sheet.notes]
    return "\n\n".join(block for block in blocks if block) + "\n"


def section_blocks(section: Section, speech: Speech) -> Iterator[str]:
    """One target from its heading to what was not tested."""

    def say(text: str) -> str:
        return m.text(speech.line(text))

    yield f"## {say(section.title)}"
    for number, text in enumerate(section.lead):
        yield f"**{say(text)}**" if not number else say(text)
    if section.proof:
        yield say(section.proof)
    yield _path(section, speech)
    if section.listed:
        yield _items(section.cases, speech)
    for number, finding in enumerate(section.shown, 1):
        yield from finding_blocks(number, finding, section, speech)
    if section.folded:
        yield "\n".join(f"- {say(follows(finding))}" for finding in section.folded)
    if section.answer:
        yield m.block(speech.answer(section.answer), "text")
    if section.settings:
        yield _settings(section, speech)
    if section.untested:
        what = "; ".join(speech.line(text) for text in section.untested)
        yield say(_("Not tested: {what}.", what=what))
    if section.cases:
        yield ", ".join(say(text) for text in tally(section.cases)) + "."


def finding_blocks(
    number: int, finding: Finding, section: Section, speech: Speech
) -> Iterator[str]:
    """The heading, what it means, the evidence and the fixes."""
    yield f"### {number}. {finding.code} {m.text(speech.line(finding.title))}"
    yield f"*{m.text(speech.line(kind_of(finding, section)))}*"
    yield m.paragraph(speech.block(finding.explanation))
    evidence: list[str] = []
    for one in finding.evidence:
        place = f", {m.code(speech.line(one.location))}" if one.location else ""
        told = m.code(speech.line(one.value))
        evidence.append(f"- {m.text(speech.line(one.source))}{place}: {told}")
    yield "\n".join(evidence)
    for fix in finding.fixes:
        state = _("Fix, proved:") if fix.proved else _("Fix:")
        yield f"**{m.text(speech.line(state))}** {m.text(speech.line(fix.title))}"
        if fix.preview.strip():
            yield m.block(speech.block(fix.preview), "diff")


def kind_of(finding: Finding, section: Section) -> str:
    """``error, root cause``; a guess is told to be one."""
    words: list[str] = [SEVERITY_NAMES[finding.severity]]
    if finding.code in section.roots:
        words.append(_("root cause"))
    if finding.confidence.word != "high":
        words.append(_("confidence: {confidence}", confidence=CONFIDENCE_NAMES[finding.confidence]))
    return listed(words)


def follows(finding: Finding) -> str:
    """The sentence that a consequence is folded to."""
    return _(
        "Follows from {cause}: {code} {title}",
        cause=finding.explained_by or "",
        code=finding.code,
        title=finding.title,
    )


def _path(section: Section, speech: Speech) -> str:
    rows = []
    for hop in section.path:
        name = m.cell(speech.line(HOP_NAMES[hop.hop]))
        detail = m.cell(speech.line(hop.detail))
        time = "" if hop.ms is None else f"{hop.ms} ms"
        rows.append(f"| {HOP_MARKS[hop.status]} | {name} | {detail} | {time} |")
    return "\n".join(("| | | | |", "|---|---|---|---|", *rows)) if rows else ""


def _items(cases: Iterable[Case], speech: Speech) -> str:
    rows = []
    for case in cases:
        outcome = m.cell(speech.line(_("{outcome}", outcome=case.outcome.value)))
        title, told = m.cell(speech.line(case.title)), m.cell(speech.line(case.message))
        rows.append(f"| {CASE_MARKS[case.outcome]} {outcome} | {title} | {told} |")
    return "\n".join(("| | | |", "|---|---|---|", *rows))


def _settings(section: Section, speech: Speech) -> str:
    rows = [
        f"| {m.cell(value.name)} | {m.cell(speech.line(value.value))} "
        f"| {m.cell(speech.line(value.origin))} |"
        for value in section.settings
    ]
    head = (_("setting"), _("value"), _("from"))
    heads = " | ".join(m.cell(speech.line(text)) for text in head)
    return "\n".join((f"| {heads} |", "|---|---|---|", *rows))
