"""Every case can be solved, and none is solved before."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from doctor.clinic.cases import LEVELS, Case, Task, cases, find, hints
from doctor.clinic.judge import judge, named
from doctor.clinic.sandbox import SandboxError, opened, prepare, serving
from doctor.demo.scenarios import scenarios
from doctor.demo.servers import Servers
from doctor.demo.stage import STARTUP
from doctor.secrets import Redactor

from .learner import mend

MENDED = [case for case in cases() if case.task is Task.MEND]
NAMED = [case for case in cases() if case.task is Task.NAME]


@pytest.mark.parametrize("case", MENDED, ids=lambda case: case.name)
async def test_the_right_values_solve_it_and_nothing_less(case: Case, tmp_path: Path) -> None:
    sandbox = await prepare(case, tmp_path)
    async with contextlib.AsyncExitStack() as stack:
        setup = await case.scenario.build(Servers(stack, sandbox.ports))

        before = await judge(sandbox, Redactor())
        mend(sandbox, setup)
        after = await judge(sandbox, Redactor())

    assert not before.solved
    assert before.symptom
    assert after.solved, after.text


@pytest.mark.parametrize("case", NAMED, ids=lambda case: case.name)
def test_its_code_and_slug_name_it_and_another_does_not(case: Case) -> None:
    (code,) = case.scenario.codes

    assert named(case, code.lower()).solved
    assert named(case, code.removeprefix("KVD")).solved
    assert not named(case, "KVD108").solved
    assert "no code or slug" in named(case, "nonsense").text


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_hints_lead_from_the_direction_to_the_cause(case: Case) -> None:
    first, second, third = hints(case, ("key",))

    assert case.scenario.broken in third
    assert case.scenario.broken not in f"{first} {second}"
    if case.task is Task.NAME:
        assert case.scenario.codes[0] in second
        assert second.count("KVD") >= 3


def test_every_broken_scenario_is_a_case_once_and_every_level_has_some() -> None:
    broken = {scenario.name for scenario in scenarios() if not scenario.healthy}

    assert sorted(case.name for case in cases()) == sorted(broken)
    assert {case.level for case in cases()} == set(LEVELS)
    assert len({case.id for case in cases()}) == len(cases())


async def test_what_was_changed_stays_until_the_case_is_laid_anew(tmp_path: Path) -> None:
    case = find("key-with-bearer")
    startup = (await prepare(case, tmp_path)).home / STARTUP
    startup.write_text("export OPENAI_API_KEY=mine\n")

    again = opened(case, tmp_path)
    assert again is not None
    assert again.environment().variables["OPENAI_API_KEY"] == "mine"

    await prepare(case, tmp_path)
    assert "Bearer" in startup.read_text()


async def test_a_case_whose_servers_are_up_is_judged_by_them(tmp_path: Path) -> None:
    sandbox = await prepare(find("key-with-bearer"), tmp_path)

    async with serving(sandbox) as ours, serving(sandbox) as others:
        assert (ours, others) == (True, False)
        verdict = await judge(sandbox, Redactor())

    assert "401" in verdict.text


async def test_a_port_that_is_taken_is_told_with_the_way_out(tmp_path: Path) -> None:
    case = find("key-with-bearer")
    sandbox = await prepare(case, tmp_path)

    async with contextlib.AsyncExitStack() as stack:
        await case.scenario.build(Servers(stack, sandbox.ports))
        with pytest.raises(SandboxError, match="--reset"):
            async with serving(sandbox):
                pass


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("export OPENAI_BASE_URL=https://elsewhere.example/v1", "elsewhere.example"),
        ("export OPENAI_BASE_URL=elsewhere.example/v1", "elsewhere.example"),
        ("export OPENAI_BASE_URL=http://127.0.0.1:1/v1", "127.0.0.1:1"),
        ("unset OPENAI_BASE_URL", "api.openai.com"),
    ],
)
async def test_nobody_but_the_servers_of_the_case_is_asked(
    line: str, told: str, tmp_path: Path
) -> None:
    sandbox = await prepare(find("key-with-newline"), tmp_path)
    with (sandbox.home / STARTUP).open("a") as file:
        file.write(line + "\n")

    async with serving(sandbox):
        verdict = await judge(sandbox, Redactor())

    assert not verdict.solved
    assert told in verdict.text
    assert "Nobody was asked" in verdict.text


async def test_removing_everything_solves_nothing(tmp_path: Path) -> None:
    sandbox = await prepare(find("key-with-newline"), tmp_path)
    (sandbox.home / STARTUP).unlink()

    async with serving(sandbox):
        verdict = await judge(sandbox, Redactor())

    assert not verdict.solved
    assert "Nothing is configured" in verdict.text


async def test_a_value_that_only_running_would_tell_is_told_with_its_line(tmp_path: Path) -> None:
    sandbox = await prepare(find("key-with-newline"), tmp_path)
    (sandbox.home / STARTUP).write_text("# mine\nexport OPENAI_API_KEY=$(cat key)\n")

    async with serving(sandbox):
        with pytest.raises(SandboxError, match=r"~/.bashrc: line 2 makes OPENAI_API_KEY"):
            await judge(sandbox, Redactor())


@pytest.mark.parametrize(
    "text",
    ["", "[]", "null", '{"ports": ["a"]}', "\x00", '{"scenario": "key-with-bearer", "ports": [0]}'],
)
async def test_a_damaged_state_counts_as_none(text: str, tmp_path: Path) -> None:
    case = find("key-with-bearer")
    sandbox = await prepare(case, tmp_path)
    (sandbox.folder / "case.json").write_text(text)

    assert opened(case, tmp_path) is None


async def test_what_is_not_the_clinics_own_is_not_removed(tmp_path: Path) -> None:
    case = find("key-with-bearer")
    precious = tmp_path / case.id / "precious"
    precious.parent.mkdir()
    precious.write_text("mine")

    with pytest.raises(SandboxError):
        await prepare(case, tmp_path)
    assert precious.read_text() == "mine"
