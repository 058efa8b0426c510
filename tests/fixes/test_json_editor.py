"""JSON and JSONC: the value changes, every other byte stays."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doctor.fixes.editors import edit
from doctor.fixes.refusal import RefusedEdit
from doctor.fixes.steps import Format
from tests.fixes.strategies import COMMENTS, HARD_TEXT, KEY, LINE_ENDS, NAMES, NEW_VALUES, set_step

SCALARS = st.one_of(HARD_TEXT, NEW_VALUES, st.integers(-5, 10**9), st.booleans(), st.none())
DATA = st.dictionaries(
    NAMES,
    st.recursive(
        SCALARS,
        lambda inner: st.one_of(
            st.lists(inner, max_size=3), st.dictionaries(NAMES, inner, max_size=3)
        ),
        max_leaves=8,
    ),
    min_size=1,
    max_size=4,
)


@st.composite
def gaps(draw: st.DrawFn, end: str) -> str:
    """Blanks and comments as they may stand between two tokens."""
    kind = draw(st.integers(0, 5))
    comment = draw(COMMENTS).replace("*/", "")
    return {
        0: "",
        1: " ",
        2: f"{end}  ",
        3: f" /* {comment} */ ",
        4: f" // {comment}{end}\t",
        5: f"{end}{end}",
    }[kind]


@st.composite
def jsonc(draw: st.DrawFn) -> tuple[str, Any]:
    """A text and its data."""
    end = draw(LINE_ENDS)
    gap = gaps(end)
    trailing = draw(st.booleans())

    def render(value: Any) -> str:
        if isinstance(value, dict):
            members = [
                f"{draw(gap)}{string(key)}{draw(gap)}:{draw(gap)}{render(inner)}{draw(gap)}"
                for key, inner in value.items()
            ]
            return "{" + joined(members) + "}"
        if isinstance(value, list):
            return "[" + joined([f"{draw(gap)}{render(v)}{draw(gap)}" for v in value]) + "]"
        return string(value) if isinstance(value, str) else json.dumps(value)

    def string(text: str) -> str:
        return json.dumps(text, ensure_ascii=draw(st.booleans()))

    def joined(parts: list[str]) -> str:
        comma = "," if trailing and parts and draw(st.booleans()) else ""
        return ",".join(parts) + comma + (draw(gap) if not parts or comma else "")

    data = draw(DATA)
    bom = "\ufeff" if draw(st.booleans()) else ""
    return f"{bom}{draw(gap)}{render(data)}{draw(gap)}", data


def leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[tuple[Any, ...], Any]]:
    if isinstance(value, dict):
        return [leaf for key, inner in value.items() for leaf in leaves(inner, (*path, key))]
    if isinstance(value, list):
        return [leaf for i, inner in enumerate(value) for leaf in leaves(inner, (*path, i))]
    return [(path, value)]


def parsed(text: str) -> Any:
    """By ``json`` itself, once comments and trailing commas are gone."""
    text = text.removeprefix("\ufeff")
    token = re.compile(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
    text = token.sub(lambda m: m.group() if m.group()[0] == '"' else " ", text)
    comma = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])', re.DOTALL)
    return json.loads(comma.sub(lambda m: m.group(1) or "", text))


def with_value(data: Any, path: tuple[Any, ...], value: Any) -> Any:
    if not path:
        return value
    copy: Any = dict(data) if isinstance(data, dict) else list(data)
    copy[path[0]] = with_value(copy[path[0]], path[1:], value)
    return copy


@settings(deadline=None, max_examples=120)
@given(jsonc(), st.data(), st.one_of(NEW_VALUES, HARD_TEXT))
def test_one_string_changes_and_nothing_else(
    drawn: tuple[str, Any], data: st.DataObject, new: str
) -> None:
    text, value = drawn
    strings = [(path, leaf) for path, leaf in leaves(value) if isinstance(leaf, str)]
    if not strings:
        return
    path, old = data.draw(st.sampled_from(strings))

    made = edit(text, set_step(path, old, new, Format.JSON))
    after = made.applied(text)

    assert parsed(after) == with_value(value, path, new)
    assert after[: made.start] == text[: made.start]
    assert after[made.start + len(made.text) :] == text[made.end :]
    assert json.loads(text[made.start : made.end]) == old


@settings(deadline=None)
@given(jsonc(), st.data())
def test_a_number_stays_a_number(drawn: tuple[str, Any], data: st.DataObject) -> None:
    text, value = drawn
    numbers = [(p, v) for p, v in leaves(value) if isinstance(v, int) and not isinstance(v, bool)]
    if not numbers:
        return
    path, old = data.draw(st.sampled_from(numbers))

    after = edit(text, set_step(path, old, 8192, Format.JSON)).applied(text)

    assert parsed(after) == with_value(value, path, 8192)


@settings(deadline=None)
@given(jsonc(), st.data())
def test_a_member_is_removed_or_left_alone_whole(
    drawn: tuple[str, Any], data: st.DataObject
) -> None:
    text, value = drawn
    path, old = data.draw(st.sampled_from(leaves(value) or [(("none",), None)]))
    if old is None or isinstance(old, dict | list):
        return
    try:
        after = edit(text, set_step(path, old, None, Format.JSON)).applied(text)
    except RefusedEdit:
        return  # a comment swallows what stands behind it

    remaining = parsed(after)
    parent: Any = value
    for part in path[:-1]:
        parent, remaining = parent[part], remaining[part]
    assert len(remaining) == len(parent) - 1


def test_a_number_in_quotes_stays_in_quotes() -> None:
    text = '{"max_tokens": "65536"}'

    after = edit(text, set_step(("max_tokens",), 65536, 8192, Format.JSON)).applied(text)

    assert after == '{"max_tokens": "8192"}'


def test_a_line_of_settings_goes_with_its_comma() -> None:
    text = '{\n  "env": {\n    "A": "1", // one\n    "B": "two"\n  }\n}\n'

    after = edit(text, set_step(("env", "B"), "two", None, Format.JSON)).applied(text)

    assert after == '{\n  "env": {\n    "A": "1" // one\n  }\n}\n'


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ('{"a": }', 1),
        ('{"a": 1\n"b": 2}', 2),
        ("{'a': 1}", 1),
        ('{"a": "open}', 1),
        ('{"a": 1} {', 1),
        ("", 1),
        ('{"a": NaN2}', 1),
    ],
)
def test_what_is_no_json_is_refused_with_the_line(text: str, line: int) -> None:
    with pytest.raises(RefusedEdit) as caught:
        edit(text, set_step(("a",), "1", "2", Format.JSON))

    assert caught.value.line == line


def test_another_value_than_expected_is_refused() -> None:
    with pytest.raises(RefusedEdit, match="does not hold the value"):
        edit('{"key": "other"}', set_step(("key",), KEY, "new", Format.JSON))


def test_a_key_that_stands_twice_is_refused() -> None:
    text = '{"env": {"A": "1"}, "env": {"A": "1"}}'

    with pytest.raises(RefusedEdit, match="more than once"):
        edit(text, set_step(("env", "A"), "1", "2", Format.JSON))
