"""TOML: the value changes, every other byte stays."""

from __future__ import annotations

import json
import tomllib
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doctor.fixes.editors import edit
from doctor.fixes.refusal import RefusedEdit
from doctor.fixes.steps import Format
from tests.fixes.strategies import COMMENTS, HARD_TEXT, LINE_ENDS, NEW_VALUES, set_step
from tests.fixes.test_json_editor import leaves, with_value


@st.composite
def literals(draw: st.DrawFn, depth: int = 2) -> str:
    """The text of one value."""
    kind = draw(st.integers(0, 9 if depth else 5))
    text = draw(st.one_of(HARD_TEXT, NEW_VALUES))
    if kind in (0, 1):
        return json.dumps(text, ensure_ascii=draw(st.booleans()))
    if kind == 2:
        plain = text.replace("'", "")
        return f"'{plain}'"
    if kind == 3:
        return draw(st.sampled_from(["12", "1_000", "0x1F", "3.5", "true", "1979-05-27T07:32:00Z"]))
    if kind == 4:
        return '"""\n' + json.dumps(text, ensure_ascii=False)[1:-1] + '\nmore"""'
    if kind == 5:
        return "'''" + text.replace("'", "") + "'''"
    inner = draw(st.lists(literals(depth - 1), max_size=3))
    if kind in (6, 7):
        return "[" + ", ".join(inner) + draw(st.sampled_from(["", ","])) * bool(inner) + " ]"
    pairs = ", ".join(f"k{number} = {value}" for number, value in enumerate(inner))
    return "{ " + pairs + " }"


@st.composite
def documents(draw: st.DrawFn) -> str:
    end = draw(LINE_ENDS)
    lines: list[str] = []
    for table in range(draw(st.integers(0, 3))):
        if table:
            lines.append(
                draw(
                    st.sampled_from(
                        [f"[t{table}]", f"[ t{table} . 'sub' ]", f"[[list{table}]]", "[[many]]"]
                    )
                )
            )
        for number in range(draw(st.integers(0, 3))):
            comment = f" # {draw(COMMENTS)}" if draw(st.booleans()) else ""
            name = draw(st.sampled_from(["key", '"quoted key"', "a.b", "'x'"])) + str(number)
            name = name if name[-2] not in "\"'" else f"{name[:-2]}{number}{name[-2]}"
            lines.append(f"{draw(st.sampled_from(['', '  ']))}{name} = {draw(literals())}{comment}")
        if draw(st.booleans()):
            lines.append(f"# {draw(COMMENTS)}")
    bom = "\ufeff" if draw(st.booleans()) else ""
    return bom + end.join(lines) + draw(st.sampled_from(["", end]))


def parsed(text: str) -> dict[str, Any]:
    return tomllib.loads(text.removeprefix("\ufeff"))


@settings(deadline=None, max_examples=120)
@given(documents(), st.data(), st.one_of(NEW_VALUES, HARD_TEXT))
def test_one_string_changes_and_nothing_else(text: str, data: st.DataObject, new: str) -> None:
    try:
        value = parsed(text)
    except tomllib.TOMLDecodeError:
        return
    strings = [(path, leaf) for path, leaf in leaves(value) if isinstance(leaf, str)]
    if not strings:
        return
    path, old = data.draw(st.sampled_from(strings))

    made = edit(text, set_step(path, old, new, Format.TOML))
    after = made.applied(text)

    assert parsed(after) == with_value(value, path, new)
    assert after[: made.start] + after[made.start + len(made.text) :] == (
        text[: made.start] + text[made.end :]
    )


TOML = """\
# targets
[targets.shop]   # the shop
base_url = 'https://gateway.example'  # no version
max_tokens = 65_536
stream = true
proxy = "http://127.0.0.1:7890"
"""


def test_the_style_of_quotes_and_the_comment_stay() -> None:
    path = ("targets", "shop", "base_url")

    after = edit(
        TOML, set_step(path, "https://gateway.example", "https://gateway.example/v1", Format.TOML)
    ).applied(TOML)

    assert "base_url = 'https://gateway.example/v1'  # no version\n" in after


def test_an_integer_with_underscores_is_found_and_stays_a_number() -> None:
    path = ("targets", "shop", "max_tokens")

    after = edit(TOML, set_step(path, 65536, 8192, Format.TOML)).applied(TOML)

    assert parsed(after)["targets"]["shop"]["max_tokens"] == 8192


def test_a_line_is_removed() -> None:
    path = ("targets", "shop", "proxy")

    after = edit(TOML, set_step(path, "http://127.0.0.1:7890", None, Format.TOML)).applied(TOML)

    assert after == TOML.replace('proxy = "http://127.0.0.1:7890"\n', "")


def test_what_is_no_toml_is_refused_with_the_line() -> None:
    with pytest.raises(RefusedEdit) as caught:
        edit("a = 1\nb = \n", set_step(("a",), 1, 2, Format.TOML))

    assert caught.value.line == 2


def test_another_value_than_expected_is_refused() -> None:
    with pytest.raises(RefusedEdit, match="does not hold the value"):
        edit('a = "x"\n', set_step(("a",), "y", "z", Format.TOML))
