"""Setups of real life with which nothing is wrong: not one finding, and exit code 0."""

from __future__ import annotations

from pathlib import Path

import pytest

from doctor.demo import scenarios

from .backstage import Backstage
from .conftest import Certified
from .healthy import SETUPS, Scene
from .machine import Machine, Ran

DEMOS = [scenario.name for scenario in scenarios.scenarios() if scenario.healthy]


def assert_silent(ran: Ran, *, targets: int = 1, completes: bool = True) -> None:
    report = ran.report
    assert [(f["code"], f["title"]) for f in report["findings"]] == []
    assert ran.code == 0, ran.err
    assert len(report["targets"]) == targets
    for target in report["targets"]:
        assert target["diagnosis"]["root_causes"] == []
        before = target["diagnosis"]["before"]
        assert before is not None
        assert before["answered"]
        assert target["verdicts"]["model_answers"] is (True if completes else None)
        assert "broken" not in [hop["status"] for hop in target["path"]]
    troubled = [c for c in report["checks"] if c["status"] in ("crashed", "timeout")]
    assert troubled == []


@pytest.mark.parametrize("name", [*SETUPS])
def test_a_healthy_setup_is_silent(
    name: str, machine: Machine, stage: Backstage, certified: Certified, bundle: Path
) -> None:
    setup = SETUPS[name]
    typed = setup.build(Scene(machine, stage, certified, bundle)) or ()

    ran = machine.check(*typed)

    assert_silent(ran, targets=setup.targets, completes=setup.completes)
    assert len(ran.report["notes"]) == setup.notes


@pytest.mark.parametrize("name", DEMOS)
def test_a_healthy_demo_is_silent(name: str, machine: Machine) -> None:
    ran = machine.run("demo", name, "--format", "json", "--fail-on", "info")

    assert_silent(ran)


# Only a completion shows that these are well.
SEEN_BY_AN_ANSWER = {
    "--offline": {"loopback_through_a_proxy_that_looks_on"},
    "--no-spend": {
        "refused_once_then_served",
        "list_forbidden",
        "list_a_page",
        "list_of_other_models",
        "list_of_two_thousand_others",
    },
}


@pytest.mark.parametrize(
    ("flag", "name"),
    [
        (flag, name)
        for flag, needed in SEEN_BY_AN_ANSWER.items()
        for name in SETUPS
        if name not in needed
    ],
)
def test_nor_is_one_suspected_by_its_settings_alone(
    flag: str, name: str, machine: Machine, stage: Backstage, certified: Certified, bundle: Path
) -> None:
    """What was not tested is unknown, and not sick."""
    typed = SETUPS[name].build(Scene(machine, stage, certified, bundle)) or ()

    ran = machine.check(*typed, flag)

    assert [(f["code"], f["title"]) for f in ran.report["findings"]] == []
    assert ran.code == 0
