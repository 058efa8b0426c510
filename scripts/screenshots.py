"""Draws the pictures of the README: ``python scripts/screenshots.py [FOLDER]``.

The app runs on written-down events, so that the pictures change when the app does and at no other
time. The keys in them are made up.
"""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
os.environ["TEXTUAL_ANIMATIONS"] = "none"

# Found by the lines above.
from textual import events  # noqa: E402
from textual.pilot import Pilot  # noqa: E402

from doctor.models import TargetReport  # noqa: E402
from doctor.text import Translator  # noqa: E402
from doctor.tui.app import DoctorApp  # noqa: E402
from doctor.tui.speech import Speech  # noqa: E402
from tests.tui import samples  # noqa: E402
from tests.tui.scripted import ScriptedSession  # noqa: E402
from tests.tui.steps import press, settle, text_of, until  # noqa: E402

SIZE = (112, 34)
ERROR = """Traceback (most recent call last):
  File "app.py", line 12, in <module>
    print(resp.choices[0].message.content)
AttributeError: 'str' object has no attribute 'choices'"""

# Counts the pictures drawn by one process.
_SERIAL = re.compile(r"terminal-\d+")


async def drawn(
    report: Callable[[], TargetReport], keys: Sequence[str] = (), pasted: str = ""
) -> str:
    """The app on ``report`` after ``keys`` and after a text was pasted, as SVG."""
    session = ScriptedSession(
        samples.events_of(report()),
        targets=(samples.target(),),
        fixed=samples.events_of(samples.healthy_report()),
    )
    app = DoctorApp(
        session,
        Speech(Translator("en"), session.redactor),
        environ={"TEXTUAL_THEME": "kvdoctor-dark"},
        clock=lambda: 0.0,
    )
    async with app.run_test(size=SIZE) as pilot:
        await settle(pilot)
        await press(pilot, *keys)
        if pasted:
            await _paste(pilot, pasted)
        return _SERIAL.sub("terminal", app.export_screenshot())


async def _paste(pilot: Pilot[int], text: str) -> None:
    pilot.app.post_message(events.Paste(text))
    await until(pilot, lambda: " %  KVD" in text_of(pilot))
    await settle(pilot)


PICTURES: dict[str, tuple[Callable[[], TargetReport], Sequence[str], str]] = {
    "diagnose-broken": (samples.broken_report, (), ""),
    "fix": (samples.broken_report, ("a",), ""),
    "verified": (samples.broken_report, ("a", "enter"), ""),
    "healthy": (samples.healthy_report, (), ""),
    "settings": (samples.broken_report, ("s",), ""),
    "explain": (samples.broken_report, ("e",), ERROR),
}


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "img"
    folder.mkdir(parents=True, exist_ok=True)
    for name, (report, keys, pasted) in PICTURES.items():
        path = folder / f"{name}.svg"
        path.write_text(asyncio.run(drawn(report, keys, pasted)), "utf-8")
        print(path)


if __name__ == "__main__":
    main()
