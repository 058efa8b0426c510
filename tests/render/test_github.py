"""Workflow commands: one per finding, and none that others wrote."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doctor.models import Evidence
from doctor.render.github import command

from .sample import broken_report, healthy_report, with_text, written

ORDERS = (
    "a\n::error::made up",
    "a\r\n::set-env name=PATH::made up",
    "##[error]made up",
    "##vso[task.setvariable variable=PATH]/made/up",
    "x,file=/etc/passwd,line=1::y",
    "100%0A::error::made up",
)
_COMMAND = re.compile(r"::(error|warning|notice)(?: (title=[^,:]*|file=[^,:]*|line=\d+|,)*)?::.*")


def commands(text: str) -> list[str]:
    """The lines that the runner obeys, as it finds them: ``::`` after blanks."""
    return [line for line in re.split(r"\r\n|\r|\n", text) if line.lstrip().startswith("::")]


def test_each_finding_is_one_command_worst_first() -> None:
    report = broken_report()
    text = written(report, "github")
    shown = [finding for finding in report.findings if finding.explained_by is None]
    levels = [line[2:].split(" ")[0] for line in commands(text)]

    assert len(levels) == len(shown)
    assert levels == sorted(levels, key=["error", "warning", "notice"].index)
    assert "::error title=KVD102 The key ends in a line break::" in text


@pytest.mark.parametrize("text", ORDERS)
def test_others_order_nothing(text: str) -> None:
    report = with_text(text)
    document = written(report, "github")
    shown = [finding for finding in report.findings if finding.explained_by is None]

    # One more for the note.
    assert len(commands(document)) == len(shown) + 1
    assert all(_COMMAND.fullmatch(line) for line in commands(document))
    for line in commands(document):
        properties = line[2:].partition("::")[0].partition(" ")[2]
        assert {pair.partition("=")[0] for pair in properties.split(",")} <= {"title", ""}
    assert not re.search(r"##\w*\[", document)


@given(st.text(), st.text())
def test_a_command_is_one_line_whatever_is_in_it(title: str, message: str) -> None:
    line = command("error", {"title": title}, message)

    assert "\n" not in line
    assert "\r" not in line
    head, _, data = line.removeprefix("::error title=").partition("::")
    assert not set(head) & set(":,")
    assert data.replace("%25", "").count("%") == data.count("%0A") + data.count("%0D")


def test_a_line_of_a_file_is_marked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text("OPENAI_API_KEY=x\n")
    report = broken_report()
    finding = dataclasses.replace(
        report.findings[0], evidence=(Evidence("key", "OPENAI_API_KEY, .env:3", "x"),)
    )
    target = dataclasses.replace(report.targets[0], findings=(finding,))
    text = written(dataclasses.replace(report, targets=(target,)), "github")

    assert "::error file=.env,line=3,title=" in text


@pytest.mark.parametrize("location", ["127.0.0.1:7890", "~/.zshrc:41", "/etc/passwd:1", "../x:1"])
def test_what_is_no_file_of_the_project_is_not(location: str) -> None:
    report = broken_report()
    finding = dataclasses.replace(report.findings[0], evidence=(Evidence("x", location, "y"),))
    target = dataclasses.replace(report.targets[0], findings=(finding,))
    text = written(dataclasses.replace(report, targets=(target,)), "github")

    assert "file=" not in text.split("::")[1]


def test_a_healthy_run_orders_nothing() -> None:
    text = written(healthy_report(), "github")

    assert commands(text) == []
    assert text == "kvdoctor check: 0 of 0 findings at or above error.\n"
