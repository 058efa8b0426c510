"""What is left out, with its reason; and decisions that do nothing are told."""

from __future__ import annotations

import datetime

from doctor.ignoring import idle, leave_out
from doctor.models import Diagnosis, Finding
from doctor.settings.ignore import IgnoreRule

TODAY = datetime.date(2026, 11, 29)
FINDINGS = (
    Finding(title="plain http", explanation="", code="KVD117", target="lab"),
    Finding(title="sources disagree", explanation="", code="KVD110", target="lab",
            explained_by="KVD117"),
)  # fmt: skip
DIAGNOSIS = Diagnosis(root_causes=("KVD117",), summary="")


def rule(code: str = "KVD117", **more: object) -> IgnoreRule:
    return IgnoreRule(code, "the lab network is ours", path="kvdoctor.toml", line=7, **more)  # type: ignore[arg-type]


def test_a_finding_is_left_out_with_its_reason_and_its_consequence_stands_alone() -> None:
    kept = leave_out(DIAGNOSIS, FINDINGS, [rule(subject="la*")], "lab", TODAY)

    assert [(f.code, f.explained_by) for f in kept.findings] == [("KVD110", None)]
    assert [(one.code, one.reason) for one in kept.ignored] == [
        ("KVD117", "the lab network is ours")
    ]
    assert kept.diagnosis.root_causes == ()


def test_a_rule_for_another_target_or_of_yesterday_leaves_out_nothing() -> None:
    for one in (rule(subject="shop"), rule(until=TODAY - datetime.timedelta(days=1))):
        assert leave_out(DIAGNOSIS, FINDINGS, [one], "lab", TODAY).findings == FINDINGS


def test_a_rule_holds_on_its_last_day() -> None:
    assert leave_out(DIAGNOSIS, FINDINGS, [rule(until=TODAY)], "lab", TODAY).ignored


def test_rules_that_do_nothing_are_told_with_their_place() -> None:
    rules = [rule("KVD301"), rule(until=datetime.date(2026, 1, 1))]

    assert [str(note) for note in idle(rules, (), TODAY)] == [
        "kvdoctor.toml:7: the ignore of KVD301 left out nothing",
        "kvdoctor.toml:7: the ignore of KVD117 ended on 2026-01-01",
    ]
