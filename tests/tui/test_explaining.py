"""An error text leads to its causes, and from there to the check; a log to its engine."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import pytest
from textual import events
from textual.pilot import Pilot

from doctor.explain.log.picture import picture_of
from doctor.text import Text
from doctor.tui.app import DoctorApp
from doctor.tui.explained import Cause, Explained
from doctor.tui.screens.explain import PasteArea
from doctor.tui.session import Scope
from tests.explain.logreading import LOGS
from tests.explain.logreading import explained as answered
from tests.explain.test_log_starts import HEADS, NO_BLOCKS, start
from tests.kit import KEY
from tests.tui import samples
from tests.tui.conftest import Opens
from tests.tui.scripted import ScriptedSession
from tests.tui.steps import press, settle, text_of, until

SIZE = (120, 40)
TEXT = "httpx.LocalProtocolError: Illegal header value b'Bearer sk-made\\n'"


async def test_an_error_text_leads_to_the_finding(opens: Opens, broken: ScriptedSession) -> None:
    app = opens(broken)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "e")
        app.post_message(events.Paste(TEXT))
        await until(pilot, lambda: "KVD102" in text_of(pilot))
        assert "✓ found: key surrounded" in text_of(pilot)

        await press(pilot, "tab", "enter")
        assert "The key ends in a line break" in text_of(pilot).split("│")[1]


async def test_a_cause_that_was_not_found_is_checked(opens: Opens) -> None:
    session = ScriptedSession(
        samples.events_of(samples.healthy_report()), targets=(samples.target(),)
    )
    app = opens(session)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "e")
        app.post_message(events.Paste(TEXT))
        await until(pilot, lambda: "KVD102" in text_of(pilot))
        await press(pilot, "tab", "enter")

        assert session.scopes[-1] == Scope((samples.NAME,), ("KVD102",))
        assert "KVD102: passed." in text_of(pilot)


async def test_a_key_in_a_pasted_text_is_masked_at_once(
    opens: Opens, broken: ScriptedSession
) -> None:
    app = opens(broken)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "e")
        area = app.screen.query_one(PasteArea)
        app.post_message(events.Paste(f"401 Incorrect API key provided: {KEY}"))
        await until(pilot, lambda: "KVD" in text_of(pilot))

        assert area.text == "401 Incorrect API key provided: sk-…0up0"
        assert KEY not in app.export_screenshot()


async def test_an_unknown_text_is_said_to_be_unknown(opens: Opens, broken: ScriptedSession) -> None:
    app = opens(broken)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await settle(pilot)
        await press(pilot, "e")
        app.post_message(events.Paste("the moon is blue"))
        await until(pilot, lambda: "No text of this is known" in text_of(pilot))


SECRET = "canary-Zq7Xw9Kp3Rt5Vn2Mb8"
SERVED = (LOGS / "tensor-parallel-0.27.1.log").read_text("utf-8")


async def pasted(app: DoctorApp, pilot: Pilot[int], text: str, wanted: str) -> None:
    await settle(pilot)
    await press(pilot, "e")
    app.post_message(events.Paste(text))
    await until(pilot, lambda: wanted in text_of(pilot))


async def test_a_log_shows_its_starts_and_where_the_memory_went(
    opens: Opens, broken: ScriptedSession
) -> None:
    app = opens(broken)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await pasted(app, pilot, start(1, NO_BLOCKS) + SERVED, "the engine of this log")
        shown = " ".join(text_of(pilot).split())
        assert "2 starts in this log, 1 of them failed" in shown
        assert "The last start came up" in shown

        await press(pilot, "tab", "end")
        shown = text_of(pilot)
        assert "GPU memory of Worker_TP0" in shown
        assert any("KV cache" in line and "6.51 GiB   28 %" in line for line in shown.split("\n"))


async def test_the_picture_is_the_commands(opens: Opens, broken: ScriptedSession) -> None:
    told = answered(SERVED)
    app = opens(broken)
    async with app.run_test(size=(150, 60), notifications=True) as pilot:
        await pasted(app, pilot, SERVED, "No fault found")
        width = 150
        shown = [line.partition("│")[2].strip() for line in text_of(pilot).split("\n")]

    assert told.start is not None
    sizes = [line.split()[-4:] for line in picture_of(told.start, str, width) if "GiB  " in line]
    assert len(sizes) == 6
    assert [line.split()[-4:] for line in shown if " GiB  " in line] == sizes


async def test_a_cause_of_a_log_leads_to_its_documentation(
    opens: Opens, broken: ScriptedSession
) -> None:
    app = opens(broken)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await pasted(app, pilot, start(1, HEADS), "KVD904")
        runs = len(broken.scopes)
        await press(pilot, "tab", "enter")

        assert "tensor-parallel-does-not-divide" in text_of(pilot)
        assert len(broken.scopes) == runs


async def test_the_keys_of_a_log_are_masked_at_once(opens: Opens, broken: ScriptedSession) -> None:
    log = (
        "(APIServer pid=1) INFO 01-01 10:00:00 [utils.py:1] non-default args: {'model': 'a/b',"
        f" 'api_key': ['{SECRET}']}}\n"
        f"INFO 01-01 10:00:00 api_server.py:840] args: Namespace(model='a/b', api_key='{SECRET}')\n"
        f"(EngineCore pid=2) ERROR 01-01 10:00:09 [core.py:1] KeyError: '{SECRET}'\n"
        "(APIServer pid=1) RuntimeError: Engine core initialization failed. See root cause above\n"
    )
    app = opens(broken)
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await pasted(app, pilot, log, "KVD")
        assert SECRET not in app.screen.query_one(PasteArea).text
        assert SECRET not in app.export_screenshot()


class Told(ScriptedSession):
    """Explains every text with what was written down here, whatever the dictionary says."""

    async def explain(self, text: str, here: Mapping[str, str]) -> Explained:
        cause = Cause(
            code="KVD904",
            title="tensor parallel does not divide",
            percent=95,
            meaning=Text("the attention heads cannot be split evenly over the GPUs"),
            tell_apart=Text("8 does not divide 28 heads; 1, 2, 4, 7, 14 do"),
            quote="ValueError: Total number of attention heads (28) must be divisible by 8.",
            line=11,
            times=2,
            changes=("--tensor-parallel-size 7", "--pipeline-parallel-size 8"),
            fix="take a size that divides both numbers.",
        )
        other = replace(cause, code="KVD806", title="weights do not fit", percent=20, changes=())
        summary = (Text("3 starts in this log, 3 of them failed. The last one begins in line 9."),)
        return Explained((cause, other), summary, answered(SERVED).start, drawn=True)


async def test_what_could_be_written_instead_is_shown(opens: Opens) -> None:
    app = opens(Told([]))
    async with app.run_test(size=SIZE, notifications=True) as pilot:
        await pasted(app, pilot, "a log", "KVD904")
        shown = text_of(pilot)

    assert "--tensor-parallel-size 7" in shown
    assert "11: ValueError" in shown
    assert "(×2)" in shown


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids=lambda size: f"{size[0]}x{size[1]}")
@pytest.mark.parametrize("name", ["log", "failed-log"])
async def test_how_a_log_looks(
    name: str,
    size: tuple[int, int],
    theme: str,
    opens: Opens,
    broken: ScriptedSession,
    same_picture: Callable[[str, str], None],
) -> None:
    failed = name == "failed-log"
    app = opens(Told([]) if failed else broken, f"kvdoctor-{theme}")
    text = start(3, HEADS) if failed else SERVED
    async with app.run_test(size=size) as pilot:
        await pasted(app, pilot, text, "KVD904" if failed else "No fault")
        await press(pilot, "tab")
        picture = app.export_screenshot()

    same_picture(picture, f"explain-{name}-{size[0]}x{size[1]}-{theme}")
