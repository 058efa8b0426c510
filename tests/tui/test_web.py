"""``kvdoctor --web``: this machine, this user, this page, and no fixes."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import shutil
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from doctor.commands.web import command_of

pytest.importorskip("textual_serve", reason="the extra 'web' is not installed")

import aiohttp

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("chrome")


@contextlib.asynccontextmanager
async def served(tmp_path: Path, *arguments: str) -> AsyncIterator[tuple[str, str]]:
    """``kvdoctor --web`` in a home of its own: the origin, and the address that was printed."""
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(tmp_path),
        "PYTHONPATH": str(Path(__file__).parents[2]),
        "LANG": "C.UTF-8",
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "doctor",
        "--web",
        *arguments,
        cwd=tmp_path,
        env=environment,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stderr is not None
    try:
        line = (await process.stderr.readline()).decode()
        match = re.search(r"http://127\.0\.0\.1:\d+", line)
        assert match is not None, line
        yield match.group(), line.split()[-1]
    finally:
        process.send_signal(signal.SIGINT)
        await process.wait()


@pytest.fixture
async def browser() -> AsyncIterator[aiohttp.ClientSession]:
    # An address of numbers gets cookies only when that is asked for.
    async with aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True)) as session:
        yield session


async def test_only_who_has_the_printed_address_gets_in(
    tmp_path: Path, browser: aiohttp.ClientSession
) -> None:
    async with served(tmp_path) as (origin, address):
        for path in ("/", "/ws", "/download/x", "/?token=guessed"):
            async with browser.get(origin + path) as answer:
                assert answer.status == 403

        async with browser.get(address) as answer:
            assert answer.status == 200
            assert str(answer.url) == f"{origin}/"


@pytest.mark.parametrize(
    "headers",
    [{"Host": "evil.example"}, {"Origin": "https://evil.example"}],
    ids=["another name that leads here", "another page"],
)
async def test_other_pages_do_not_get_in_even_with_the_cookie(
    tmp_path: Path, browser: aiohttp.ClientSession, headers: dict[str, str]
) -> None:
    async with served(tmp_path) as (origin, address):
        async with browser.get(address) as answer:
            assert answer.status == 200
        for path in ("/", "/ws"):
            async with browser.get(origin + path, headers=headers) as answer:
                assert answer.status == 403


async def test_the_page_may_load_nothing_from_elsewhere(
    tmp_path: Path, browser: aiohttp.ClientSession
) -> None:
    async with served(tmp_path) as (_origin, address), browser.get(address) as answer:
        policy = answer.headers["Content-Security-Policy"]

    assert "default-src 'self'" in policy
    assert "http://" not in policy
    assert "https://" not in policy


async def test_it_listens_on_loopback_alone(tmp_path: Path) -> None:
    import psutil

    async with served(tmp_path) as (origin, _address):
        port = int(origin.rpartition(":")[2])
        listening = {
            connection.laddr.ip
            for connection in psutil.net_connections("tcp")
            if connection.status == psutil.CONN_LISTEN
            and connection.laddr
            and connection.laddr.port == port
        }

    assert listening == {"127.0.0.1"}


def test_the_app_of_a_browser_is_started_with_the_same_arguments() -> None:
    command = command_of(["--web", "--port", "8123", "--model", "a b", "--port=1", "--no-spend"])

    assert command.endswith("-m doctor tui --served --model 'a b' --no-spend")


# ------------------------------------------------------------------ a real browser


class Tab:
    """A tab of headless Chromium, driven by its debugging protocol."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._number = 0
        self.requested: list[str] = []
        self.drawn = ""

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        self._number += 1
        number = self._number
        await self._socket.send_json({"id": number, "method": method, "params": params})
        while True:
            message = await self._next()
            if message.get("id") == number:
                result: dict[str, Any] = message.get("result", {})
                return result

    async def until_drawn(self, text: str) -> None:
        """Until the app has sent ``text`` to the terminal in the page."""
        while text not in self.drawn:
            await self._next()

    async def _next(self) -> dict[str, Any]:
        message: dict[str, Any] = await self._socket.receive_json()
        match message.get("method"):
            case "Network.requestWillBeSent":
                self.requested.append(message["params"]["request"]["url"])
            case "Network.webSocketFrameReceived":
                import base64

                frame = message["params"]["response"]
                data = frame["payloadData"]
                if frame["opcode"] == 2:
                    data = base64.b64decode(data).decode("utf-8", "replace")
                self.drawn += re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", data)
        return message

    async def press(self, key: str) -> None:
        await self.call("Runtime.evaluate", expression="document.querySelector('textarea').focus()")
        for kind in ("keyDown", "keyUp"):
            text = {"text": key} if kind == "keyDown" else {}
            await self.call("Input.dispatchKeyEvent", type=kind, key=key, **text)


@contextlib.asynccontextmanager
async def opened(tmp_path: Path, session: aiohttp.ClientSession) -> AsyncIterator[Tab]:
    """An empty tab of a browser of its own."""
    assert CHROMIUM is not None
    process = await asyncio.create_subprocess_exec(
        CHROMIUM,
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--window-size=1200,800",
        f"--user-data-dir={tmp_path / 'profile'}",
        "--remote-debugging-port=0",
        "about:blank",
        stderr=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.DEVNULL,
    )
    assert process.stderr is not None
    try:
        match = None
        while match is None:
            line = await process.stderr.readline()
            assert line, "Chromium has ended"
            match = re.search(rb"ws://(127\.0\.0\.1:\d+)/", line)
        async with session.get(f"http://{match.group(1).decode()}/json/list") as answer:
            pages = await answer.json(content_type=None)
        url = next(page["webSocketDebuggerUrl"] for page in pages if page["type"] == "page")
        async with session.ws_connect(url, max_msg_size=0) as socket:
            tab = Tab(socket)
            await tab.call("Network.enable")
            await tab.call("Page.enable")
            yield tab
    finally:
        process.kill()
        await process.wait()


@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium here")
async def test_in_a_real_browser_it_draws_obeys_keys_offers_no_fix_and_loads_nothing_else(
    tmp_path: Path, browser: aiohttp.ClientSession
) -> None:
    (tmp_path / ".env").write_text(
        "OPENAI_BASE_URL=http://127.0.0.1:9/v1\n"
        "OPENAI_API_KEY=sk-made0up0made0up0made0up0made0up0made0up0\n"
        "OPENAI_MODEL=qwen3-8b\n"
    )
    async with served(tmp_path) as (origin, address), opened(tmp_path, browser) as tab:
        await tab.call("Page.navigate", url=address)
        await tab.until_drawn("No repair was found")
        assert "apply" not in tab.drawn

        await tab.press("a")
        await tab.until_drawn("No file is written from the browser")
        await tab.press("s")
        await tab.until_drawn("OPENAI_BASE_URL")

        own = (origin, origin.replace("http", "ws"), "data:", "blob:", "about:")
        assert [url for url in tab.requested if not url.startswith(own)] == []
