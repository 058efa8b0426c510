"""The app on a scripted session, and the pictures that it is compared with."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from doctor.text import Translator
from doctor.tui.app import DoctorApp
from doctor.tui.speech import Speech
from tests.tui import samples
from tests.tui.scripted import ScriptedSession

FOLDER = Path(__file__).parent / "snapshots"
UPDATE = "KVDOCTOR_UPDATE_SNAPSHOTS"

# Counts up with every picture that rich draws; says nothing about what is seen.
_SERIAL = re.compile(r"terminal-\d+")

Opens = Callable[..., DoctorApp]


@pytest.fixture(autouse=True)
def _quiet_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "TEXTUAL_THEME", "COLORFGBG"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def opens() -> Opens:
    """Makes an app with a clock that stands still."""

    def make(session: ScriptedSession, theme: str = "kvdoctor-dark", **more: object) -> DoctorApp:
        return DoctorApp(
            session,
            Speech(Translator("en"), session.redactor),
            environ={"TEXTUAL_THEME": theme},
            clock=lambda: 0.0,
            **more,  # type: ignore[arg-type]
        )

    return make


@pytest.fixture
def broken() -> ScriptedSession:
    """Three faults with a proved repair; once it is applied, all is well."""
    return ScriptedSession(
        samples.events_of(samples.broken_report()),
        targets=(samples.target(),),
        fixed=samples.events_of(samples.healthy_report()),
    )


@pytest.fixture
def same_picture() -> Callable[[str, str], None]:
    """Compares an SVG with the one kept under ``name``; the environment variable
    KVDOCTOR_UPDATE_SNAPSHOTS keeps the new one instead."""

    def compare(svg: str, name: str) -> None:
        picture = _SERIAL.sub("terminal", svg)
        path = FOLDER / f"{name}.svg"
        if os.environ.get(UPDATE):
            path.parent.mkdir(exist_ok=True)
            path.write_text(picture, "utf-8")
            return
        assert path.is_file(), f"no snapshot {path.name}: run with {UPDATE}=1 and look at it"
        if path.read_text("utf-8") != picture:
            seen = path.with_suffix(".seen.svg")
            seen.write_text(picture, "utf-8")
            pytest.fail(f"{path.name} looks different; see {seen.name} beside it")

    return compare
