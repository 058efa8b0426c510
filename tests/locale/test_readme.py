"""The Chinese README says what the English one says: same sections, commands, tables and links."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ENGLISH = (ROOT / "README.md").read_text("utf-8")
CHINESE = (ROOT / "README.zh-CN.md").read_text("utf-8")


def _headings(text: str) -> list[str]:
    plain = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    return re.findall(r"^(#+) ", plain, re.M)


def _code(text: str) -> list[str]:
    """Code blocks, without comments behind the commands."""
    blocks = re.findall(r"^```\w*\n(.*?)^```$", text, re.M | re.S)
    return [re.sub(r"\s+# .*$", "", block, flags=re.M) for block in blocks]


def _rows(text: str) -> list[str]:
    """The first cell of every row whose other cells are prose."""
    rows = re.findall(r"^\| ((?:[^|\\]|\\.)+) \|", text, re.M)
    return [row for row in rows if row.startswith("`") or row.isdigit()]


def _links(text: str) -> list[str]:
    found = re.findall(r"\]\(([^)]+)\)", text)
    return sorted(link for link in found if not link.startswith("README"))


def _words(text: str) -> set[str]:
    """What stands in backquotes in prose."""
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.M | re.S)
    return set(re.findall(r"`([^`\n]+)`", prose))


@pytest.mark.parametrize("part", [_headings, _code, _rows, _links])
def test_the_same(part: object) -> None:
    assert callable(part)
    assert part(CHINESE) == part(ENGLISH)


def test_every_command_and_option_is_named() -> None:
    assert _words(ENGLISH) - _words(CHINESE) == set()


def test_each_leads_to_the_other() -> None:
    assert "README.zh-CN.md" in ENGLISH
    assert "README.md" in CHINESE
