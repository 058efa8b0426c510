"""Every check is one file with its documentation and its test."""

from __future__ import annotations

from pathlib import Path

import pytest

from doctor import registry
from doctor.checkapi import AREAS, Check
from doctor.codes import SLUGS

ROOT = Path(__file__).parents[2]
SECTIONS = ("What it checks", "Why it matters", "How to fix")

CHECKS = registry.load().checks


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.code)
def test_a_check_is_documented_in_the_fixed_sections(check: Check) -> None:
    missing = [section for section in SECTIONS if section not in check.doc]

    assert not missing


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.code)
def test_a_check_lies_in_its_area_under_its_slug_and_has_a_test(check: Check) -> None:
    name = check.slug.replace("-", "_")

    assert check.module == f"checks.{AREAS[check.code[3]]}.{name}"
    assert (ROOT / "tests" / "checks" / check.area / f"test_{name}.py").is_file()


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.code)
def test_code_and_slug_are_those_of_the_table(check: Check) -> None:
    assert SLUGS[check.code] == check.slug
