"""A server that speaks OpenAI's API as plainly as can be, each part of its answers to be chosen."""

from __future__ import annotations

import dataclasses
import gzip
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from doctor.demo.messages import Answer, Headers, Request, Response, StreamResponse
from doctor.demo.sse import INSTANT, Pace, paced

Json = dict[str, Any]
SSE: Headers = (("content-type", "text/event-stream"),)
JSON: Headers = (("content-type", "application/json"),)


def answer_of(status: int, value: object, headers: Headers = ()) -> Response:
    body = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return Response(status, body.encode(), (*JSON, *headers))


def chunk(model: str, delta: Json | None, finish: str | None = None, **more: Any) -> Json:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1_760_000_000}
    return {**head, "model": model, "choices": [] if delta is None else [choice], **more}


def said(model: str, *texts: str, finish: str = "stop") -> list[Json]:
    """The chunks of an ordinary stream."""
    return [
        chunk(model, {"role": "assistant", "content": ""}),
        *(chunk(model, {"content": text}) for text in texts),
        chunk(model, {}, finish),
    ]


def events(chunks: Iterable[Json | str], *, done: bool = True) -> list[bytes]:
    """Chunks as server-sent events; text is a line as it stands."""
    lines = [c if isinstance(c, str) else f"data: {json.dumps(c)}" for c in chunks]
    return [f"{line}\n\n".encode() for line in (*lines, *(["data: [DONE]"] if done else []))]


def stream_of(
    parts: Sequence[bytes], headers: Headers = SSE, pace: Pace = INSTANT, status: int = 200
) -> StreamResponse:
    return StreamResponse(paced(parts, pace), status, headers)


def whole(model: str, content: str | None = "pong", finish: str = "stop", **message: Any) -> Json:
    told = {"role": "assistant", "content": content, **message}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_760_000_000,
        "model": model,
        "choices": [{"index": 0, "message": told, "finish_reason": finish}],
        "usage": {"prompt_tokens": 8, "completion_tokens": 2, "total_tokens": 10},
    }


def listed(*ids: str, **more: Any) -> Json:
    entries = [{"id": name, "object": "model", "created": 1, "owned_by": "me"} for name in ids]
    return {"object": "list", "data": [{**entry, **more} for entry in entries]}


def gzipped(answer: Response) -> Response:
    packed = gzip.compress(answer.body)
    return dataclasses.replace(
        answer, body=packed, headers=(*answer.headers, ("content-encoding", "gzip"))
    )


@dataclass(frozen=True)
class Api:
    """The handler. ``chat`` makes the answer to a completion of the request's body, ``models``
    that to the models list. Any other path is 404. ``key`` None: none is looked at."""

    ids: tuple[str, ...] = ("qwen3-8b",)
    key: str | None = None
    prefix: str = "/v1"
    chat: Callable[[Json], Answer] | None = None
    models: Callable[[], Answer] | None = None
    headers: Headers = ()

    async def __call__(self, request: Request) -> Answer:
        if self.key is not None and request.header("authorization") != f"Bearer {self.key}":
            return answer_of(401, {"error": {"message": "Incorrect API key", "code": "bad_key"}})
        if request.method == "GET" and request.path == f"{self.prefix}/models":
            return self.models() if self.models else answer_of(200, listed(*self.ids), self.headers)
        if request.method == "POST" and request.path == f"{self.prefix}/chat/completions":
            return self._completed(request.json_object())
        return answer_of(404, {"error": {"message": "Not Found", "type": "invalid_request_error"}})

    def _completed(self, body: Json) -> Answer:
        if self.chat is not None:
            return self.chat(body)
        model = str(body.get("model"))
        if model not in self.ids:
            text = f"The model `{model}` does not exist."
            return answer_of(404, {"error": {"message": text, "code": "model_not_found"}})
        if not body.get("stream"):
            return answer_of(200, whole(model), self.headers)
        return stream_of(events(said(model, "po", "ng")), (*SSE, *self.headers))
