"""docs/rules/ says what the docstrings say."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from doctor import registry

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("rule_pages", ROOT / "scripts/rule_pages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_pages_are_up_to_date(script: ModuleType) -> None:
    wanted: dict[str, str] = script.pages()
    there = {path.name: path.read_text("utf-8") for path in (ROOT / "docs/rules").glob("*.md")}
    stale = sorted(name for name in wanted.keys() | there.keys()
                   if wanted.get(name) != there.get(name))  # fmt: skip

    assert stale == [], "python scripts/rule_pages.py writes them anew"


def test_every_check_has_a_page_that_the_index_links(script: ModuleType) -> None:
    pages: dict[str, str] = script.pages()
    index = pages["README.md"]
    for check in registry.load().checks:
        assert f"[{check.code}]({check.code}.md)" in index
        assert "## How to fix" in pages[f"{check.code}.md"]
