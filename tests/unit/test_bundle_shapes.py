"""What a key leaves behind in a saved run tells what is wrong with it, and not the key."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doctor.bundle import Pseudonyms
from doctor.secrets import Secret
from tests.kit import KEY

WIDE = "".join(chr(ord(char) + 0xFEE0) for char in KEY)


@given(st.text(st.characters(categories=["Lu", "Ll", "Nd", "Pd"]), min_size=16, max_size=60))
def test_no_long_part_of_a_key_is_left(key: str) -> None:
    shape = Pseudonyms()(Secret(key))
    parts = [key[i : i + 9] for i in range(len(key) - 8)]
    # A run of one class may happen to be its own shape.
    assert not [p for p in parts if p in shape and len(set(p) - set("xX01я-Я–—‐")) > 4]


def test_a_key_in_full_width_stays_one_in_full_width() -> None:
    shape = Pseudonyms()(Secret(WIDE))
    assert len(shape) == len(WIDE)
    assert set(shape) <= set("ｘＸ０－")


@pytest.mark.parametrize("stray", ["é", "а", "\u200b", "“", "\n", "🐤"])
def test_a_stray_character_stays_where_it_is(stray: str) -> None:
    shape = Pseudonyms()(Secret(f"{KEY[:20]}{stray}{KEY[20:]}"))
    assert shape[20] == stray


def test_a_key_of_another_script_does_not_stay() -> None:
    shape = Pseudonyms()(Secret("ключканарейкасекретпарольптица"))
    assert shape.startswith("ключя")
    assert "канарейка" not in shape


def test_the_words_of_a_manual_stay() -> None:
    assert Pseudonyms()(Secret("sk-你的密钥放在这里")) == "sk-你的密钥放在这里"
