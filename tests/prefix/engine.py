"""An engine on loopback with a prefix cache of its own, sound or with one of its faults."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from doctor.demo.messages import Answer, Request, Response

_JSON = (("content-type", "application/json"),)
_TEXT = (("content-type", "text/plain; version=0.0.4"),)
KEY = "sk-made0up0engine0made0up0engine"


@dataclass
class CachingEngine:
    """Blocks of characters stand for blocks of tokens.

    ``replicas`` answer in turn, each with a cache of its own. ``tells`` is whether answers hold
    cached_tokens; ``metrics`` whether it is a vLLM that exposes its counters. ``whole`` finds
    nothing but the very same request.
    """

    block: int = 16
    caching: bool = True
    replicas: int = 1
    tells: bool = True
    metrics: bool = True
    broken: bool = False
    refuses: str = ""
    asked: list[dict[str, Any]] = field(default_factory=list)
    _seen: dict[int, set[str]] = field(default_factory=dict)
    _hits: int = 0
    _queries: int = 0

    async def __call__(self, request: Request) -> Answer:
        if request.path == "/metrics" and self.metrics:
            return Response(200, self._exposed().encode(), _TEXT)
        if request.path == "/version" and self.metrics:
            return self._reply(200, {"version": "0.32.0"})
        if request.path == "/v1/models":
            owner = "vllm" if self.metrics else "someone"
            card = {"id": "shop-8b", "object": "model", "owned_by": owner}
            return self._reply(200, {"object": "list", "data": [card]})
        if request.method == "POST" and request.path == "/v1/chat/completions":
            return self._complete(json.loads(request.body))
        return self._reply(404, {"detail": "Not Found"})

    def _complete(self, body: dict[str, Any]) -> Response:
        self.asked.append(body)
        if self.refuses:
            return self._reply(400, {"error": {"message": self.refuses, "type": "BadRequest"}})
        text = str(body.get("cache_salt", "")) + json.dumps(body.get("tools", ""))
        text += "".join(f"{turn['role']}\n{turn['content']}\n" for turn in body["messages"])
        hits = self._play(text) if self.caching else 0
        self._hits += hits
        self._queries += len(text)
        usage: dict[str, Any] = {"prompt_tokens": len(text), "completion_tokens": 1}
        if self.tells:
            usage["prompt_tokens_details"] = {"cached_tokens": hits}
        message = {"role": "assistant", "content": "o"}
        choice = {"index": 0, "message": message, "finish_reason": "length"}
        return self._reply(200, {"id": "1", "choices": [choice], "usage": usage})

    def _play(self, text: str) -> int:
        seen = self._seen.setdefault(len(self.asked) % self.replicas, set())
        hits = 0
        for end in range(self.block, len(text), self.block):
            if text[:end] not in seen or self.broken:
                break
            hits = end
        seen.update(text[:end] for end in range(self.block, len(text) + 1, self.block))
        return hits

    def _exposed(self) -> str:
        labels = f'block_size="{self.block}",enable_prefix_caching="{self.caching}"'
        series = 'engine="0",model_name="shop-8b"'
        return (
            f'vllm:cache_config_info{{{labels},engine="0"}} 1.0\n'
            f"vllm:prefix_cache_queries_total{{{series}}} {float(self._queries)}\n"
            f"vllm:prefix_cache_hits_total{{{series}}} {float(self._hits)}\n"
            f"vllm:num_requests_running{{{series}}} 0.0\n"
        )

    @staticmethod
    def _reply(status: int, value: object) -> Response:
        return Response(status, json.dumps(value).encode(), _JSON)
