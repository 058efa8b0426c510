"""Findings that are known already: kept in a file, and left out of what is new.

A finding is the same if its code, its target and the place of its first evidence are; lines move,
and texts hold times and ports, so neither counts. The file can be committed: it holds no value.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any

from doctor import __version__
from doctor.events import CheckFinished, Event, FindingSeen, RunFinished, TargetFinished
from doctor.models import Finding, Report, TargetReport
from doctor.patterns import Pattern
from doctor.records import dataclass
from doctor.secrets import REDACTOR
from doctor.text import _
from doctor.untrusted import visible

SCHEMA = "kvdoctor.baseline/1"
_LINE = Pattern(r":[0-9]+$")
_PORT = Pattern(r"(://[^/\s:]+|^[\w.-]+):[0-9]+")
_LIMIT = 8 * 1024 * 1024


class BaselineError(ValueError):
    """The file is no baseline; the text says which and why."""


def place_kept(finding: Finding) -> str:
    """The place of the first located evidence without what moves: a line, a port."""
    place = next((e.location for e in finding.evidence if e.location), "")
    return visible(REDACTOR(_PORT.sub(r"\1", _LINE.sub("", place))), 200)


def fingerprint(finding: Finding) -> str:
    """32 hexadecimal digits that stay while the finding is the same."""
    parts = (finding.code, finding.target, place_kept(finding))
    return hashlib.sha256("\0".join(parts).encode("utf-8", "replace")).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Baseline:
    """How often each fingerprint is known."""

    known: dict[str, int]
    place: str = ""

    def new(self, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        """Those that are not known. A consequence of something known stands for itself only if it
        is new itself."""
        left = Counter(self.known)
        kept: list[Finding] = []
        gone: set[str] = set()
        for finding in findings:
            mark = fingerprint(finding)
            if left[mark] > 0:
                left[mark] -= 1
                gone.add(finding.code)
            else:
                kept.append(finding)
        gone -= {finding.code for finding in kept}
        return tuple(
            dataclasses.replace(finding, explained_by=None)
            if finding.explained_by in gone
            else finding
            for finding in kept
        )


def dump(findings: Iterable[Finding]) -> str:
    """The file's text."""
    counted: dict[str, dict[str, Any]] = {}
    for finding in findings:
        entry = counted.setdefault(
            fingerprint(finding),
            {
                "code": finding.code,
                "slug": finding.slug,
                "target": visible(finding.target),
                "place": place_kept(finding),
                "count": 0,
            },
        )
        entry["count"] += 1
    entries = [{"fingerprint": mark, **entry} for mark, entry in counted.items()]
    entries.sort(key=lambda entry: (entry["code"], entry["target"], entry["fingerprint"]))
    document = {
        "schema": SCHEMA,
        "tool": {"name": "kvdoctor", "version": __version__},
        "findings": entries,
    }
    return json.dumps(document, indent=2) + "\n"


def load(path: Path) -> Baseline:
    """Read a baseline. Raises ``BaselineError`` and ``OSError``."""
    with path.open("rb") as file:
        raw = file.read(_LIMIT + 1)
    try:
        if len(raw) > _LIMIT:
            raise ValueError("larger than 8 MiB")
        document = json.loads(raw)
        if not isinstance(document, dict) or document.get("schema") != SCHEMA:
            raise BaselineError(f"{path}: not a baseline of schema {SCHEMA}")
        known: Counter[str] = Counter()
        for entry in document["findings"]:
            count = entry.get("count", 1)
            if not isinstance(entry["fingerprint"], str) or not isinstance(count, int):
                raise ValueError("an entry without a fingerprint")
            known[entry["fingerprint"]] += count
    except BaselineError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        reason = visible(str(error), 200)
        raise BaselineError(f"{path}: not a baseline: {type(error).__name__}: {reason}") from None
    return Baseline(dict(known), str(path))


async def only_new(events: AsyncIterator[Event], baseline: Baseline) -> AsyncIterator[Event]:
    """The events of a run without what is known."""
    async for event in events:
        match event:
            case RunFinished():
                yield RunFinished(_report(event.report, baseline))
            case TargetFinished():
                yield TargetFinished(_target(event.report, baseline))
            case CheckFinished():
                findings = baseline.new(event.result.findings)
                yield CheckFinished(
                    event.target, dataclasses.replace(event.result, findings=findings)
                )
            case FindingSeen():
                if baseline.new((event.finding,)):
                    yield event
            case _:
                yield event


def _target(target: TargetReport, baseline: Baseline) -> TargetReport:
    findings = baseline.new(target.findings)
    codes = {finding.code for finding in findings}
    roots = tuple(code for code in target.diagnosis.root_causes if code in codes)
    diagnosis = dataclasses.replace(target.diagnosis, root_causes=roots)
    return dataclasses.replace(target, findings=findings, diagnosis=diagnosis)


def _report(report: Report, baseline: Baseline) -> Report:
    targets = tuple(_target(target, baseline) for target in report.targets)
    hidden = len(report.findings) - sum(len(target.findings) for target in targets)
    notes = report.notes
    if hidden:
        text = _("{n} findings that {place} knows are not shown", n=hidden, place=baseline.place)
        notes = (*notes, text)
    return dataclasses.replace(report, targets=targets, notes=notes)
