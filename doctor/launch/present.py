"""Judged lines as text for people: the verdict, the findings, the corrected line."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from doctor.launch.hidden import masked
from doctor.launch.judging import Judged
from doctor.models import Finding, Severity
from doctor.render.hopnames import SEVERITY_NAMES
from doctor.render.lines import Lines
from doctor.text import Text, _
from doctor.untrusted import harmless, visible


def present(out: Lines, judged: Sequence[Judged], file: str | None, notes: Sequence[str]) -> None:
    """``file`` is the name of the file that was read; its corrections are shown as a diff."""
    for number, one in enumerate(judged):
        if number:
            out.line("")
        _line(out, one, several=len(judged) > 1)
    corrections(out, judged, file)
    for note in notes:
        out.wrap(_("Note: {note}", note=note))


def _line(out: Lines, one: Judged, *, several: bool) -> None:
    launch = one.launch
    name = f"{launch.place} ({launch.id})" if several else launch.place
    out.wrap(
        _(
            "{name}: judged for vLLM {version} ({origin}).",
            name=visible(name),
            version=visible(launch.version.text),
            origin=launch.version.origin,
        )
    )
    out.wrap(_verdict(one))
    for number, finding in enumerate(one.findings, 1):
        out.line("")
        _finding(out, number, finding)
    if one.findings:
        out.line("")
    for note in one.notes:
        out.wrap(_("Note: {note}", note=note))
    rest = [f.code for f in one.corrected.left if f.severity >= Severity.ERROR]
    if rest:
        out.wrap(_("Not corrected: {codes}. See above.", codes=", ".join(dict.fromkeys(rest))))


def _verdict(one: Judged) -> Text:
    errors = sum(finding.severity >= Severity.ERROR for finding in one.findings)
    others = len(one.findings) - errors
    if errors:
        return _(
            "vLLM would not start as it is meant: {errors} to mend, {others} more to know.",
            errors=errors,
            others=others,
        )
    if others:
        return _("vLLM takes it. {others} to know.", others=others)
    return _("vLLM takes it. Nothing to report.")


def _finding(out: Lines, number: int, finding: Finding) -> None:
    mark = out.say(SEVERITY_NAMES[finding.severity])
    place = finding.evidence[0].location if finding.evidence else ""
    head = f"{number}. {finding.code}  {out.say(finding.title)}  ({mark})"
    out.wrap(f"{head}   {out.flat(place)}" if place else head, hang=4)
    out.wrap(finding.explanation, indent=3)
    for evidence in finding.evidence:
        out.wrap(f"{out.say(evidence.source)}: {out.flat(evidence.value)}", indent=3, hang=2)


def corrections(out: Lines, judged: Sequence[Judged], file: str | None) -> None:
    """The text once, with the corrections of all its lines; apart what cannot be put into it."""
    changed = [one for one in judged if one.corrected.edits]
    inside = [one for one in changed if one.corrected.in_place]
    if inside:
        first = inside[0]
        before, after = first.launch.text, first.corrected.text
        for one in inside:
            before, after = masked(one.launch, before), masked(one.launch, after)
        out.line("")
        out.wrap(_("Corrected:"))
        if file is not None:
            for line in unified(before, after, file):
                out.line(out.say(line))
        else:
            _block(out, after)
    for one in changed:
        if not one.corrected.in_place:
            out.line("")
            name = visible(one.launch.id)
            out.wrap(_("Corrected, {name} (its text cannot be edited as it stands):", name=name))
            _block(out, masked(one.launch, one.corrected.text))


def _block(out: Lines, text: str) -> None:
    out.line("")
    for line in harmless(text.strip("\n"), 1_000_000).split("\n"):
        out.line(line)


def unified(before: str, after: str, name: str) -> list[str]:
    """A unified diff, its lines harmless."""
    lines = difflib.unified_diff(
        before.splitlines(), after.splitlines(), name, name, lineterm="", n=2
    )
    return [visible(line, 10_000) for line in lines]
