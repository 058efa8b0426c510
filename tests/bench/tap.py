"""``python -m tests.bench.tap``: what passing through the tap costs, against the direct way.

The server, the tap and the client are processes of their own on this machine; every figure is
measured directly and through the tap in the same run. Each event of a stream carries the moment of
its sending, by the one clock that all processes share.
"""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import statistics
import time
from collections.abc import Awaitable, Callable, Iterator
from multiprocessing.connection import Connection as Pipe

import psutil

HOST = "127.0.0.1"
EVENTS = 100
EACH_S = 0.02
STREAMS = 200
LARGE = 512 * 1024 * 1024
_PIECE = 64 * 1024
_EVENT = b'data: {"choices":[{"index":0,"delta":{"content":"word "}}],"at":%d}\n\n'
_HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n"


# ------------------------------------------------------------------ the server


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
        head = await reader.readuntil(b"\r\n\r\n")
        await reader.readexactly(int(head.lower().partition(b"content-length: ")[2].split()[0]))
        if b"/large/" in head:
            writer.write(_HEAD + b"content-length: %d\r\n\r\n" % LARGE)
            for _piece in range(LARGE // _PIECE):
                writer.write(bytes(_PIECE))
                await writer.drain()
        else:
            await _stream(writer)
    writer.close()


async def _stream(writer: asyncio.StreamWriter) -> None:
    writer.write(_HEAD + b"transfer-encoding: chunked\r\n\r\n")
    due = time.monotonic()
    for _event in range(EVENTS):
        due += EACH_S
        await asyncio.sleep(max(due - time.monotonic(), 0))
        delta = (
            b'{"choices":[{"index":0,"delta":{"content":"word "},"finish_reason":null}],"at":%d}'
        )
        event = b"data: " + delta % time.monotonic_ns() + b"\n\n"
        writer.write(b"%x\r\n%b\r\n" % (len(event), event))
        await writer.drain()
    writer.write(b"0\r\n\r\n")


def serve(pipe: Pipe) -> None:
    async def run() -> None:
        server = await asyncio.start_server(_answer, HOST, 0, backlog=1024)
        pipe.send(server.sockets[0].getsockname()[1])
        await asyncio.to_thread(pipe.recv)

    asyncio.run(run())


# ------------------------------------------------------------------ the tap


def tap(pipe: Pipe, port: int) -> None:
    from doctor.connection import Connection, Origin, OriginKind, Protocol, Setting
    from doctor.context import Options
    from doctor.secrets import Redactor
    from doctor.tap import origins
    from doctor.tap.listeners import Tap
    from doctor.tap.preparing import Place
    from doctor.tap.session import Sitting
    from doctor.tap.steering import Lead
    from doctor.tap.upstream import Upstream

    async def run() -> None:
        base = f"http://{HOST}:{port}/v1"
        upstream = Upstream("bench", origins.Origin("http", HOST, port), Options())
        setting = Setting(base, Origin(OriginKind.FLAG, "bench"))
        connection = Connection("openai-sdk", Protocol.OPENAI_CHAT, setting)
        place = Place(Lead("bench", "", base), upstream, connection, None)
        sitting = Sitting([place], Redactor())
        async with Tap(sitting.done) as listeners:
            pipe.send(await listeners.listen(upstream))
            await asyncio.to_thread(pipe.recv)
        await sitting.finish()

    asyncio.run(run())


@contextlib.contextmanager
def apart(target: Callable[..., None], *arguments: object) -> Iterator[tuple[int, psutil.Process]]:
    """``target`` in a process of its own, for as long as the context lasts; its port."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=target, args=(there, *arguments))
    process.start()
    assert process.pid is not None, "it was started"
    try:
        yield here.recv(), psutil.Process(process.pid)
        here.send("end")
    finally:
        process.join(30)


# ------------------------------------------------------------------ the client


async def _ask(port: int, path: str) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await asyncio.open_connection(HOST, port, limit=2**20)
    body = b'{"model": "tiny", "stream": true, "messages": [{"role": "user", "content": "hi"}]}'
    line = f"POST {path}/chat/completions HTTP/1.1\r\nHost: {HOST}\r\n".encode()
    writer.write(line + b"Content-Length: %d\r\n\r\n" % len(body) + body)
    await reader.readuntil(b"\r\n\r\n")
    return reader, writer


async def delays(port: int) -> list[float]:
    """Of each event of a stream, from its sending to its coming, in milliseconds."""
    reader, writer = await _ask(port, "/stream")
    found = []
    for _event in range(EVENTS):
        event = await reader.readuntil(b"}\n\n")
        found.append((time.monotonic_ns() - int(event.rpartition(b":")[2][:-3])) / 1e6)
    writer.close()
    return found


async def many(port: int) -> list[float]:
    told = await asyncio.gather(*(delays(port) for _stream in range(STREAMS)))
    return [one for each in told for one in each]


async def speed(port: int) -> list[float]:
    """Bytes per second of one large answer."""
    reader, writer = await _ask(port, "/large")
    began, left = time.perf_counter(), LARGE
    while left:
        left -= len(await reader.read(2**20))
    writer.close()
    return [LARGE / (time.perf_counter() - began)]


def measured(ask: Callable[[int], Awaitable[list[float]]], port: int) -> list[float]:
    async def run() -> list[float]:
        return await ask(port)

    return asyncio.run(run())


def _told(name: str, direct: float, through: float, unit: str) -> None:
    ratio = through / direct if direct else 0.0
    print(f"{name:<48} {direct:>10.2f} {through:>10.2f} {unit:<6} {ratio:>7.2f}")


def main() -> int:
    print(f"{'figure':<48} {'direct':>10} {'tap':>10} {'':<6} {'ratio':>7}")
    with apart(serve) as (server, _process), apart(tap, server) as (tapped, process):
        for name, ask in (("1 stream", delays), (f"{STREAMS} streams", many)):
            before = process.cpu_times()
            began = time.perf_counter()
            through = measured(ask, tapped)
            seconds, after = time.perf_counter() - began, process.cpu_times()
            direct = measured(ask, server)
            for share in (50, 99):
                cut = [statistics.quantiles(one, n=100)[share - 1] for one in (direct, through)]
                _told(f"{name}, delay of an event, {share} %", cut[0], cut[1], "ms")
            spent = after.user + after.system - before.user - before.system
            print(f"{name}, share of a core that the tap takes".ljust(60), f"{spent / seconds:.2f}")
        direct_speed, through_speed = measured(speed, server)[0], measured(speed, tapped)[0]
        _told("one large answer", direct_speed / 2**20, through_speed / 2**20, "MiB/s")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
