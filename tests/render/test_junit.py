"""JUnit XML: well formed whatever stands in it, and with the verdicts of the command."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kit import KEY

from .sample import broken_report, healthy_report, with_text, written
from .test_markdown import HOSTILE

# What Ant's schema asks of a suite, in this order of children.
ATTRIBUTES = {
    "name": r"\S.*",
    "timestamp": r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d",
    "hostname": r"\S+",
    "tests": r"\d+",
    "failures": r"\d+",
    "errors": r"\d+",
    "skipped": r"\d+",
    "time": r"\d+\.\d+",
    "package": r"\S+",
    "id": r"\d+",
}


def suite(text: str) -> ET.Element:
    root = ET.fromstring(text)
    assert root.tag == "testsuites"
    (found,) = root
    return found


def assert_valid(found: ET.Element) -> None:
    assert set(found.attrib) == set(ATTRIBUTES)
    for name, pattern in ATTRIBUTES.items():
        assert re.fullmatch(pattern, found.attrib[name], re.DOTALL), name
    tags = [child.tag for child in found]
    cases = found.findall("testcase")
    assert tags == ["properties", *["testcase"] * len(cases), "system-out", "system-err"]
    for case in cases:
        assert set(case.attrib) == {"name", "classname", "time"}
        assert case.attrib["name"] == " ".join(case.attrib["name"].split())
        assert [child.tag for child in case] in ([], ["failure"], ["error"], ["skipped"])
        for child in case:
            if child.tag != "skipped":
                assert set(child.attrib) == {"message", "type"}
    assert int(found.attrib["tests"]) == len(cases)
    for name, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        assert int(found.attrib[name]) == len(found.findall(f"testcase/{tag}"))


def failed(found: ET.Element) -> set[str]:
    cases = found.findall("testcase")
    return {c.attrib["name"][:6] for c in cases if c.find("failure") is not None}


def test_root_causes_fail_and_what_follows_does_not() -> None:
    text = written(broken_report(), "junit")
    found = suite(text)

    assert_valid(found)
    assert failed(found) == {"KVD102", "KVD201", "KVD301"}
    assert KEY not in text


def test_the_threshold_is_that_of_the_command() -> None:
    warnings = suite(written(broken_report(), "junit", fail_on="warning"))
    never = suite(written(broken_report(), "junit", fail_on="never"))

    assert "KVD113" in failed(warnings)
    assert failed(never) == {"KVD102", "KVD201", "KVD301"}


def test_a_healthy_run_fails_nothing() -> None:
    found = suite(written(healthy_report(), "junit"))

    assert_valid(found)
    assert not failed(found)
    assert found.attrib["errors"] == "0"


@pytest.mark.parametrize("text", [*HOSTILE, "]]>", "\x00\x0b\ufffe\ud800", "&amp; \"'"])
def test_text_of_others_stays_text(text: str) -> None:
    assert_valid(suite(written(with_text(text), "junit")))


@given(st.text(max_size=60))
def test_any_text_is_well_formed(text: str) -> None:
    assert_valid(suite(written(with_text(text), "junit")))
