"""Reports to be written, with text of others wherever a report can hold it."""

from __future__ import annotations

import dataclasses
import io

from doctor.events import RunFinished
from doctor.models import Evidence, Finding, PathHop, Report, Spending, TargetReport
from doctor.render.base import Look
from doctor.render.choose import FORMATS
from doctor.secrets import Redactor
from doctor.text import Translator
from tests.tui import samples


def broken_report() -> Report:
    """Three root causes, a warning and what follows from them."""
    return _of(samples.broken_report())


def healthy_report() -> Report:
    return _of(samples.healthy_report())


def _of(target: TargetReport) -> Report:
    return Report("2030-01-31T06:22:10+00:00", 1234, (target,), Spending(2, 1, 16))


def written(
    report: Report, name: str, redactor: Redactor | None = None, fail_on: str = "error"
) -> str:
    """``report`` in the format ``name``."""
    out = io.StringIO()
    look = Look(translate=Translator(), fail_on=fail_on)
    FORMATS[name](out, Redactor(), look).handle(RunFinished(report))
    return out.getvalue()


def with_text(text: str) -> Report:
    """A broken report in which ``text`` stands in every place that others can fill."""
    report = broken_report()
    return dataclasses.replace(
        report,
        targets=tuple(_target(target, text) for target in report.targets),
        notes=(text,),
    )


def _target(target: TargetReport, text: str) -> TargetReport:
    return dataclasses.replace(
        target,
        id=text,
        label=text,
        path=tuple(_hop(hop, text) for hop in target.path),
        diagnosis=dataclasses.replace(target.diagnosis, summary=text, proof=text),
        findings=tuple(_finding(finding, text) for finding in target.findings),
        checks=tuple(dataclasses.replace(result, reason=text) for result in target.checks),
        not_tested=(text,),
    )


def _hop(hop: PathHop, text: str) -> PathHop:
    return dataclasses.replace(hop, detail=text)


def _finding(finding: Finding, text: str) -> Finding:
    return dataclasses.replace(
        finding,
        title=text,
        explanation=text,
        evidence=(Evidence(text, text, text),),
        fixes=tuple(dataclasses.replace(fix, title=text, preview=text) for fix in finding.fixes),
    )
