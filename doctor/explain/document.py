"""``kvdoctor.explain/1``: symptoms with ranked causes, findings in the shape of a report's."""

from __future__ import annotations

import inspect
import re
from typing import Any

from doctor.codes import SLUGS
from doctor.explain.rank import Ranked
from doctor.explain.read import Seen
from doctor.models import Confidence, Evidence, Finding, Severity
from doctor.registry import Registry
from doctor.render.document import finding_document, tool
from doctor.text import _, joined
from doctor.untrusted import visible

SCHEMA = "kvdoctor.explain/1"
_SURE, _LIKELY = 0.8, 0.5


def explain_document(seen: tuple[Seen, ...], findings: tuple[Finding, ...]) -> dict[str, Any]:
    """The whole answer as data."""
    return {
        "schema": SCHEMA,
        "tool": tool(),
        "symptoms": [
            {
                "text": one.text,
                "line": one.line,
                "times": one.times,
                "meaning": visible(one.meaning),
                "causes": [
                    {
                        "code": cause.code,
                        "slug": SLUGS.get(cause.code, ""),
                        "likelihood": round(cause.likelihood, 2),
                        "tell_apart": visible(cause.tell_apart),
                    }
                    for cause in one.causes
                ],
            }
            for one in seen
        ],
        "findings": [finding_document(finding) for finding in findings],
    }


def findings_of(ranked: tuple[Ranked, ...], known: Registry) -> tuple[Finding, ...]:
    """The likely causes as findings; where nothing is likely, the likeliest one."""
    likely = [one for one in ranked if one.cause.likelihood >= _LIKELY] or list(ranked[:1])
    return tuple(_finding(one, known) for one in likely)


def _finding(one: Ranked, known: Registry) -> Finding:
    cause = one.cause
    check = known.find(cause.code)
    parts = [one.meaning, cause.tell_apart]
    if one.here is not None:
        parts.append(_("seen here: {place}", place=one.here))
    if cause.likelihood >= _SURE:
        confidence = Confidence.HIGH
    else:
        confidence = Confidence.MEDIUM if cause.likelihood >= _LIKELY else Confidence.LOW
    return Finding(
        title=title_of(cause.code),
        explanation=joined(*(_("{part}.", part=part) for part in parts)),
        evidence=(Evidence("text", f"line {one.line}", one.text),),
        severity=Severity.ERROR,
        confidence=confidence,
        code=cause.code,
        slug=SLUGS.get(cause.code, ""),
        target="text",
        hop=check.hop if check is not None else Finding("", "").hop,
    )


def title_of(code: str) -> str:
    """The slug as words: ``key surrounded by whitespace``."""
    return SLUGS.get(code, code).replace("-", " ")


def how_to_fix(code: str, known: Registry) -> str | None:
    """The section of the check's documentation, None where there is no check yet."""
    check = known.find(code)
    if check is None:
        return None
    match = re.search(
        r"How to fix\W*\n?(.*?)(?:\n#+ |\n\*\*|\nFix safety|\nReferences|\Z)",
        inspect.cleandoc(check.doc),
        re.DOTALL,
    )
    return " ".join(match.group(1).split()) if match else None
