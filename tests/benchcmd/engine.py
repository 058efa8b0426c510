"""An engine on loopback with so many slots, whose metrics tell what runs and what waits."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from doctor.demo.messages import Answer, Request, Response, StreamResponse

KEY = "sk-made0up0bench0made0up0bench00"
_JSON = (("content-type", "application/json"),)
_TEXT = (("content-type", "text/plain; version=0.0.4"),)
_EVENTS = (("content-type", "text/event-stream; charset=utf-8"),)


@dataclass
class SlottedEngine:
    """``each`` and ``first`` are seconds. ``refuses`` is a parameter that it does not know,
    ``fails`` a status for every completion. ``metrics`` says that it is a vLLM that tells; without
    it is some gateway. ``cut`` breaks streams off. ``below`` stands before the path.
    A word of the prompt is a token."""

    slots: int = 1_000
    first: float = 0.0
    each: float = 0.0
    refuses: str = ""
    fails: int = 0
    metrics: bool = True
    cut: bool = False
    below: str = ""
    asked: list[dict[str, Any]] = field(default_factory=list)
    running: int = 0
    waiting: int = 0
    most: int = 0
    written: int = 0
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    _free: asyncio.Semaphore | None = None

    async def __call__(self, request: Request) -> Answer:
        if request.path == "/metrics" and self.metrics:
            return Response(200, self._exposed().encode(), _TEXT)
        if request.path == "/version" and self.metrics:
            return _reply(200, {"version": "0.32.0"})
        if request.path == "/v1/models":
            owner = "vllm" if self.metrics else "someone"
            card = {"id": "shop-8b", "object": "model", "owned_by": owner}
            return _reply(200, {"object": "list", "data": [card]})
        if request.method == "POST" and request.path == f"{self.below}/v1/chat/completions":
            return self._complete(request)
        return _reply(404, {"detail": "Not Found"})

    def _complete(self, request: Request) -> Answer:
        body = json.loads(request.body)
        if self.fails:
            return _reply(self.fails, {"error": {"message": "out of order", "type": "server"}})
        if self.refuses and self.refuses in body:
            said = f"Unrecognized request argument supplied: {self.refuses}"
            return _reply(400, {"error": {"message": said, "type": "invalid_request_error"}})
        self.asked.append(body)
        return StreamResponse(self._stream(body), headers=_EVENTS)

    async def _stream(self, body: dict[str, Any]) -> AsyncIterator[bytes]:
        if self._free is None:
            self._free = asyncio.Semaphore(self.slots)
        self.waiting += 1
        async with self._free:
            self.waiting -= 1
            self.running += 1
            self.most = max(self.most, self.running)
            try:
                async for event in self._events(body):
                    yield event
            finally:
                self.running -= 1

    async def _events(self, body: dict[str, Any]) -> AsyncIterator[bytes]:
        count = body.get("max_tokens") or body["max_completion_tokens"]
        yield _chunk({"role": "assistant", "content": ""})
        await asyncio.sleep(self.first)
        for number in range(count):
            if number and self.each:
                await asyncio.sleep(self.each)
            self.written += 1
            self.begun.set()
            yield _chunk({"content": f"w{number} "})
            if self.cut and number:
                return
        yield _chunk({}, finish="length")
        if body.get("stream_options"):
            prompt = sum(len(str(turn["content"]).split()) for turn in body["messages"])
            usage = {"prompt_tokens": prompt, "completion_tokens": count}
            yield _data({"choices": [], "usage": usage})
        yield b"data: [DONE]\n\n"

    def _exposed(self) -> str:
        labels = '{engine="0",model_name="shop-8b"}'
        return "".join(
            f"vllm:{name}{labels} {value}\n"
            for name, value in (
                ("num_requests_running", self.running),
                ("num_requests_waiting", self.waiting),
                ("kv_cache_usage_perc", 0.02),
                ("num_preemptions_total", 0),
                ("generation_tokens_total", self.written),
            )
        )


def _chunk(delta: dict[str, str], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return _data({"id": "c", "object": "chat.completion.chunk", "choices": [choice]})


def _data(value: object) -> bytes:
    return b"data: " + json.dumps(value).encode() + b"\n\n"


def _reply(status: int, value: object) -> Response:
    return Response(status, json.dumps(value).encode(), _JSON)
