"""Findings as SARIF 2.1.0 (OASIS standard), for code scanning and the viewers of editors."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from doctor import __version__, registry
from doctor.baseline import fingerprint
from doctor.checkapi import Check
from doctor.models import Finding, Severity
from doctor.render.paper import Speech
from doctor.render.places import place_of
from doctor.render.sheet import Section, Sheet

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_PROJECT = "https://github.com/kvdoctor/kvdoctor"
_LEVELS = {
    Severity.INFO: "note",
    Severity.WARNING: "warning",
    Severity.ERROR: "error",
    Severity.CRITICAL: "error",
}
_HOME = "HOME"


def sarif(sheet: Sheet, speech: Speech) -> str:
    """One run; a consequence of another finding is a result that is suppressed."""
    found = [(f, section) for section in sheet.sections for f in section.findings]
    codes = list(dict.fromkeys(finding.code for finding, _section in found))
    rules = list(_rules(codes, [finding for finding, _section in found], speech))
    document = {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {
                    "driver": {
                        "name": "kvdoctor",
                        "semanticVersion": __version__,
                        "informationUri": _PROJECT,
                        "rules": rules,
                    }
                },
                "automationDetails": {"id": f"kvdoctor/{sheet.command}/"},
                "invocations": [
                    {
                        "executionSuccessful": True,
                        "startTimeUtc": sheet.started_at[:19] + "Z",
                        "toolExecutionNotifications": [
                            {"level": "note", "message": {"text": speech.line(note)}}
                            for note in sheet.notes
                        ],
                    }
                ],
                "originalUriBaseIds": {
                    _HOME: {"description": {"text": "The home folder of who ran it."}}
                },
                "columnKind": "unicodeCodePoints",
                "results": [
                    _result(finding, codes.index(finding.code), section, speech)
                    for finding, section in found
                ],
            }
        ],
    }
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def _rules(
    codes: Iterable[str], findings: Iterable[Finding], speech: Speech
) -> Iterable[dict[str, Any]]:
    known = {check.code: check for check in registry.load().checks}
    slugs = {finding.code: finding for finding in findings}
    for code in codes:
        yield _rule(slugs[code], known.get(code), speech)


def _rule(finding: Finding, check: Check | None, speech: Speech) -> dict[str, Any]:
    rule: dict[str, Any] = {
        "id": finding.code,
        "name": "".join(word.capitalize() for word in finding.slug.split("-")) or finding.code,
    }
    if check is None:
        rule["shortDescription"] = {"text": speech.line(finding.slug.replace("-", " ") or "?")}
        return rule
    doc = inspect.cleandoc(check.doc)
    first = " ".join(doc.split("\n\n", 1)[0].split())
    rule |= {
        "shortDescription": {"text": first},
        "fullDescription": {"text": first},
        "help": {"text": doc},
        "defaultConfiguration": {"level": _LEVELS[check.severity]},
        "properties": {"tags": [check.area], "precision": "high"},
    }
    if finding.code.startswith("KVD"):
        rule["helpUri"] = f"{_PROJECT}/blob/main/docs/rules/{finding.code}.md"
    return rule


def _result(finding: Finding, index: int, section: Section, speech: Speech) -> dict[str, Any]:
    fixes = [f"{speech.line(fix.title)}:\n{speech.block(fix.preview)}" for fix in finding.fixes]
    told = (
        f"{speech.line(finding.title)}.",
        speech.block(finding.explanation),
        *fixes,
    )
    result: dict[str, Any] = {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": _LEVELS[finding.severity],
        "message": {"text": "\n".join(told)},
        "locations": [_location(finding, section, speech)],
        "partialFingerprints": {"kvdoctor/v1": fingerprint(finding)},
        "properties": {
            "target": speech.line(finding.target),
            "confidence": finding.confidence.word,
            "severity": finding.severity.word,
            "evidence": [
                {
                    "source": speech.line(evidence.source),
                    "location": speech.line(evidence.location),
                    "value": speech.line(evidence.value),
                }
                for evidence in finding.evidence
            ],
        },
    }
    if finding.explained_by is not None:
        reason = f"follows from {finding.explained_by}"
        result["suppressions"] = [
            {"kind": "external", "status": "accepted", "justification": reason}
        ]
    return result


def _location(finding: Finding, section: Section, speech: Speech) -> dict[str, Any]:
    """A line of a file where there is one; else what was examined, by name."""
    place = place_of(finding)
    named = {"name": speech.line(section.id), "kind": "resource"}
    location: dict[str, Any] = {"logicalLocations": [named]}
    if place is not None:
        artifact: dict[str, Any] = {"uri": quote(speech.line(place.path))}
        if place.home:
            artifact["uriBaseId"] = _HOME
        location["physicalLocation"] = {
            "artifactLocation": artifact,
            "region": {"startLine": place.line},
        }
    return location
