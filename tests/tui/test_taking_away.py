"""Copying, exporting, leaving out: what leaves the app, and that no key goes with it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from doctor.render.choose import FORMATS
from doctor.tui.flows.exporting import rendered
from tests.kit import KEY
from tests.tui.conftest import Opens
from tests.tui.scripted import ScriptedSession
from tests.tui.steps import press, settle, text_of

SIZE = (120, 40)


async def test_a_finding_is_copied_as_markdown(opens: Opens, broken: ScriptedSession) -> None:
    app = opens(broken)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "2", "c", "enter")

        assert app.clipboard.startswith("**KVD102 The key ends in a line break**")
        assert KEY not in app.clipboard


@pytest.mark.parametrize(("downs", "url"), [(2, "api"), (3, "api/v1")])
async def test_the_request_is_copied_as_curl_before_and_after_the_repair(
    opens: Opens, broken: ScriptedSession, downs: int, url: str
) -> None:
    app = opens(broken)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "2", "c", *["down"] * downs, "enter")

        assert f"https://taotoken.net/{url}/chat/completions" in app.clipboard
        assert 'Authorization: Bearer ${OPENAI_API_KEY}"' in app.clipboard
        assert KEY not in app.clipboard


async def test_what_can_be_copied_can_be_written_to_a_file(
    opens: Opens, broken: ScriptedSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with opens(broken).run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "c", "down", "f", "enter")

        text = (tmp_path / "KVD301.diff").read_text("utf-8")
        assert "-export HTTPS_PROXY=http://127.0.0.1:7890" in text
        assert "Written: KVD301.diff" in text_of(pilot)


async def test_a_report_is_exported(
    opens: Opens, broken: ScriptedSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    to_json = list(FORMATS).index("json")
    async with opens(broken).run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "x", *["down"] * to_json, "enter", "enter")

        document = json.loads((tmp_path / "kvdoctor-report.json").read_text("utf-8"))
        assert document["diagnosis"]["root_causes"] == ["KVD301", "KVD102", "KVD201"]


async def test_a_file_that_exists_is_overwritten_only_when_said_twice(
    opens: Opens, broken: ScriptedSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "kvdoctor-report.txt"
    path.write_text("mine")
    async with opens(broken).run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "x", "enter", "enter")
        assert "exists. Enter again overwrites it." in text_of(pilot)
        assert path.read_text() == "mine"

        await press(pilot, "enter")
        assert "The key ends in a line break" in path.read_text("utf-8")


async def test_a_file_that_cannot_be_written_is_said_to_be(
    opens: Opens, broken: ScriptedSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    async with opens(broken).run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "x", "enter", "home", *"no/", "enter")

        assert "No such file or directory" in text_of(pilot)


@pytest.mark.parametrize("name", list(FORMATS))
async def test_no_format_holds_the_key(opens: Opens, broken: ScriptedSession, name: str) -> None:
    broken.redactor.learn(KEY)
    app = opens(broken)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        text = rendered(app, name)

    assert "KVD102" in text
    assert KEY not in text


async def test_a_finding_is_left_out_with_a_reason(opens: Opens, broken: ScriptedSession) -> None:
    async with opens(broken).run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "4", "i", *"lab", "enter")

        assert broken.ignored == [("KVD113", "shop-api", "lab")]
        assert "The key file can be read by others" not in text_of(pilot)


async def test_no_finding_is_left_out_without_a_reason(
    opens: Opens, broken: ScriptedSession
) -> None:
    async with opens(broken).run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "4", "i", "space", "enter")

        assert "A rule without a reason" in text_of(pilot)
        assert not broken.ignored
