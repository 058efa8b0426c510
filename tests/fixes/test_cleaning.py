"""The line that cleans a key in the running shell never names the key, and does clean it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doctor.fixes.cleaning import cleaning_line, is_cleaned
from doctor.fixes.steps import Shell
from tests.fixes.shells import run_line
from tests.fixes.strategies import KEY

SHELLS = {"bash": Shell.BASH, "zsh": Shell.ZSH, "dash": Shell.SH, "fish": Shell.FISH}
STRAY = [
    f"{KEY}\n",
    f" {KEY}\t",
    f"{KEY}\r\n",
    f"Bearer {KEY}",
    f"Bearer {KEY}\n",
    f'"{KEY}"',
    f"'{KEY}' ",
    f"{KEY}  # the key of the shop",
    f"{KEY[:9]}\u200b{KEY[9:]}",
    f"\ufeff{KEY}",
    f"“{KEY}”",
    f"{KEY}  用这个",
    f"{KEY[:20]}\n{KEY[20:]}",
]


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("stray", STRAY)
def test_a_real_shell_ends_with_the_clean_key(shell: str, stray: str) -> None:
    line = cleaning_line(SHELLS[shell], "OPENAI_API_KEY", stray, KEY)

    assert line is not None
    assert KEY not in line
    assert run_line(shell, line, "OPENAI_API_KEY", stray) == KEY


def test_powershell_has_a_line_and_cmd_has_none() -> None:
    line = cleaning_line(Shell.POWERSHELL, "K", f"{KEY}\n", KEY)

    assert line == "$env:K = $env:K -replace '[^!-~]', ''"
    assert cleaning_line(Shell.CMD, "K", f"{KEY}\n", KEY) is None


def test_no_line_is_made_for_another_key() -> None:
    assert cleaning_line(Shell.BASH, "K", KEY, KEY[::-1]) is None


@pytest.mark.parametrize("stray", STRAY)
def test_a_cleaned_key_is_known_as_the_same(stray: str) -> None:
    assert is_cleaned(stray, KEY)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (KEY, "sk-other0other0other0other0other0other0other0other00"),
        ("sk-short", KEY),
        (KEY, ""),
        ("EMPTY", KEY),
        ("你" * 60, KEY),
        (KEY, KEY + "x"),
    ],
)
def test_another_key_is_no_cleaned_one(old: str, new: str) -> None:
    assert not is_cleaned(old, new)


@given(st.text(max_size=30), st.text(min_size=1, max_size=30))
def test_whatever_counts_as_cleaned_is_not_longer_and_adds_nothing(old: str, new: str) -> None:
    if is_cleaned(old, new):
        assert len(new) <= len(old)
        # Every character is the old one's, or an ASCII one in the place of another.
        strange = sum(not char.isascii() for char in old)
        foreign = [char for char in new if char not in old]
        assert len(foreign) <= strange
