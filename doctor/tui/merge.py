"""A target's report after some of its checks were run again."""

from __future__ import annotations

import dataclasses

from doctor.models import Diagnosis, Finding, Status, TargetReport
from doctor.text import _


def merged(known: TargetReport, again: TargetReport) -> TargetReport:
    """``known`` with the checks of ``again`` in the place of their earlier results.

    The proof stays as long as every fault that it mends is still there; one that is gone takes
    the proof with it, for it was about another connection.
    """
    rerun = {result.code for result in again.checks}
    hidden = _hidden(known)
    kept = [
        finding for finding in known.findings if finding.code not in rerun or finding.code in hidden
    ]
    codes = {finding.code for finding in kept}
    titles = {(finding.code, finding.title): finding for finding in known.findings}
    # The same fault as before keeps its proof: alone, a check proves less than all together.
    new = [
        titles.get((finding.code, finding.title), finding)
        for finding in again.findings
        if finding.code not in codes
    ]
    place = {finding.code: n for n, finding in enumerate(known.findings)}
    findings = tuple(sorted((*kept, *new), key=lambda f: place.get(f.code, len(place))))
    return dataclasses.replace(
        again,
        findings=findings,
        checks=tuple(
            sorted(
                (*(r for r in known.checks if r.code not in rerun), *again.checks),
                key=lambda result: result.code,
            )
        ),
        diagnosis=_diagnosis(known, again, findings),
        facts={**known.facts, **again.facts},
    )


def _hidden(known: TargetReport) -> set[str]:
    """Faults that only showed with others out of the way: the check alone cannot see them."""
    found = {r.code for r in known.checks if r.status is Status.FINDINGS}
    return {finding.code for finding in known.findings} - found


def _diagnosis(
    known: TargetReport, again: TargetReport, findings: tuple[Finding, ...]
) -> Diagnosis:
    codes = {finding.code for finding in findings}
    now = again.diagnosis.before
    if now is not None and now.answered:
        return again.diagnosis
    if codes.issuperset(known.diagnosis.root_causes):
        return dataclasses.replace(known.diagnosis, before=now or known.diagnosis.before)
    return Diagnosis(
        root_causes=(),
        summary=_("Something has changed since the repair was proved. A run of all checks tells."),
        before=now,
    )
