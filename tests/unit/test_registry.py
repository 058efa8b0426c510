"""Selecting checks, and plugins that may break without breaking the run."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from doctor import registry
from doctor.registry import UnknownSelector

PLUGIN = '''
from collections.abc import AsyncIterator
from doctor.checkapi import DeclaredFacts, Finding, Severity, check, problem

@check(code="ACME001", slug="acme-policy", severity=Severity.WARNING)
async def acme_policy(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """## What it checks: the policy of Acme."""
    yield problem("Acme says no", "Ask Acme.")
'''


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder on sys.path that holds two installed plugin distributions."""
    for name, code in (("acme_checks", PLUGIN), ("broken_checks", "import nowhere_to_be_found")):
        (tmp_path / f"{name}.py").write_text(code)
        info = tmp_path / f"{name}-1.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
        (info / "entry_points.txt").write_text(f"[{registry.GROUP}]\n{name} = {name}\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    for name in ("acme_checks", "broken_checks"):
        sys.modules.pop(name, None)
    importlib.invalidate_caches()


def test_a_plugin_adds_its_check_and_a_broken_one_is_a_note(installed: Path) -> None:
    known = registry.load()

    found = known.find("ACME001")
    assert found is not None
    assert found.area == "acme"
    assert [note for note in known.notes if "broken_checks" in note and "nowhere" in note]


def test_plugins_can_be_switched_off_or_named(
    installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(registry.SWITCH, "0")
    assert registry.load().find("ACME001") is None

    monkeypatch.setenv(registry.SWITCH, "acme_checks")
    known = registry.load()
    assert known.find("acme-policy") is not None
    assert known.notes == ()


def test_checks_are_selected_by_code_slug_area_and_beginning() -> None:
    known = registry.load()

    by_area = known.selected(["credentials"])
    assert by_area == known.selected(["KVD1"])
    assert {c.code for c in known.selected(["KVD102,url-without-version"])} == {"KVD102", "KVD201"}
    assert not {c.code for c in known.selected([], ["network"])} & {"KVD301"}


def test_an_unknown_selector_names_the_nearest() -> None:
    with pytest.raises(UnknownSelector) as caught:
        registry.load().selected(["credentails"])

    assert caught.value.hint == "credentials"


def test_codes_and_slugs_are_unique_and_sorted() -> None:
    checks = registry.load().checks

    assert len({c.code for c in checks}) == len({c.slug for c in checks}) == len(checks)
    assert [c.code for c in checks] == sorted(c.code for c in checks)
