"""A checklist judged against a scenario of the demo, as the command does it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from doctor.checklists.own import read_own
from doctor.cli import build_parser
from doctor.commands.checklist import gate
from doctor.demo import scenarios
from doctor.demo.stage import staged
from doctor.secrets import Redactor


@dataclass(frozen=True)
class Ran:
    code: int
    out: str
    err: str


Gates = Callable[..., Awaitable[Ran]]


@pytest.fixture
def gates(capsys: pytest.CaptureFixture[str]) -> Gates:
    """``gates(scenario, list, *arguments, toml="")``: ``toml`` is the working folder's
    kvdoctor.toml."""

    async def run(scenario: str, name: str, *arguments: str, toml: str = "") -> Ran:
        async with staged(scenarios.find(scenario)) as stage:
            if toml:
                (Path(stage.environment.cwd) / "kvdoctor.toml").write_text(toml, "utf-8")
            typed = ["checklist", name, *stage.arguments, *arguments]
            options = build_parser("checklist").parse_args(typed)
            own = read_own(stage.environment)
            code = await gate(options, stage.environment, own, Redactor())
        said = capsys.readouterr()
        return Ran(code, said.out, said.err)

    return run
