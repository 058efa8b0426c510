"""The clinic in the app: real cases, real servers on loopback, real files."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from doctor.clinic.cases import cases, find
from doctor.clinic.judge import Verdict
from doctor.clinic.progress import Progress
from doctor.clinic.sandbox import Sandbox
from doctor.clinic.sitting import Sitting
from doctor.secrets import Redactor
from doctor.text import Translator, _
from doctor.tui.app import DoctorApp
from doctor.tui.speech import Speech
from tests.tui.conftest import Opens
from tests.tui.scripted import ScriptedSession
from tests.tui.steps import press, settle, text_of

SIZES = ((80, 24), (120, 40))


@asynccontextmanager
async def clinic(root: Path, size: tuple[int, int] = (120, 40)) -> AsyncIterator[Pilot[int]]:
    redactor = Redactor()
    session = ScriptedSession([], redactor=redactor)
    speech = Speech(Translator("en"), redactor)
    app = DoctorApp(session, speech, environ={}, clinic=Sitting(root, redactor))
    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        yield pilot


async def test_a_case_is_opened_mended_and_judged(tmp_path: Path) -> None:
    for name in ("key-with-newline", "key-in-quotes", "key-with-comment"):
        Progress(tmp_path).judged(name, True)
    async with clinic(tmp_path) as pilot:
        shown = text_of(pilot)
        assert "key-with-comment" in shown
        assert "key-with-bearer" not in shown

        await press(pilot, "enter")
        shown = text_of(pilot)
        assert "Case 1.4" in shown
        assert "401" in shown
        assert ".bashrc" in shown

        await press(pilot, "c")
        assert "Not yet" in text_of(pilot)
        await press(pilot, "h", "h")
        assert "Hint 2: One setting has to change: key." in text_of(pilot)

        startup = tmp_path / "1.4" / "home" / ".bashrc"
        startup.write_text(startup.read_text().replace("Bearer ", ""))
        await press(pilot, "c")
        shown = text_of(pilot)
        assert "Solved" in shown
        assert f"4 of {len(cases())} solved" in shown
        assert "key-with-bearer" in shown

        await press(pilot, "x")
        assert "Bearer" in startup.read_text()
    assert Progress(tmp_path).of("key-with-bearer").solved


async def test_a_hint_is_seen_on_a_small_screen_and_what_comes_next(tmp_path: Path) -> None:
    async with clinic(tmp_path, (80, 24)) as pilot:
        await press(pilot, "enter", "h", "h")
        assert "Hint 2" in text_of(pilot)

        startup = tmp_path / "1.1" / "home" / ".bashrc"
        startup.write_text(startup.read_text().replace("\\n", ""))
        await press(pilot, "c")
        shown = text_of(pilot)
        assert "It was: The key ends in a line break." in shown
        assert "Next is 1.2" in shown
        assert "something is wrong" not in shown


async def test_a_fault_is_named(tmp_path: Path) -> None:
    async with clinic(tmp_path) as pilot:
        await press(pilot, "end")
        case = find("route-to-nowhere")
        assert f"Case {case.id}" in text_of(pilot)
        await press(pilot, "enter", "n", *"unreach", "enter")
        shown = text_of(pilot)
        # Of the two codes that hold the word the first is another fault.
        assert "It is not KVD301" in shown

        await press(pilot, "n", *"upstream", "enter")
        assert "It is KVD330" in text_of(pilot)
    assert Progress(tmp_path).of("route-to-nowhere").solved


async def test_what_cannot_be_opened_is_told(tmp_path: Path) -> None:
    (tmp_path / "1.1").mkdir()
    async with clinic(tmp_path) as pilot:
        await press(pilot, "enter")
        shown = text_of(pilot)
        assert "Cannot open" in shown
        assert str(tmp_path / "1.1") in shown

        await press(pilot, "down", "enter")
        assert "Case 1.2" in text_of(pilot)


async def test_leaving_ends_the_servers_and_keeps_the_files(tmp_path: Path) -> None:
    async with clinic(tmp_path) as pilot:
        await press(pilot, "enter")
        await pilot.press("q")
        await pilot.pause()
        assert not pilot.app.is_running
    assert (tmp_path / "1.1" / "home" / ".bashrc").is_file()
    async with clinic(tmp_path) as pilot:
        await press(pilot, "enter")
        assert "Cannot open" not in text_of(pilot)


class Written(Sitting):
    """The same case in the same place on every machine."""

    def written(self, name: str, verdict: Verdict) -> None:
        case = find(name)
        folder = Path("/home/ada/.local/state/kvdoctor/clinic", case.id)
        self.sandbox = _Told(case, folder, (1, 2), (), ("key",))
        self.verdict = verdict


class _Told(Sandbox):
    def files(self) -> tuple[Path, ...]:
        return (self.home / ".bashrc",)


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_it_looks_as_it_was_found_good(
    size: tuple[int, int],
    theme: str,
    tmp_path: Path,
    opens: Opens,
    same_picture: Callable[[str, str], None],
) -> None:
    Progress(tmp_path).judged("key-with-newline", True)
    Progress(tmp_path).hinted("key-in-quotes", 3)
    sitting = Written(tmp_path, Redactor())
    seen = Verdict(False, _("The request is answered {status}: {error}", status=401, error="No"))
    sitting.written("key-in-quotes", seen)
    app = opens(ScriptedSession([]), f"kvdoctor-{theme}", clinic=sitting)

    async with app.run_test(size=size) as pilot:
        await settle(pilot)
        picture = app.export_screenshot()

    same_picture(picture, f"clinic-{size[0]}x{size[1]}-{theme}")
