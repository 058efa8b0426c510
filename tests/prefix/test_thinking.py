"""Chat templates that write an earlier turn without the thinking with which it was generated."""

from __future__ import annotations

from typing import Any

import pytest

from doctor.prefix.static.thinking import dropped

jinja2 = pytest.importorskip("jinja2")

# What models' own templates put around the thinking of a turn.
BLOCK = "{{- '<think>' + (m.reasoning_content or '') + '</think>' }}"
LAST = (
    "{%- set ns = namespace(last_query_index=-1, last_user_index=-1, last_user_idx=-1) %}"
    "{%- for m in messages %}{%- if m.role == 'user' %}"
    "{%- set ns.last_query_index = loop.index0 %}{%- set ns.last_user_index = loop.index0 %}"
    "{%- set ns.last_user_idx = loop.index0 %}{%- endif %}{%- endfor %}"
)
ASKED = "{%- if add_generation_prompt %}{{- '[assistant]<think>' }}{%- endif %}"


def gated(condition: str, before: str = "") -> str:
    return (
        f"{before}{LAST}{{%- for m in messages %}}{{{{- '[' + m.role + ']' }}}}"
        "{%- if m.role == 'assistant' %}"
        f"{{%- if {condition} %}}{BLOCK}{{%- endif %}}{{%- endif %}}"
        "{{- m.content }}{%- endfor %}" + ASKED
    )


SET = "{{%- set {0} = {0} if {0} is defined else {1} %}}"
AFTER = "loop.index0 > ns.last_{}"
SPLIT = (
    "{%- for m in messages %}{%- set content = m.content %}"
    "{%- if '</think>' in content %}{%- set content = content.split('</think>')[-1] %}{%- endif %}"
    "{{- '[' + m.role + ']' + content }}{%- endfor %}" + ASKED
)

LEAVE_OUT = {
    "Qwen3": (gated(AFTER.format("query_index")), ""),
    "Qwen3.6": (
        gated(
            "(preserve_thinking is defined and preserve_thinking is true) or "
            f"({AFTER.format('query_index')})"
        ),
        "preserve_thinking=true",
    ),
    "GLM-5.1": (
        gated(
            "(clear_thinking is defined and not clear_thinking) or " + AFTER.format("user_index")
        ),
        "clear_thinking=false",
    ),
    "cleared by itself": (
        gated(
            f"not clear_thinking or {AFTER.format('user_index')}",
            SET.format("clear_thinking", "true"),
        ),
        "clear_thinking=false",
    ),
    "Nemotron 3": (
        gated(
            "not (truncate_history_thinking and loop.index0 < ns.last_user_idx)",
            SET.format("truncate_history_thinking", "True"),
        ),
        "truncate_history_thinking=false",
    ),
    "an option that is off": (
        gated(
            f"preserve_thinking or {AFTER.format('user_index')}",
            "{%- set preserve_thinking = preserve_thinking | default(false) %}",
        ),
        "preserve_thinking=true",
    ),
}
KEEP = {
    "Qwen3.8": gated(
        "preserve_thinking is undefined or preserve_thinking is true or "
        + AFTER.format("query_index")
    ),
    "GLM-5.3": gated(
        f"not clear_thinking or {AFTER.format('user_index')}",
        SET.format("clear_thinking", "false"),
    ),
    "under a name of its own": gated(
        f"_preserve_thinking or {AFTER.format('query_index')}",
        "{%- set _preserve_thinking = preserve_thinking if preserve_thinking is defined "
        "else true %}",
    ),
    "no condition": gated("true"),
}
TALK = [
    {"role": "user", "content": "a"},
    {"role": "assistant", "content": "b", "reasoning_content": "so"},
    {"role": "user", "content": "c"},
]


def is_kept(template: str, **more: Any) -> bool:
    """Whether the second prompt begins with the first one and its answer."""

    def written(messages: list[dict[str, str]]) -> str:
        made = jinja2.Environment().from_string(template)
        return str(made.render(messages=messages, add_generation_prompt=True, **more))

    return written(TALK).startswith(written(TALK[:1]) + "so</think>b")


@pytest.mark.parametrize("name", LEAVE_OUT)
def test_what_is_told_is_what_the_template_does(name: str) -> None:
    template, knob = LEAVE_OUT[name]
    found = dropped(template)

    assert not is_kept(template)
    assert found is not None
    assert found.knob == knob
    if knob:
        option, _equals, value = knob.partition("=")
        assert is_kept(template, **{option: value == "true"})


@pytest.mark.parametrize("name", KEEP)
def test_a_template_that_keeps_it_is_in_order(name: str) -> None:
    assert is_kept(KEEP[name])
    assert dropped(KEEP[name]) is None


def test_thinking_that_is_split_off_from_every_answer() -> None:
    found = dropped(SPLIT)
    assert found is not None
    assert found.kind.name == "thinking of every turn"


def test_another_reason_to_keep_it_makes_it_likely_only() -> None:
    found = dropped("{%- set keep_reasoning = tp.has or (loop.index0 > last_user_idx.value) -%}")
    assert found is not None
    assert not found.sure


@pytest.mark.parametrize(
    "template",
    [
        "{%- if loop.index0 > ns.last_user_index %}[AVAILABLE_TOOLS]{{ tools }}",
        "{{ m.content.split('</think>')[-1] }}{% set reasoning = m.reasoning_content %}",
        "{% if",
        "",
    ],
)
def test_what_is_about_something_else_is_passed_by(template: str) -> None:
    assert dropped(template) is None
