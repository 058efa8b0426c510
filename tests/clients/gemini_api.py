"""A server that speaks Google's API, as a stub for Gemini CLI."""

from __future__ import annotations

import json
import urllib.parse
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from doctor.demo.messages import Answer, Request
from tests.e2e.api import SSE, answer_of, stream_of

MODEL = "gemini-2.5-pro"
KEY = "AIzaMadeUp0MadeUp0MadeUp0MadeUp0MadeUp0"


def piece(text: str, finish: str | None = None, **more: Any) -> dict[str, Any]:
    """One event of a stream, which is an answer of its own."""
    candidate: dict[str, Any] = {"content": {"role": "model", "parts": [{"text": text}]}}
    if finish is not None:
        candidate["finishReason"] = finish
    return {"candidates": [candidate], "modelVersion": MODEL, **more}


USAGE = {"usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 2}}


@dataclass
class GeminiApi:
    """``generate`` makes another answer to a request for a completion; ``bearer_only`` is a
    gateway that looks at Authorization alone."""

    key: str = KEY
    generate: Callable[[], Answer] | None = None
    bearer_only: bool = False

    async def __call__(self, request: Request) -> Answer:
        if self.bearer_only:
            if request.header("authorization") != f"Bearer {self.key}":
                return refusal(401, "No API key provided", "UNAUTHENTICATED")
        elif request.header("x-goog-api-key") != self.key:
            return refusal(400, "API key not valid. Please pass a valid API key.")
        if request.method == "GET" and request.path == "/v1beta/models":
            return answer_of(200, {"models": [{"name": f"models/{MODEL}"}]})
        ahead, models, rest = request.path.partition("/v1beta/models/")
        model, colon, method = rest.partition(":")
        if request.method != "POST" or ahead or not models or not colon:
            return answer_of(404, {"error": {"code": 404, "message": "Not Found"}})
        if urllib.parse.unquote(model) != MODEL:
            return refusal(404, f"models/{model} is not found for API version v1beta", "NOT_FOUND")
        if self.generate is not None:
            return self.generate()
        if method == "streamGenerateContent" and "alt=sse" in request.target:
            return streamed(piece("po"), piece("ng", "STOP", **USAGE))
        return answer_of(200, piece("pong", "STOP", **USAGE))


def streamed(*pieces: dict[str, Any]) -> Answer:
    return stream_of([f"data: {json.dumps(one)}\n\n".encode() for one in pieces], SSE)


def refusal(status: int, message: str, name: str = "INVALID_ARGUMENT") -> Answer:
    error = {"code": status, "message": message, "status": name}
    return answer_of(status, {"error": error})
