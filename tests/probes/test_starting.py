"""Which processes are engines that have yet to listen."""

from __future__ import annotations

import asyncio
import socket
import sys
from pathlib import Path

import pytest

from doctor import facts
from doctor.probes.starting import Process, engines_on, port_of, serves
from tests.kit import connection
from tests.probes.world import world


@pytest.mark.parametrize(
    "arguments",
    [
        ("/opt/venv/bin/python", "/opt/venv/bin/vllm", "serve", "m"),
        ("vllm", "serve", "m"),
        (r"C:\venv\Scripts\vllm.exe", "serve", "m"),
        ("python3", "-m", "vllm.entrypoints.openai.api_server", "--model", "m"),
        ("python3", "-u", "-m", "vllm.entrypoints.cli.main", "serve", "m"),
    ],
)
def test_an_api_server(arguments: tuple[str, ...]) -> None:
    assert serves(arguments)


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("vllm", "bench", "serve"),
        ("vim", "vllm", "notes.md"),
        ("python3", "-m", "vllm.entrypoints.cli.main", "chat"),
        ("kvdoctor", "launch", "--", "vllm", "serve", "m"),
        ("VLLM::EngineCore",),
    ],
)
def test_what_is_no_api_server(arguments: tuple[str, ...]) -> None:
    assert not serves(arguments)


@pytest.mark.parametrize(
    ("arguments", "port"),
    [
        ((), 8000),
        (("--port", "8100"), 8100),
        (("--port=8100",), 8100),
        (("--port", "8100", "--port=8200"), 8200),
        (("--port",), 8000),
        (("--port", "eight"), 8000),
    ],
)
def test_the_port_that_it_will_have(arguments: tuple[str, ...], port: int) -> None:
    assert port_of(arguments) == port


def test_only_those_of_the_port_count_and_the_oldest_comes_first() -> None:
    found = [
        Process(3, ("vllm", "serve", "m"), 150.0),
        Process(2, ("vllm", "serve", "m", "--port", "8000"), 100.0),
        Process(1, ("vllm", "serve", "m", "--port", "8001"), 50.0),
    ]
    assert [(p.pid, p.seconds) for p in engines_on(8000, found, 160.0)] == [(2, 60.0), (3, 10.0)]


async def test_a_real_process_that_does_not_listen_is_found(tmp_path: Path) -> None:
    script = tmp_path / "vllm"
    script.write_text("print('up', flush=True)\ninput()\n", "utf-8")
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        port = held.getsockname()[1]
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, str(script), "serve", "m", "--port", str(port)),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        try:
            assert process.stdout is not None
            await process.stdout.readline()
            async with world(connection(f"http://127.0.0.1:{port}/v1")) as store:
                found = await store.get(facts.STARTING)
            async with world(connection("http://gateway.example/v1")) as store:
                elsewhere = await store.get(facts.STARTING)
        finally:
            await process.communicate(b"\n")

    assert [each.pid for each in found] == [process.pid]
    assert elsewhere == ()
