"""``python -m tests.bench.client``: what measuring costs the measuring client, and how true it is.

64 streams of 50 tokens per second each, from a server in a process of its own: CPU of the client
beyond that of bare httpx streams, as a share of one core; and the time to the first token, one
stream at a time, against the server's own clock.
"""

from __future__ import annotations

import asyncio
import json
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import httpx

from doctor.connection import Protocol
from doctor.context import Options
from doctor.demo.http import LoopbackServer
from doctor.demo.messages import Answer, Request, Response, StreamResponse
from doctor.probes.streaming import Call, Streamer
from doctor.probes.trust import Trust
from doctor.secrets import Redactor

ROOT = Path(__file__).resolve().parents[2]
STREAMS = 64
EACH = 1 / 50
TOKENS = 100
ROUNDS = 3
ALONE = 15
CPU_BUDGET = 0.02
TTFT_BUDGET = 0.002
BODY = json.dumps({"model": "tiny", "messages": [{"role": "user", "content": "hi"}]})


class Paced:
    """Streams tokens at a pace, and tells at ``/times`` how long after each request's arrival the
    first one left, in seconds."""

    def __init__(self) -> None:
        self.times: list[float] = []

    async def __call__(self, request: Request) -> Answer:
        if request.path == "/times":
            told, self.times = self.times, []
            return Response(200, json.dumps(told).encode(), (("content-type", "application/json"),))
        arrived = request.received_at
        return StreamResponse(
            self._events(arrived), headers=(("content-type", "text/event-stream"),)
        )

    async def _events(self, arrived: float) -> AsyncIterator[bytes]:
        yield _chunk("")
        for number in range(TOKENS):
            await asyncio.sleep(EACH)
            if number == 0:
                self.times.append(time.monotonic() - arrived)
            yield _chunk(f"word{number} ")
        usage = {"prompt_tokens": 9, "completion_tokens": TOKENS}
        yield b"data: " + json.dumps({"choices": [], "usage": usage}).encode() + b"\n\n"
        yield b"data: [DONE]\n\n"


def _chunk(content: str) -> bytes:
    choice = {"index": 0, "delta": {"content": content}, "logprobs": None, "finish_reason": None}
    value = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "tiny"}
    return b"data: " + json.dumps({**value, "choices": [choice]}).encode() + b"\n\n"


async def serve() -> None:
    """Until stdin ends."""
    async with LoopbackServer(Paced()) as server:
        sys.stdout.write(f"{server.origin}\n")
        sys.stdout.flush()
        await asyncio.to_thread(sys.stdin.read)


async def bare(origin: str, client: httpx.AsyncClient) -> None:
    """A stream that is read and thrown away."""
    async with client.stream("POST", f"{origin}/v1/chat/completions", content=BODY) as response:
        async for _data in response.aiter_raw():
            pass


async def _spent(one: Callable[[], Awaitable[object]]) -> float:
    """CPU seconds per second of 64 streams at once."""
    began, cpu = time.perf_counter(), time.process_time()
    await asyncio.gather(*(one() for _stream in range(STREAMS)))
    return (time.process_time() - cpu) / (time.perf_counter() - began)


async def measured(origin: str) -> tuple[float, float, float]:
    """CPU of bare streams and of measured ones, by second; and by how much the time to the first
    token is off, in seconds (the median)."""
    url = f"{origin}/v1/chat/completions"
    call = Call(Protocol.OPENAI_CHAT, url, (), None, Trust(), 60.0)
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=None)
    plain, ours = [], []
    async with (
        Streamer(Options(), call, Redactor()) as streamer,
        httpx.AsyncClient(trust_env=False, timeout=None, limits=limits) as client,
    ):
        # In turn, so that what else the machine does meets both; connections are open then.
        for number in range(ROUNDS + 1):
            without = await _spent(lambda: bare(origin, client))
            with_ = await _spent(lambda: streamer.ask(BODY))
            if number:
                plain.append(without)
                ours.append(with_)
        await client.get(f"{origin}/times")
        seen = [(await streamer.ask(BODY)).ttft or 0.0 for _time in range(ALONE)]
        told = (await client.get(f"{origin}/times")).json()
    off = statistics.median(abs(a - b) for a, b in zip(seen, told, strict=True))
    return min(plain), min(ours), off


def main() -> int:
    if sys.argv[1:] == ["serve"]:
        asyncio.run(serve())
        return 0
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.bench.client", "serve"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert server.stdout is not None
    try:
        plain, ours, off = asyncio.run(measured(server.stdout.readline().strip()))
    finally:
        server.communicate("")
    figures = (
        ("CPU beyond bare streams, of a core", ours - plain, CPU_BUDGET),
        ("time to the first token, off by (s)", off, TTFT_BUDGET),
    )
    print(f"bare streams {plain:.3f} of a core, measured ones {ours:.3f}")
    print(f"{'figure':<40} {'measured':>10} {'budget':>8}  ratio")
    for name, value, budget in figures:
        print(f"{name:<40} {value:>10.4f} {budget:>8.4f}  {value / budget:>5.2f}")
    return int(any(value > budget for _name, value, budget in figures))


if __name__ == "__main__":
    sys.exit(main())
