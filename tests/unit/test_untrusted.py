"""Text of others cannot steer a terminal, and the stray character stays visible."""

from __future__ import annotations

import unicodedata

from hypothesis import given
from hypothesis import strategies as st

from doctor.text import Text, _
from doctor.untrusted import harmless, visible


@given(st.text(max_size=300))
def test_nothing_that_steers_a_terminal_is_left(text: str) -> None:
    shown = visible(text)

    assert not any(unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") for char in shown)


@given(st.text(max_size=300))
def test_harmless_keeps_only_line_breaks_of_all_controls(text: str) -> None:
    shown = harmless(text).replace("\n", "")

    assert not any(unicodedata.category(char) in ("Cc", "Cf", "Cs") for char in shown)


def test_the_stray_character_is_named() -> None:
    assert visible("sk-ab\u200b\r\n") == "sk-ab<U+200B>␍⏎"


def test_a_long_text_is_cut_and_says_how_long_it_was() -> None:
    assert visible("a" * 5000, limit=10) == "aaaaaaaaaa… (5,000 characters)"


def test_chinese_and_ordinary_text_pass_unchanged() -> None:
    assert visible("分组 vip 下模型 qwen3-8b 无可用渠道") == "分组 vip 下模型 qwen3-8b 无可用渠道"


def test_a_harmless_message_stays_one_that_can_be_translated() -> None:
    text = _("{name}, environment", name="OPENAI_API_KEY")
    assert visible(text) is text
    assert not isinstance(visible(_("{name}, environment", name="A\x1b")), Text)
