"""What events add up to, with no screen."""

from __future__ import annotations

from dataclasses import replace

from doctor import events as e
from doctor.models import CheckResult, Diagnosis, Status, TargetReport
from doctor.tui.merge import merged
from doctor.tui.rows import FindingRow, FoldRow, rows_of
from doctor.tui.runview import RunView
from doctor.tui.state import State
from tests.tui import samples


def view_of(*events: e.Event) -> RunView:
    view = RunView(lambda: 0.0)
    view.begin(partial=False)
    for event in events:
        view.apply(event)
    return view


def rerun(report: TargetReport, *codes: str, finds: bool) -> TargetReport:
    """The same target after only ``codes`` ran again."""
    found = tuple(f for f in report.findings if f.code in codes) if finds else ()
    return replace(
        report,
        findings=found,
        checks=tuple(
            CheckResult(
                code,
                report.id,
                Status.FINDINGS if finds else Status.PASS,
                1,
                tuple(f for f in found if f.code == code),
            )
            for code in codes
        ),
        diagnosis=Diagnosis((), "alone", before=report.diagnosis.before),
    )


def test_the_oldest_running_check_is_the_one_that_is_waited_for() -> None:
    times = iter([1.0, 2.0, 3.0, 3.5])
    view = RunView(lambda: next(times))
    view.begin(partial=False)
    for code in ("KVD301", "KVD310", "KVD320"):
        view.apply(e.CheckStarted("t", code, "slow"))

    assert view.oldest is not None
    assert view.oldest.code == "KVD301"
    assert view.since(view.oldest) == 2500


def test_while_a_run_goes_on_consequences_are_folded_already() -> None:
    cause = replace(samples.PROXY, explains=("KVD311",))
    effect = replace(samples.FINDINGS[5], explained_by=None)
    view = view_of(
        e.RunStarted((samples.NAME,), 2),
        *(
            e.CheckFinished(
                samples.NAME, CheckResult(f.code, samples.NAME, Status.FINDINGS, 1, (f,))
            )
            for f in (effect, cause)
        ),
    )

    findings = view.targets[samples.NAME].findings
    assert [(f.code, f.explained_by) for f in findings] == [
        ("KVD301", None),
        ("KVD311", "KVD301"),
    ]


def test_a_check_that_runs_again_and_finds_the_same_keeps_its_proof() -> None:
    known = samples.broken_report()

    again = merged(known, rerun(known, "KVD102", finds=True))

    assert again.diagnosis.proved
    assert again.findings == known.findings
    assert {c.code for c in again.checks} == {c.code for c in known.checks}


def test_a_fault_that_is_gone_takes_the_proof_with_it() -> None:
    known = samples.broken_report()

    again = merged(known, rerun(known, "KVD102", finds=False))

    assert not again.diagnosis.proved
    assert "KVD102" not in {f.code for f in again.findings}
    assert "KVD301" in {f.code for f in again.findings}


def test_a_fault_that_only_showed_behind_another_is_not_forgotten() -> None:
    """The check alone passes on the connection as configured: it cannot see that far."""
    known = samples.broken_report()
    hidden = tuple(
        replace(c, status=Status.UNKNOWN, findings=()) if c.code == "KVD201" else c
        for c in known.checks
    )
    known = replace(known, checks=hidden)

    again = merged(known, rerun(known, "KVD201", finds=False))

    assert "KVD201" in {f.code for f in again.findings}
    assert again.diagnosis.proved


def test_a_run_of_some_checks_leaves_the_report_of_the_whole_run() -> None:
    report = samples.broken_report()
    view = view_of(*samples.events_of(report))
    whole = view.report
    part = rerun(report, "KVD102", finds=True)

    view.begin(partial=True)
    for event in samples.events_of(part):
        view.apply(event)
    view.stop()

    assert view.report is whole
    assert [f.code for f in view.targets[samples.NAME].findings] == [
        f.code for f in report.findings
    ]


def test_a_stopped_run_is_not_running() -> None:
    view = view_of(*samples.running_events())

    view.stop()

    assert view.oldest is None
    assert not view.active
    assert not view.targets[samples.NAME].examining


def test_rows_number_the_roots_and_fold_what_follows() -> None:
    report = samples.broken_report()

    rows = rows_of(report.findings, report.diagnosis.root_causes, ())

    shown = [
        (row.number, row.finding.code) if isinstance(row, FindingRow) else ("fold", row.count)
        for row in rows
        if isinstance(row, FindingRow | FoldRow)
    ]
    assert shown == [(1, "KVD301"), ("fold", 4), (2, "KVD102"), (3, "KVD201"), (4, "KVD113")]


def test_what_follows_from_something_folded_stands_under_its_root() -> None:
    root = samples.PROXY
    first = replace(samples.FINDINGS[3], explained_by="KVD301")
    second = replace(samples.FINDINGS[4], explained_by=first.code)

    rows = rows_of((root, first, second), ("KVD301",), {"KVD301"})

    assert [row.finding.code for row in rows if isinstance(row, FindingRow)] == [
        "KVD301",
        first.code,
        second.code,
    ]


def test_one_key_applies_the_whole_repair_or_the_fix_of_a_finding_beside_it() -> None:
    state = State(view_of(*samples.events_of(samples.broken_report())))
    aside = replace(samples.EXPOSED, fixes=samples.KEY_FAULT.fixes)

    assert state.repairable(samples.KEY_FAULT) == ("KVD301", "KVD102", "KVD201")
    assert state.repairable(None) == ("KVD301", "KVD102", "KVD201")
    assert state.repairable(aside) == ("KVD113",)
