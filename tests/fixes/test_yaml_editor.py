"""YAML: the value changes, every other byte stays."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from doctor.fixes.editors import edit
from doctor.fixes.refusal import RefusedEdit
from doctor.fixes.steps import Format
from tests.fixes.strategies import COMMENTS, HARD_TEXT, KEY, LINE_ENDS, NEW_VALUES, set_step
from tests.fixes.test_json_editor import leaves, with_value


def parsed(text: str) -> Any:
    return YAML(typ="safe", pure=True).load(text)


@st.composite
def scalars(draw: st.DrawFn) -> str:
    text = draw(st.one_of(HARD_TEXT, NEW_VALUES))
    kind = draw(st.integers(0, 4))
    if kind == 0:
        return json.dumps(text, ensure_ascii=False)
    if kind == 1:
        return "'" + text.replace("'", "''") + "'"
    if kind == 2:
        return draw(NEW_VALUES)
    return draw(st.sampled_from(["12", "true", "~", "1.5", "plain words", "a-b_c"]))


@st.composite
def documents(draw: st.DrawFn) -> str:
    end = draw(LINE_ENDS)
    lines: list[str] = []

    def comment() -> str:
        return f"  # {draw(COMMENTS)}" if draw(st.booleans()) else ""

    def block(indent: str, depth: int) -> None:
        for number in range(draw(st.integers(1, 3))):
            name = draw(st.sampled_from(["key", "OPENAI_API_KEY", '"quoted"', "名"]))
            name = f"{name[:-1]}{number}{name[-1]}" if name[-1] == '"' else f"{name}{number}"
            kind = draw(st.integers(0, 5 if depth else 2))
            if kind <= 2:
                lines.append(f"{indent}{name}: {draw(scalars())}{comment()}")
            elif kind == 3:
                lines.append(f"{indent}{name}:{comment()}")
                block(indent + "  ", depth - 1)
            elif kind == 4:
                lines.append(f"{indent}{name}:")
                for _item in range(draw(st.integers(1, 2))):
                    lines.append(f"{indent}  - {draw(scalars())}{comment()}")
            else:
                lines.append(f"{indent}{name}: {{a: {draw(scalars())}, b: [{draw(scalars())}]}}")
            if draw(st.booleans()):
                lines.append(f"{indent}# {draw(COMMENTS)}")

    block("", 2)
    bom = "\ufeff" if draw(st.booleans()) else ""
    return bom + end.join(lines) + draw(st.sampled_from(["", end]))


@settings(deadline=None, max_examples=60)
@given(documents(), st.data(), st.one_of(NEW_VALUES, HARD_TEXT))
def test_one_string_changes_and_nothing_else(text: str, data: st.DataObject, new: str) -> None:
    try:
        value = parsed(text)
    except YAMLError:
        return
    strings = [(path, leaf) for path, leaf in leaves(value) if isinstance(leaf, str)]
    if not strings:
        return
    path, old = data.draw(st.sampled_from(strings))

    try:
        made = edit(text, set_step(path, old, new, Format.YAML))
    except RefusedEdit:
        # NAME=value items of a list have another address, and odd text no spelling.
        assert "=" in old or not new.isprintable() or not new.isascii()
        return
    after = made.applied(text)

    assert parsed(after) == with_value(value, path, new)
    assert after[: made.start] + after[made.start + len(made.text) :] == (
        text[: made.start] + text[made.end :]
    )


COMPOSE = f"""\
services:
  api:
    image: app:1   # ours
    environment:
      - OPENAI_BASE_URL=http://gateway.example
      - "OPENAI_API_KEY={KEY} "
    env_file: .env
  other: &shared
    environment: {{OPENAI_MODEL: gpt, MAX_TOKENS: 65536}}
  third: *shared
"""


def test_an_entry_of_a_list_of_assignments_is_found_by_its_name() -> None:
    at = ("services", "api", "environment", "OPENAI_BASE_URL")

    after = edit(
        COMPOSE,
        set_step(at, "http://gateway.example", "http://gateway.example/v1", Format.YAML),
    ).applied(COMPOSE)

    assert after == COMPOSE.replace("gateway.example\n", "gateway.example/v1\n")


def test_a_quoted_entry_keeps_its_quotes() -> None:
    at = ("services", "api", "environment", "OPENAI_API_KEY")

    after = edit(COMPOSE, set_step(at, f"{KEY} ", KEY, Format.YAML, secret=True)).applied(COMPOSE)

    assert after == COMPOSE.replace(f'{KEY} "', f'{KEY}"')


def test_an_entry_is_removed_with_its_line() -> None:
    at = ("services", "api", "environment", "OPENAI_BASE_URL")

    after = edit(COMPOSE, set_step(at, "http://gateway.example", None, Format.YAML)).applied(
        COMPOSE
    )

    assert after == COMPOSE.replace("      - OPENAI_BASE_URL=http://gateway.example\n", "")


def test_a_value_that_is_used_twice_by_an_alias_is_refused() -> None:
    at = ("services", "other", "environment", "OPENAI_MODEL")

    with pytest.raises(RefusedEdit):
        edit(COMPOSE, set_step(at, "gpt", "qwen", Format.YAML))


@pytest.mark.parametrize("block", ["|", ">", "|-", "|+"])
def test_a_key_in_a_block_becomes_one_line(block: str) -> None:
    text = f"a: 1\nkey: {block}\n  {KEY}\n# behind\nb: 2\n"
    old = parsed(text)["key"]

    after = edit(text, set_step(("key",), old, KEY, Format.YAML, secret=True)).applied(text)

    assert parsed(after) == {"a": 1, "key": KEY, "b": 2}
    assert "# behind\nb: 2\n" in after


def test_words_that_yaml_takes_for_something_else_are_quoted() -> None:
    text = "model: gpt\n"

    after = edit(text, set_step(("model",), "gpt", "no", Format.YAML)).applied(text)

    assert after == "model: 'no'\n"


def test_a_number_stays_a_number() -> None:
    text = "max_tokens: 65536 # many\n"

    after = edit(text, set_step(("max_tokens",), 65536, 8192, Format.YAML)).applied(text)

    assert after == "max_tokens: 8192 # many\n"


def test_what_is_no_yaml_is_refused_with_the_line() -> None:
    with pytest.raises(RefusedEdit) as caught:
        edit("a: 1\nb: [1\nc: 2\n", set_step(("a",), 1, 2, Format.YAML))

    assert caught.value.line is not None


def test_yaml_that_refers_to_itself_is_refused() -> None:
    with pytest.raises(RefusedEdit):
        edit("a: &x [*x]\nb: 1\n", set_step(("b",), 1, 2, Format.YAML))
