"""The requests of a tap as the app shows them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from textual.pilot import Pilot

from doctor.context import Options
from doctor.secrets import Redactor
from doctor.tap.heads import Head
from doctor.tap.origins import Origin
from doctor.tap.reading import read
from doctor.tap.record import Record
from doctor.tap.seen import End, Seen
from doctor.tap.upstream import Upstream
from doctor.text import Translator
from doctor.tui.app import DoctorApp
from doctor.tui.screens.tap import Feed
from doctor.tui.speech import Speech
from tests.tui.scripted import ScriptedSession
from tests.tui.steps import press, settle, text_of, until

KEY = "sk-made0up0made0up0made0up0made0up0"
ADDRESSES = (("http://127.0.0.1:1001", "https://gateway.example"),)
SETS = ("export OPENAI_BASE_URL=http://127.0.0.1:1001/v1",)


def record(number: int, status: int, message: str = "") -> Record:
    head = Head.of(
        b"POST /v1/chat/completions HTTP/1.1\r\nauthorization: Bearer %b\r\n\r\n" % KEY.encode()
    )
    seen = Seen(number, "openai-base-url", head)
    seen.take(b'{"model": "qwen3-8b"}')
    seen.answer = Head.of(b"HTTP/1.1 %d X\r\ncontent-type: application/json\r\n\r\n" % status)
    body = b'{"error": {"message": "%b"}}' % message.encode()
    answer = b'{"choices": [{"message": {"content": "hi"}}], "usage": {"prompt_tokens": 12,'
    seen.hear(body if message else answer + b' "completion_tokens": 3}}')
    seen.close(End.COMPLETE)
    upstream = Upstream("openai-base-url", Origin("https", "gateway.example", 443), Options())
    return read(seen, upstream, Redactor())


@asynccontextmanager
async def opened(feed: Feed) -> AsyncIterator[Pilot[int]]:
    redactor = Redactor()
    app = DoctorApp(
        ScriptedSession([], redactor=redactor),
        Speech(Translator("en"), redactor),
        environ={},
        taps=feed,
    )
    async with app.run_test(size=(120, 30)) as pilot:
        await settle(pilot)
        yield pilot


async def test_requests_come_up_as_they_are_answered() -> None:
    feed = Feed(ADDRESSES, SETS)
    async with opened(feed) as pilot:
        shown = text_of(pilot)
        assert "Waiting" in shown
        assert "http://127.0.0.1:1001 leads to https://gateway.example" in shown

        feed.put(record(1, 200))
        await until(pilot, lambda: "12 → 3" in text_of(pilot))
        assert "All answered" in text_of(pilot)

        feed.put(record(2, 401, "no such key \x1b[31m"))
        await until(pilot, lambda: "401" in text_of(pilot))
        shown = text_of(pilot)
        assert "1 without an answer" in shown
        assert "2 requests" in shown
        assert shown.index("401") < shown.index("200")
        assert "\x1b" not in shown


async def test_a_request_is_looked_into_and_its_key_is_masked() -> None:
    feed = Feed(ADDRESSES, SETS)
    feed.put(record(1, 401, "no such key"))
    async with opened(feed) as pilot:
        await press(pilot, "enter")
        shown = text_of(pilot)
        assert "authorization  Bearer sk-…" in shown
        assert "no such key" in shown
        assert KEY not in pilot.app.export_screenshot()

        await press(pilot, "escape", "a")
        assert SETS[0] in text_of(pilot)


async def test_leaving_it_ends_the_app() -> None:
    async with opened(Feed(ADDRESSES, SETS)) as pilot:
        await pilot.press("q")
        await pilot.pause()
        assert not pilot.app.is_running
