"""Checklists as data: the built-in ones are sound, mistakes are told with their line."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doctor import registry
from doctor.checklists.read import BUILTIN, builtin, codes_of, of_file, of_text
from doctor.settings.errors import ConfigError

KNOWN = registry.load()


@pytest.mark.parametrize("name", BUILTIN)
def test_a_built_in_list_names_checks_that_exist(name: str) -> None:
    checklist = builtin(name)

    assert checklist.title
    assert checklist.about
    for item in checklist.items:
        if item.checks:
            assert codes_of(item, KNOWN, checklist.place)


@pytest.mark.parametrize("name", BUILTIN)
def test_a_question_is_a_question(name: str) -> None:
    questions = [item.question for item in builtin(name).items if item.question]

    assert questions
    assert all(question.endswith("?") for question in questions)


ITEM = '[[item]]\nid = "a"\ntitle = "A"\n'


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "the checklist has no [[item]]"),
        ("title = 3", "x.toml:1: 'title' must be a string"),
        ("item = 3", "'item' must hold tables"),
        ("titel = ''", "unknown key 'titel'; the nearest is 'title'"),
        (ITEM, "[[item]] needs one of 'checks', 'measure', 'question'"),
        (ITEM + 'question = "?"\nchecks = ["x"]', "needs one of"),
        (ITEM + "checks = [1]", "x.toml:4: 'checks' must hold strings"),
        (ITEM + 'checks = "KVD1"', "'checks' must be a list in brackets"),
        (ITEM + 'measure = "ttft"\nat_most = 1', "the nearest is 'ttft_ms'"),
        (ITEM + 'measure = "ttft_ms"', "needs 'at_least' or 'at_most'"),
        (ITEM + 'question = "?"\nat_most = 1', "'at_most' needs a 'measure'"),
        (ITEM + 'question = "?"\nseverity = "eror"', "the nearest is 'error'"),
        (ITEM + 'question = "?"\nrequired = 1', "'required' must be true or false"),
        ('[[item]]\nid = "A b"\ntitle = "A"\nquestion = "?"', "an id is made of small letters"),
        ('[[item]]\ntitle = "A"\nquestion = "?"', "[[item]] needs 'id'"),
        (2 * (ITEM + 'question = "?"\n'), "x.toml:6: two items have the id 'a'"),
        ("a = [", "x.toml"),
    ],
)
def test_a_mistake_is_told_with_its_place(text: str, told: str) -> None:
    with pytest.raises(ConfigError) as caught:
        of_text(text, "x", "x.toml")

    assert told in str(caught.value)


def test_a_check_that_does_not_exist_is_told() -> None:
    checklist = of_text(ITEM + 'checks = ["credential"]', "x", "x.toml")
    with pytest.raises(ConfigError) as caught:
        codes_of(checklist.items[0], KNOWN, checklist.place)

    assert "x.toml:1: 'credential' is no check, area or slug" in str(caught.value)
    assert "credentials" in str(caught.value)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        of_file(tmp_path / "no.toml")

    assert "no.toml" in str(caught.value)


@given(st.text(max_size=200))
def test_any_text_is_read_or_refused(text: str) -> None:
    with contextlib.suppress(ConfigError):
        of_text(ITEM + text, "x", "x.toml")
