"""Spots are found again wherever their surroundings are, and the text without them is the same."""

from __future__ import annotations

from hypothesis import assume, given
from hypothesis import strategies as st

from doctor.prefix.spots import common_prefix, cut, learn

clock = st.datetimes().map(lambda time: time.replace(microsecond=0).isoformat())
plain = st.text(st.characters(whitelist_categories=["Ll"], max_codepoint=127), max_size=60)


@given(plain, plain, st.lists(clock, min_size=2, max_size=5, unique=True))
def test_a_clock_is_cut_out_of_any_text(before: str, behind: str, times: list[str]) -> None:
    texts = [f"{before}\nTime: {time}\n{behind}" for time in times]
    spots = learn(texts[0], texts[1])
    assume(spots)
    assert spots is not None
    without = {cut(text, spots).text for text in texts}
    assert len(without) == 1
    assert [cut(text, spots).values for text in texts] == [[time] for time in times]


@given(st.text(max_size=300), st.text(max_size=300))
def test_what_is_learnt_makes_both_texts_one(one: str, other: str) -> None:
    spots = learn(one, other)
    if spots:
        kept = cut(one, spots)
        assert "".join(kept.values) in one or kept.values
        assert len(kept.text) + sum(map(len, kept.values)) == len(one)


@given(st.text(max_size=100), st.text(max_size=100))
def test_the_common_prefix_is_common_and_the_longest(one: str, other: str) -> None:
    length = common_prefix(one, other)
    assert one[:length] == other[:length]
    assert length == min(len(one), len(other)) or one[length] != other[length]
