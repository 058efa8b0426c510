from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks.credentials.key_not_ascii import key_not_ascii
from doctor.connection import AuthHeader
from doctor.models import Finding
from tests.checks.credentials.world import KEY, NOT_SENT, keys
from tests.kit import connection, run_check

OLD_SHAPE = "sk-T3stT3stT3stT3stT3stT3stT3stT3stT3stT3stT3stT3st"
FULL_WIDTH = "".join(chr(ord(char) + 0xFEE0) for char in KEY)


def found(key: str, auth: AuthHeader = AuthHeader.BEARER) -> tuple[Finding, ...]:
    return run_check(key_not_ascii, connection(key=key, auth=auth), NOT_SENT).findings


@pytest.mark.parametrize(
    ("key", "name", "position"),
    [
        (f"{OLD_SHAPE}\u200b", "U+200B ZERO WIDTH SPACE", 58),
        (f"\ufeff{KEY}", "U+FEFF ZERO WIDTH NO-BREAK SPACE", 7),
        (f"{KEY[:10]}\u00ad{KEY[10:]}", "U+00AD SOFT HYPHEN", 17),
        (f"{KEY}\u00a0", "U+00A0 NO-BREAK SPACE", 58),
        (f"{KEY}\u3000", "U+3000 IDEOGRAPHIC SPACE", 58),
    ],
)
def test_the_unseen_character_is_named_and_taken_out(key: str, name: str, position: int) -> None:
    (finding,) = found(key)
    assert name in finding.title
    assert f"position {position}" in finding.explanation
    assert [change.guess for change in finding.changes] == [False]
    assert keys(list(finding.changes))[0] in (OLD_SHAPE, KEY)


def test_the_position_counts_without_bearer_where_none_is_sent() -> None:
    (finding,) = found(f"\ufeff{KEY}", AuthHeader.X_API_KEY)
    assert "position 0" in finding.explanation


def test_a_note_behind_the_key_is_cut_off_at_the_blank() -> None:
    key = "sk-test-0123456789abcdefABCDEF0123456789abcd"
    (finding,) = found(f"{key}  用这个")
    assert finding.title == "A note stands behind the key and is part of it"
    assert "position 53" in finding.explanation
    assert keys(list(finding.changes)) == [key]
    assert not finding.changes[0].guess


@pytest.mark.parametrize(
    "key",
    [
        KEY.replace("-", "–"),
        KEY.replace("-", "—"),
        KEY.replace("a", "а"),  # Cyrillic
        KEY.replace("s", "ｓ"),
        FULL_WIDTH,
        f"密钥：{KEY}",
        f"{KEY}（测试）",
    ],
)
def test_a_twin_of_an_ascii_character_is_guessed(key: str) -> None:
    (finding,) = found(key)
    assert keys(list(finding.changes)) == [KEY]
    assert finding.changes[0].guess
    assert "likely" in finding.explanation


@pytest.mark.parametrize("key", ["здравейздравей", "我的钥匙", "ключ от сервера"])
def test_words_of_a_language_are_not_guessed_at(key: str) -> None:
    (finding,) = found(key)
    assert finding.title == "The key is a text that no header can carry"
    assert finding.changes == ()


@pytest.mark.parametrize(
    "key", [KEY, f"“{KEY}”", "sk-你的Key", f"{KEY} # 我的", "https://例.example"]
)
def test_what_other_checks_tell_better_is_left_to_them(key: str) -> None:
    assert found(key) == ()


@given(
    st.text("abcdefghijklmnop0123456789", min_size=24, max_size=48),
    st.lists(
        st.tuples(st.integers(0, 60), st.sampled_from("\u200b\u200c\u200d\ufeff\u2060\u00ad")),
        min_size=1,
        max_size=4,
    ),
)
@settings(max_examples=80, deadline=None)
def test_unseen_characters_anywhere_leave_the_key(body: str, put: list[tuple[int, str]]) -> None:
    key = mangled = f"sk-{body}"
    for at, char in put:
        mangled = mangled[:at] + char + mangled[at:]
    (finding,) = found(mangled)
    assert keys(list(finding.changes)) == [key]


@given(st.text(min_size=1, max_size=60))
@settings(max_examples=150, deadline=None)
def test_every_key_that_is_offered_differs_and_guesses_are_ascii(text: str) -> None:
    for finding in found(text):
        for change in finding.changes:
            assert change.value.reveal() != text
            assert change.value.reveal().isascii() or not change.guess
