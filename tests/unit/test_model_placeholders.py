from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doctor.model_placeholders import Placeholder, placeholder


@pytest.mark.parametrize(
    "name",
    [
        "your-target-model",
        "your_model_id",
        "model-name",
        "MODEL",
        "<model>",
        "{model}",
        "$MODEL",
        "%MODEL%",
        "gpt-xxx",
        "gpt-x",
        "qwen-xx",
        "你的ModelID",
        "模型名称",
        "请输入模型",
        "change-me",
        "insert-model-here",
        "TODO",
        "...",
    ],
)
def test_texts_of_guides(name: str) -> None:
    assert placeholder(name) is Placeholder.TEMPLATE


@pytest.mark.parametrize("name", ["", "  ", '""', "\n"])
def test_empty_values(name: str) -> None:
    assert placeholder(name) is Placeholder.EMPTY


@pytest.mark.parametrize("name", ["None", "null", "undefined"])
def test_unset_variables(name: str) -> None:
    assert placeholder(name) is Placeholder.UNSET


@pytest.mark.parametrize("name", ["00000000-1111-2222-3333-444444444444", "0123456789abcdef" * 2])
def test_internal_ids(name: str) -> None:
    assert placeholder(name) is Placeholder.INTERNAL


@pytest.mark.parametrize(
    "name",
    [
        "qwen3-8b",
        "gpt-4o",
        "my-model",
        "tiny",
        "t5-xxl",
        "internlm-xcomposer2",
        "select-ai-7b",
        "yi-34b",
        "Qwen/Qwen3-8B",
        "/models/Qwen3-8B",
        "auto",
        "deepseek-chat",
        "x-ai/grok-4",
        "grok-4",
        "claude-sonnet-4-20250514",
    ],
)
def test_real_ids(name: str) -> None:
    assert placeholder(name) is None


@given(st.text(max_size=300))
def test_any_text_has_an_answer(name: str) -> None:
    assert placeholder(name) in (None, *Placeholder)
    assert placeholder(f"  {name}  ") is placeholder(name)
