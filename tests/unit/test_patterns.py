"""Patterns that are compiled at their first use, and that every one of them can be."""

from __future__ import annotations

import gc
import importlib
import pkgutil
import re

import pytest

import checks
import doctor
from doctor import token_refusals
from doctor.patterns import Pattern
from doctor.settings.providers import providers


def test_it_finds_what_a_compiled_pattern_finds() -> None:
    text = "one TWO three"
    pattern, compiled = Pattern(r"t(\w+)", re.I), re.compile(r"t(\w+)", re.I)

    def found(match: re.Match[str] | None) -> str | None:
        return match and match.group(1)

    assert found(pattern.search(text)) == found(compiled.search(text)) == "WO"
    assert found(pattern.search(text, 5)) == found(compiled.search(text, 5)) == "hree"
    assert found(pattern.match(text)) is found(compiled.match(text)) is None
    assert found(pattern.match(text, 4)) == found(compiled.match(text, 4)) == "WO"
    assert found(pattern.fullmatch("Tab")) == found(compiled.fullmatch("Tab")) == "ab"
    assert pattern.findall(text) == compiled.findall(text)
    assert [m.span() for m in pattern.finditer(text)] == [m.span() for m in compiled.finditer(text)]
    assert pattern.split(text, 1) == compiled.split(text, 1)
    assert pattern.sub("-", text) == compiled.sub("-", text)
    assert pattern.sub(lambda m: m.group(1), text, 1) == "one WO three"


def test_a_malformed_one_fails_when_it_is_used_and_not_before() -> None:
    pattern = Pattern("(")

    with pytest.raises(re.error):
        pattern.search("")


def test_every_pattern_of_the_program_can_be_compiled() -> None:
    for package in (doctor, checks):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if module.name != "doctor.__main__" and not module.name.startswith("doctor.tui"):
                importlib.import_module(module.name)
    # These make theirs when they are first asked.
    token_refusals.read("")
    providers()

    known = [each for each in gc.get_objects() if isinstance(each, Pattern)]
    assert len(known) > 100
    for pattern in known:
        if pattern.pattern != "(":
            re.compile(pattern.pattern, pattern.flags)
