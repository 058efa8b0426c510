"""A baseline: what is known is not shown again, what is new is, and the file holds no value."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doctor.baseline import Baseline, BaselineError, dump, fingerprint, load
from doctor.models import Evidence, Finding
from tests.kit import KEY
from tests.tui.samples import broken_report

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "doctor/schemas/baseline-1.json").read_text("utf-8")
)
FINDINGS = broken_report().findings


def kept(path: Path, findings: tuple[Finding, ...]) -> Baseline:
    path.write_text(dump(findings), "utf-8")
    return load(path)


def test_what_is_known_is_not_new(tmp_path: Path) -> None:
    known = kept(tmp_path / "known.json", FINDINGS)

    assert known.new(FINDINGS) == ()


def test_one_more_of_the_same_is_new(tmp_path: Path) -> None:
    known = kept(tmp_path / "known.json", FINDINGS[:1])

    assert known.new((FINDINGS[0], FINDINGS[0])) == (FINDINGS[0],)
    assert known.new(FINDINGS[1:2]) == FINDINGS[1:2]


def moved(finding: Finding, location: str) -> Finding:
    return dataclasses.replace(finding, evidence=(Evidence("x", location, "y"),))


@pytest.mark.parametrize(
    ("before", "after", "same"),
    [
        ("KEY, .env:3", "KEY, .env:40", True),
        ("POST http://127.0.0.1:1234/v1", "POST http://127.0.0.1:5678/v1", True),
        ("127.0.0.1:7890", "127.0.0.1:7891", True),
        (".env:3", ".env.local:3", False),
        ("http://a.example/v1", "http://b.example/v1", False),
    ],
)
def test_lines_and_ports_move(before: str, after: str, same: bool) -> None:
    one, other = (moved(FINDINGS[0], place) for place in (before, after))

    assert (fingerprint(one) == fingerprint(other)) is same


def test_a_consequence_of_something_known_that_is_new_stands_for_itself(tmp_path: Path) -> None:
    follows = dataclasses.replace(FINDINGS[1], explained_by=FINDINGS[0].code)
    known = kept(tmp_path / "known.json", FINDINGS[:1])
    (left,) = known.new((FINDINGS[0], follows))

    assert left.explained_by is None


def test_the_file_holds_no_value(tmp_path: Path) -> None:
    named = moved(FINDINGS[0], f"POST http://me:{KEY}@h.example/v1")
    text = dump((*FINDINGS, named))
    document: dict[str, Any] = json.loads(text)

    jsonschema.Draft202012Validator(SCHEMA).validate(document)
    assert KEY not in text
    assert "me:" not in text


ENTRIES: tuple[Any, ...] = (
    None,
    3,
    [None],
    [{}],
    [{"fingerprint": 3}],
    [{"fingerprint": "a", "count": "b"}],
)
OTHERS = ("", "[]", "{", "[" * 50_000, '{"schema": "kvdoctor.baseline/1"}', '{"schema": "x"}')


@pytest.mark.parametrize(
    "text",
    [*OTHERS, *(json.dumps({"schema": "kvdoctor.baseline/1", "findings": e}) for e in ENTRIES)],
)
def test_another_file_is_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "known.json"
    path.write_text(text, "utf-8")
    with pytest.raises(BaselineError) as caught:
        load(path)

    assert "known.json" in str(caught.value)


@given(st.binary(max_size=80))
def test_any_bytes_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, raw: bytes
) -> None:
    path = tmp_path_factory.mktemp("x") / "known.json"
    path.write_bytes(raw)
    with pytest.raises(BaselineError):
        load(path)
