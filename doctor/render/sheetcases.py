"""Check results as cases, in the light of what is left of the findings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from doctor.checkapi import AREAS
from doctor.codes import SLUGS
from doctor.models import CheckResult, Finding, Severity, Status
from doctor.render.sheet import Case, Outcome
from doctor.text import Text, _

_OUTCOMES = {
    Status.PASS: Outcome.PASS,
    Status.SKIPPED: Outcome.SKIPPED,
    Status.UNKNOWN: Outcome.UNTESTED,
    Status.TIMEOUT: Outcome.ERROR,
    Status.CRASHED: Outcome.ERROR,
}


def cases_of(
    results: Iterable[CheckResult], findings: Sequence[Finding], threshold: Severity
) -> tuple[Case, ...]:
    """One case for each check that ran, and for each code that only the repair search met."""
    by_code: dict[str, list[Finding]] = {}
    for finding in findings:
        by_code.setdefault(finding.code, []).append(finding)
    cases = [_of_result(result, by_code.get(result.code, ()), threshold) for result in results]
    ran = {case.id for case in cases}
    cases += [
        _found(code, found, threshold, 0) for code, found in by_code.items() if code not in ran
    ]
    return tuple(sorted(cases, key=lambda case: case.id))


def _of_result(result: CheckResult, found: Sequence[Finding], threshold: Severity) -> Case:
    if found:
        return _found(result.code, found, threshold, result.duration_ms)
    if result.status is Status.FINDINGS:
        # On purpose, or because the finding is one of an earlier state of the connection.
        reason: str = _("left out, or not a fault of its own")
        return _case(result.code, Outcome.SKIPPED, result.duration_ms, reason)
    return _case(result.code, _OUTCOMES[result.status], result.duration_ms, result.reason or "")


def _found(code: str, found: Sequence[Finding], threshold: Severity, ms: int) -> Case:
    causes = [finding for finding in found if finding.explained_by is None]
    if not causes:
        text = _("follows from {cause}: {title}", cause=found[0].explained_by, title=found[0].title)
        return _case(code, Outcome.SKIPPED, ms, text)
    worst = max(causes, key=lambda finding: finding.severity)
    failed = worst.severity >= threshold
    return _case(code, Outcome.FAIL if failed else Outcome.PASS, ms, worst.title)


def _case(code: str, outcome: Outcome, ms: int, message: str) -> Case:
    return Case(code, area_of(code), SLUGS.get(code, code), outcome, ms, message)


def area_of(code: str) -> str:
    """The area of a built-in code, else the code's letters."""
    if code.startswith("KVD"):
        return AREAS.get(code[3:4], "other")
    return code.rstrip("0123456789").lower()


def tally(cases: Iterable[Case]) -> list[Text]:
    """``61 passed``, ``70 not applicable``, …: one text per outcome that occurs."""
    number = dict.fromkeys(Outcome, 0)
    for case in cases:
        number[case.outcome] += 1
    texts = {
        Outcome.FAIL: _("{n} failed", n=number[Outcome.FAIL]),
        Outcome.PASS: _("{n} passed", n=number[Outcome.PASS]),
        Outcome.UNTESTED: _("{n} not tested", n=number[Outcome.UNTESTED]),
        Outcome.WAIVED: _("{n} waived", n=number[Outcome.WAIVED]),
        Outcome.ERROR: _("{n} did not end", n=number[Outcome.ERROR]),
        Outcome.SKIPPED: _("{n} not applicable", n=number[Outcome.SKIPPED]),
    }
    return [texts[outcome] for outcome in texts if number[outcome]]
