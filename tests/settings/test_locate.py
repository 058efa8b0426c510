from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doctor.settings.documents import Malformed, parse_json, parse_toml, parse_yaml
from doctor.settings.locate import Path, json_lines, toml_lines

KEYS = st.text(max_size=5)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=12)
    | st.floats(allow_nan=False, allow_infinity=False)
)
JSON = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4)
)


def paths(data: Any, path: Path = ()) -> Iterator[Path]:
    yield path
    if isinstance(data, dict):
        for key, value in data.items():
            yield from paths(value, (*path, key))
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from paths(value, (*path, index))


def value_at(data: Any, path: Path) -> Any:
    for part in path:
        data = data[part]
    return data


@given(JSON, st.booleans())
def test_every_json_value_has_the_line_it_begins_on(data: Any, escaped: bool) -> None:
    text = json.dumps(data, indent=1, ensure_ascii=escaped)
    lines = json_lines(text)
    assert set(lines) == set(paths(data))
    rows = text.split("\n")
    for path, line in lines.items():
        value = value_at(data, path)
        if not isinstance(value, dict | list):
            assert json.dumps(value, ensure_ascii=escaped) in rows[line - 1]


def toml_string(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


TOML_SCALARS = (
    st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.text(st.characters(codec="utf-8"), max_size=12)
)
TABLES = st.dictionaries(
    st.text(st.characters(codec="utf-8"), max_size=5),
    TOML_SCALARS | st.lists(TOML_SCALARS, max_size=3),
    max_size=4,
)


def emit(value: Any) -> str:
    if isinstance(value, str):
        return toml_string(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "[\n" + "".join(f"  {emit(item)}, # c ]\n" for item in value) + "]"
    return str(value)


@given(TABLES, st.lists(TABLES, max_size=3), st.text("\n# x", max_size=4))
def test_every_toml_value_has_the_line_it_begins_on(
    table: dict[str, Any], many: list[dict[str, Any]], gap: str
) -> None:
    out = ["# head", *("#" + part for part in gap.split("\n"))]
    expected: dict[Path, int] = {}

    def pairs(values: dict[str, Any], path: Path) -> None:
        for key, value in values.items():
            expected[(*path, key)] = len(out) + 1
            for index in range(len(value) if isinstance(value, list) else 0):
                expected[(*path, key, index)] = len(out) + 2 + index
            out.extend(f"{toml_string(key)} = {emit(value)}".split("\n"))

    out.append('[one."two three"]')
    pairs(table, ("one", "two three"))
    for index, values in enumerate(many):
        out.append("[[many]]  # c")
        expected[("many", index)] = len(out)
        pairs(values, ("many", index))
    text = "\n".join(out) + "\n"
    document = parse_toml(text)
    assert {path: document.line(path) for path in expected} == expected


def test_toml_in_all_its_forms() -> None:
    text = (
        "a.b.c = 1\n"
        'd = """\nx\n"""\n'
        "e = { f = [1,\n2], 'g h' = '''\n'''''  }\n"
        "i = 2020-01-01T00:00:00Z\n"
        "[j]\nk = 0x1F\n"
        "[[l]]\n[l.m]\nn = 1\n[[l]]\nn = 2\n"
    )
    lines = parse_toml(text).lines
    assert lines["a", "b", "c"] == 1
    assert lines["d",] == 2
    assert lines["e", "f", 1] == 6
    assert lines["e", "g h"] == 6
    assert lines["i",] == 8
    assert lines["j", "k"] == 10
    assert lines["l", 0, "m", "n"] == 13
    assert lines["l", 1, "n"] == 15


@given(st.text())
def test_scanners_never_raise(text: str) -> None:
    json_lines(text)
    toml_lines(text)


def test_json_with_comments_and_trailing_commas() -> None:
    document = parse_json('\ufeff// "a": 1\n{\n "a": "x // y", /* c\n */ "b": [1, 2,],\n}\n')
    assert document.data == {"a": "x // y", "b": [1, 2]}
    assert not document.strict
    assert (document.line(("a",)), document.line(("b", 1))) == (3, 4)


def test_of_a_doubled_json_key_the_later_counts() -> None:
    document = parse_json('{"a": 1,\n"a": 2}')
    assert document.data == {"a": 2}
    assert document.line(("a",)) == 2


def test_yaml_lines_anchors_and_merges() -> None:
    document = parse_yaml("x: &x\n  k: 1\na:\n  <<: *x\n  l:\n    - m: 2\n    - n\n")
    assert document.data["a"]["k"] == 1
    assert document.line(("x", "k")) == 2
    assert document.line(("a", "l", 0, "m")) == 6
    assert document.line(("a", "l", 1)) == 7


def test_a_yaml_bomb_is_harmless() -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    assert parse_yaml("\n".join(lines)).line(("a11",)) == 12


@pytest.mark.parametrize(
    ("parse", "text", "line"),
    [
        (parse_json, '{"a": 1,\n "b" 2}', 2),
        (parse_toml, "a = 1\nb = \nc = 2\n", 2),
        (parse_yaml, "a: 1\nb: c: d\n", 2),
        (parse_yaml, "a: [1\n", 2),
    ],
)
def test_what_does_not_parse_is_told_with_its_line(parse: Any, text: str, line: int) -> None:
    with pytest.raises(Malformed) as raised:
        parse(text)
    assert raised.value.line == line
