"""A value that nothing held yet: one line or member more, every other byte as it was."""

from __future__ import annotations

import contextlib
import json
import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

from doctor.fixes.editors import edit
from doctor.fixes.editors.json_add import with_new
from doctor.fixes.refusal import RefusedEdit
from doctor.fixes.steps import EditFile, Format, Operation
from tests.fixes.strategies import HARD_TEXT, NAMES, NEW_VALUES

PATHS = st.lists(NAMES, min_size=1, max_size=3).map(tuple)
VALUES = st.one_of(NEW_VALUES, HARD_TEXT, st.integers(0, 10**9), st.booleans())
DATA = st.dictionaries(
    NAMES, st.one_of(NEW_VALUES, st.dictionaries(NAMES, NEW_VALUES, max_size=2)), max_size=3
)


def adding(at: tuple[str | int, ...], new: Any, format_: Format) -> EditFile:
    return EditFile("/nowhere", "~/nowhere", format_, at, None, None, new, Operation.ADD)


def added(text: str, at: tuple[str | int, ...], new: Any, format_: Format) -> str:
    made = edit(text, adding(at, new, format_))
    # Nothing that stood there goes, but for blanks.
    assert text[made.start : made.end].strip() in made.text
    return made.applied(text)


@given(data=DATA, at=PATHS, new=VALUES, indent=st.sampled_from([None, 2, 4, "\t"]))
def test_json_says_the_new_value_and_all_the_old_ones(
    data: dict[str, Any], at: tuple[str, ...], new: Any, indent: int | str | None
) -> None:
    text = json.dumps(data, indent=indent, ensure_ascii=False)
    try:
        after = added(text, at, new, Format.JSON)
    except RefusedEdit:
        return

    assert json.loads(after) == with_new(data, at, new)


@given(data=DATA, at=PATHS, new=VALUES)
def test_yaml_says_the_new_value_and_all_the_old_ones(
    data: dict[str, Any], at: tuple[str, ...], new: Any
) -> None:
    lines = []
    for name, value in data.items():
        if isinstance(value, dict) and value:
            lines.append(f"{json.dumps(name, ensure_ascii=False)}:")
            lines += [
                f"  {json.dumps(key, ensure_ascii=False)}: {json.dumps(v)}"
                for key, v in value.items()
            ]
        elif not isinstance(value, dict):
            lines.append(f"{json.dumps(name, ensure_ascii=False)}: {json.dumps(value)}  # note")
    text = "\n".join(lines)
    before = YAML(typ="safe", pure=True).load(text) or {}
    try:
        after = added(text, at, new, Format.YAML)
    except RefusedEdit:
        return

    assert YAML(typ="safe", pure=True).load(after) == with_new(before, at, new)
    assert after.count("# note") == text.count("# note")


@given(data=DATA, at=PATHS, new=VALUES)
def test_toml_says_the_new_value_and_all_the_old_ones(
    data: dict[str, Any], at: tuple[str, ...], new: Any
) -> None:
    top = [
        f"{json.dumps(k, ensure_ascii=False)} = {json.dumps(v)}  # note"
        for k, v in data.items()
        if not isinstance(v, dict)
    ]
    tables = []
    for name, value in data.items():
        if isinstance(value, dict):
            tables.append(f"[{json.dumps(name, ensure_ascii=False)}]")
            tables += [
                f"{json.dumps(k, ensure_ascii=False)} = {json.dumps(v)}" for k, v in value.items()
            ]
    text = "\n".join([*top, "", *tables]) + "\n"
    before = tomllib.loads(text)
    try:
        after = added(text, at, new, Format.TOML)
    except RefusedEdit:
        return

    assert tomllib.loads(after) == with_new(before, at, new)
    assert after.count("# note") == text.count("# note")


@given(text=st.text(max_size=60), at=PATHS, new=VALUES, format_=st.sampled_from(list(Format)))
def test_any_text_is_edited_or_refused(
    text: str, at: tuple[str, ...], new: Any, format_: Format
) -> None:
    with contextlib.suppress(RefusedEdit):
        edit(text, adding(at, new, format_)).applied(text)


def test_a_file_without_anything_becomes_a_document() -> None:
    assert added("", ("env", "A"), "b", Format.JSON) == '{\n  "env": {\n    "A": "b"\n  }\n}\n'
    assert added("", ("models", 0, "name"), "b", Format.YAML) == "models:\n  - name: b\n"
    assert added("", ("a", "b.c", "d"), 1, Format.TOML) == '[a."b.c"]\nd = 1\n'
    assert added("", ("A",), "http://h:1/v1", Format.ENV) == "A=http://h:1/v1\n"


def test_comments_and_commas_of_jsonc_stay() -> None:
    text = '{\n  // why\n  "a": {\n    "b": 1, // one\n  },\n}\n'

    assert added(text, ("a", "c"), 2, Format.JSON) == (
        '{\n  // why\n  "a": {\n    "b": 1, // one\n    "c": 2,\n  },\n}\n'
    )
    assert added(text, ("d",), "x", Format.JSON).endswith('  },\n  "d": "x",\n}\n')


def test_strict_json_gets_its_comma_before_a_comment_free_line() -> None:
    assert added('{"a": 1}', ("b",), 2, Format.JSON) == '{"a": 1, "b": 2}'
    assert added('{\n  "a": 1\n}', ("b", "c"), 2, Format.JSON) == (
        '{\n  "a": 1,\n  "b": {\n    "c": 2\n  }\n}'
    )


def test_toml_puts_a_top_key_ahead_of_tables_and_a_member_into_its_table() -> None:
    text = '# mine\nmodel = "a"\n\n[t.x]\nb = 1\n\n[u]\nc = 2\n'

    after = added(text, ("model_provider",), "x", Format.TOML)
    assert after.startswith('# mine\nmodel = "a"\nmodel_provider = "x"\n')
    after = added(after, ("t", "x", "d"), True, Format.TOML)
    assert "[t.x]\nb = 1\nd = true\n\n[u]" in after


def test_a_list_gets_one_more_item() -> None:
    text = "models:\n- name: a\n  roles: [chat]\n# end\n"

    after = added(text, ("models", 1, "name"), "b", Format.YAML)
    assert "- name: b\n" in after
    assert after.endswith("# end\n")
    both = added('{"a": [{"n": 1}]}', ("a", 1, "n"), 2, Format.JSON)
    assert json.loads(both) == {"a": [{"n": 1}, {"n": 2}]}


@pytest.mark.parametrize(
    ("text", "at", "format_"),
    [
        ('{"a": 1}', ("a",), Format.JSON),
        ('{"a": 1}', ("a", "b"), Format.JSON),
        ("a = 1\n", ("a",), Format.TOML),
        ("a = {b = 1}\n", ("a", "c"), Format.TOML),
        ("a: 1\n", ("a",), Format.YAML),
        ("a: {b: 1}\n", ("a", "c"), Format.YAML),
        ("A=1\n", ("A",), Format.ENV),
    ],
)
def test_what_is_there_or_has_no_place_is_refused(
    text: str, at: tuple[str, ...], format_: Format
) -> None:
    with pytest.raises(RefusedEdit):
        edit(text, adding(at, "x", format_))
