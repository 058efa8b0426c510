"""``kvdoctor.explain/1``: symptoms with ranked causes, findings in the shape of a report's."""

from __future__ import annotations

from typing import Any

from doctor.codes import SLUGS
from doctor.docpages import sections
from doctor.explain.rank import Ranked
from doctor.explain.read import Seen
from doctor.models import Applicability, Confidence, Evidence, Finding, Fix, Severity
from doctor.registry import Registry
from doctor.render.document import finding_document, tool
from doctor.text import Text, _, joined
from doctor.untrusted import visible

SCHEMA = "kvdoctor.explain/1"
_SURE, _LIKELY = 0.8, 0.5


def explain_document(
    seen: tuple[Seen, ...], findings: tuple[Finding, ...], engine: dict[str, Any] | None = None
) -> dict[str, Any]:
    """The whole answer as data; ``engine`` only where the text is an engine's log."""
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
                        "changes": [visible(change) for change in cause.changes],
                    }
                    for cause in one.causes
                ],
            }
            for one in seen
        ],
        "findings": [finding_document(finding) for finding in findings],
        **({} if engine is None else {"engine": engine}),
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
        evidence=(Evidence(_("text"), _("line {line}", line=one.line), one.text),),
        severity=Severity.ERROR,
        confidence=confidence,
        code=cause.code,
        slug=SLUGS.get(cause.code, ""),
        target="text",
        hop=check.hop if check is not None else Finding("", "").hop,
        fixes=tuple(
            Fix(
                id=f"{cause.code}-{number}",
                title=title_of(cause.code),
                applicability=Applicability.MANUAL,
                proved=False,
                preview=change,
            )
            for number, change in enumerate(cause.changes, 1)
        ),
    )


def title_of(code: str) -> Text:
    """The slug as words: ``key surrounded by whitespace``."""
    return Text(SLUGS.get(code, code).replace("-", " "))


def how_to_fix(code: str, known: Registry) -> str | None:
    """The section of the check's documentation, None where there is no check yet."""
    check = known.find(code)
    if check is None:
        return None
    for section in sections(check.doc):
        if section.heading == "How to fix":
            return Text(section.text)
    return None
