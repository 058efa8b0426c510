"""Findings as lines, for commands whose answer is no run against a server."""

from __future__ import annotations

from collections.abc import Iterable

from doctor.models import Finding
from doctor.render.hopnames import SEVERITY_NAMES
from doctor.render.lines import Lines
from doctor.text import _, joined


def tell_findings(out: Lines, findings: Iterable[Finding]) -> None:
    """Numbered, each with what was seen and what to do."""
    for number, finding in enumerate(findings, 1):
        mark = out.say(SEVERITY_NAMES[finding.severity])
        out.wrap(f"{number}. {finding.code}  {out.say(finding.title)}  ({mark})", hang=4)
        out.wrap(finding.explanation, indent=3)
        for evidence in finding.evidence:
            place = f"{out.flat(evidence.location)}: " if evidence.location else ""
            source = out.say(evidence.source)
            out.wrap(f"{source}: {place}{out.flat(evidence.value)}", indent=3, hang=2)
        for fix in finding.fixes:
            out.wrap(joined(_("Fix:"), fix.title), indent=3)
            for line in out.say(fix.preview).split("\n"):
                out.line(f"     {line}")
        out.line("")
