"""Our reading of env files against the library itself."""

from __future__ import annotations

import importlib.metadata
import logging
import os
import tempfile
from pathlib import Path

import pytest
from dotenv.main import DotEnv
from hypothesis import given, settings
from hypothesis import strategies as st

from doctor.settings.envreaders import python_dotenv

INSTALLED_IS_NEW = tuple(
    int(part) for part in importlib.metadata.version("python-dotenv").split(".")[:3]
) >= (1, 2, 3)

PIECES = st.sampled_from(
    (
        *("A", "B", "C=", "AB=", "export ", "=", " ", "\n", "\r\n", "\r", '"', "'", "#", "\\"),
        *("$", "${A}", "$B", "${C:-x}", "${OUTER}", "x", "sk-1", "\t", "é", ":", "\\n", " # c"),
        *('\\"', "https://h/v1", "\ufeff"),
    )
)


def library(text: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    monkeypatch.setenv("OUTER", "outer")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / ".env"
        path.write_text(text, "utf-8", newline="")
        found = DotEnv(path, encoding="utf-8", override=False).dict()
    return {name: value for name, value in found.items() if value is not None}


def ours(text: str, environment: dict[str, str], *, new: bool) -> dict[str, str]:
    reading = python_dotenv.read(text, environment, since_1_2_3=new)
    return {found.name: found.value for found in reading.assignments}


@settings(max_examples=600, deadline=None)
@given(st.lists(PIECES, max_size=14).map("".join))
def test_agrees_with_the_library(text: str) -> None:
    logging.getLogger("dotenv").setLevel(logging.CRITICAL)
    with pytest.MonkeyPatch.context() as patch:
        expected = library(text, patch)
        environment = dict(os.environ)
    assert ours(text, environment, new=INSTALLED_IS_NEW) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A=b\n", {"A": "b"}),
        ("A=b", {"A": "b"}),
        ("export A=b\n", {"A": "b"}),
        ("A = b\n", {"A": "b"}),
        ('A="b c"\n', {"A": "b c"}),
        ("A='b # c'\n", {"A": "b # c"}),
        ("A=b # c\n", {"A": "b"}),
        ("A=b#c\n", {"A": "b#c"}),
        ('A="b" # c\n', {"A": "b"}),
        ("A=\n", {"A": ""}),
        ("A\n", {}),
        ("A: b\n", {}),
        ('A="b\nc"\nD=e\n', {"A": "b\nc", "D": "e"}),
        ('A="b\nD=e\n', {"D": "e"}),
        ("A=b\r\nC=d\r\n", {"A": "b", "C": "d"}),
        ("A=b\nB=${A}c\n", {"A": "b", "B": "bc"}),
        ("A=${NOWHERE:-b}\n", {"A": "b"}),
        ('A="C:\\new"\n', {"A": "C:\new"}),
        ("A=C:\\new\n", {"A": "C:\\new"}),
        ("A=b\nA=c\n", {"A": "c"}),
        ("“A”=b\n", {"“A”": "b"}),
        ("A=“b”\n", {"A": "“b”"}),
    ],
)
@pytest.mark.parametrize("new", [False, True])
def test_rules_that_never_changed(text: str, expected: dict[str, str], new: bool) -> None:
    assert ours(text, {}, new=new) == expected


def test_a_bom_is_part_of_the_first_name_before_1_2_3() -> None:
    assert ours("\ufeffA=b\n", {}, new=False) == {"\ufeffA": "b"}
    assert ours("\ufeffA=b\n", {}, new=True) == {"A": "b"}


def test_a_comment_is_the_value_before_1_2_3() -> None:
    assert ours("A= # optional\n", {}, new=False) == {"A": "# optional"}
    assert ours("A= # optional\n", {}, new=True) == {"A": ""}


def test_line_numbers_are_those_of_the_statement() -> None:
    reading = python_dotenv.read('# c\n\nA="b\nc"\nD=e\n', {})
    assert [(found.name, found.line) for found in reading.assignments] == [("A", 3), ("D", 5)]
