"""A LiteLLM-proxy-like gateway.

Facts: gateway-clients.md 1.2, real-servers.md; every body and header here was observed on
LiteLLM 1.108.7 with a master key and no database, but for the two that need one.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable

from . import ask, pages, shapes, sse, tokens
from .ask import Protocol
from .faults import Faults
from .litellm_config import Group, LiteLlmConfig
from .messages import Answer, Headers, Request, Response, StreamResponse, json_response
from .relay import address, forward
from .shapes import Json

# Both with and without /v1; the faults of a route go by the first name.
_ALIASES = {
    "/chat/completions": "/v1/chat/completions",
    "/responses": "/v1/responses",
    "/models": "/v1/models",
}

# What an unknown model's message begins with, by protocol.
_ROUTE_NAMES = {
    Protocol.CHAT: "/chat/completions",
    Protocol.MESSAGES: "anthropic_messages",
    Protocol.RESPONSES: "/responses",
}

# Upstream status: LiteLLM's exception and the error type it gives.
_EXCEPTIONS = {
    401: ("AuthenticationError", "authentication_error"),
    404: ("NotFoundError", "invalid_request_error"),
    429: ("RateLimitError", "throttling_error"),
    503: ("ServiceUnavailableError", "internal_server_error"),
}

_DOCS = "<!DOCTYPE html>\n<html>\n<head>\n<title>LiteLLM API - Swagger UI</title>\n</head></html>\n"


_Route = Callable[[Request, str], Awaitable[Answer]]


class LiteLlm:
    """The handler: ``LoopbackServer(LiteLlm(LiteLlmConfig()))``."""

    def __init__(self, config: LiteLlmConfig | None = None) -> None:
        self.config = config or LiteLlmConfig()
        self.faults = Faults.of(self.config.faults)
        asked: dict[str, _Route] = dict.fromkeys(ask.PATHS, self._generate)
        self._routes: dict[str, tuple[str, _Route]] = {
            **{path: ("POST", route) for path, route in asked.items()},
            "/v1/models": ("GET", self._models),
            "/health": ("GET", self._health),
            "/key/info": ("GET", self._key_info),
        }

    async def __call__(self, request: Request) -> Answer:
        path = _ALIASES.get(request.path, request.path)

        async def routed() -> Answer:
            return await self._route(request, path)

        return await self.faults.apply(path, request, routed, early=True)

    async def _route(self, request: Request, path: str) -> Answer:
        """Routes come before keys: a wrong path is 404 with any key (unlike vLLM)."""
        match path:
            case "/":
                return pages.html(200, _DOCS)
            case "/health/liveliness" | "/health/liveness":
                return json_response(200, "I'm alive!")
            case "/health/readiness":
                database = "connected" if self.config.database else "Not connected"
                return json_response(200, {"status": "healthy", "db": database})
        if path not in self._routes:
            bare = path.removesuffix("/")
            if bare != path and bare in self._routes:
                location = f"http://{request.host}{request.path[:-1]}"
                return Response(307, b"", (("location", location),))
            return json_response(404, {"detail": "Not Found"})
        method, route = self._routes[path]
        if request.method != method:
            return json_response(405, {"detail": "Method Not Allowed"}, (("allow", method),))
        refusal = self._refusal(request)
        if refusal is not None:
            return refusal

        async def served() -> Answer:
            return await route(request, path)

        return await self.faults.apply(path, request, served, early=False)

    def _refusal(self, request: Request) -> Response | None:
        """401 for no key; a wrong one is 400 without a database, 401 with one."""
        given = request.header("authorization")
        # On every route, and not only in Anthropic's protocol.
        key = request.header("x-api-key")
        if key is None and given is None:
            return _error(401, "Authentication Error, No api key passed in.", "auth_error", "None")
        if key is None and given is not None:
            scheme, _, key = given.partition(" ")
            if scheme.lower() != "bearer" or not key:
                text = "Malformed API Key passed in. Ensure Key has `Bearer ` prefix."
                return _error(401, f"Authentication Error, {text}", "auth_error", "None")
        if key == self.config.master_key:
            return None
        if not self.config.database:
            return _error(400, "No connected db.", "no_db_connection")
        # Read in litellm/constants.py and proxy/auth/resolvers/exceptions.py of 1.108.7.
        text = "Authentication Error, Invalid API key provided."
        return _error(401, text, "token_not_found_in_db", "key")

    async def _models(self, request: Request, path: str) -> Answer:
        cards = [
            {"id": group.name, "object": "model", "created": 1677610602, "owned_by": "openai"}
            for group in self.config.groups
        ]
        return json_response(200, {"data": cards, "object": "list"})

    async def _health(self, request: Request, path: str) -> Answer:
        sound = [{"api_base": g.upstream, "model": f"openai/{g.model}"} for g in self.config.groups]
        answer: Json = {
            "healthy_endpoints": sound,
            "unhealthy_endpoints": [],
            "healthy_count": len(sound),
            "unhealthy_count": 0,
        }
        return json_response(200, answer)

    async def _key_info(self, request: Request, path: str) -> Answer:
        text = (
            "Database not connected. Connect a database to your proxy - "
            "https://docs.litellm.ai/docs/simple_proxy#managing-auth---virtual-keys"
        )
        return _error(500, text, "internal_server_error")

    async def _generate(self, request: Request, path: str) -> Answer:
        protocol = ask.PATHS[path]
        try:
            body = request.json()
        except ValueError as error:
            text = f"Invalid JSON payload: {error}"
            return _error(400, text, "invalid_request_error", "request_body")
        if not isinstance(body, dict):
            body = {}
        group = next((g for g in self.config.groups if g.name == body.get("model")), None)
        if group is None:
            return self._unknown(protocol, str(body.get("model")))
        if protocol is Protocol.CHAT and "messages" not in body:
            text = "/chat/completions: Missing required parameter: 'messages'."
            return _error(400, text, "invalid_request_error", "messages", self._call())
        if group.upstream is None:
            return self._simulated(protocol, body, group)
        return await self._forwarded(protocol, path, body, group, group.upstream)

    def _unknown(self, protocol: Protocol, model: str) -> Response:
        text = (
            f"{_ROUTE_NAMES[protocol]}: Invalid model name passed in model={model}."
            " Call `/v1/models` to view available models for your key."
        )
        kind, extra = "invalid_request_error", {"provider_specific_fields": {"error": text}}
        if protocol is Protocol.MESSAGES:
            error: Json = {"type": kind, "message": text, **extra}
            return json_response(400, {"type": "error", "error": error}, self._call())
        error = {"message": text, "type": kind, "param": None, "code": "400", **extra}
        return json_response(400, {"error": error}, self._call())

    def _call(self) -> Headers:
        version = ("x-litellm-version", self.config.version)
        return (("x-litellm-call-id", str(uuid.uuid4())), version)

    def _answered(self, group: Group) -> Headers:
        """They give the backend's address away (observed: x-litellm-model-api-base)."""
        ident = hashlib.sha256(group.name.encode()).hexdigest()
        base = () if group.upstream is None else (("x-litellm-model-api-base", group.upstream),)
        return (
            *self._call(),
            ("x-litellm-model-id", ident),
            ("x-litellm-model-name", f"openai/{group.model}"),
            *base,
            ("x-litellm-model-group", group.name),
            ("x-litellm-attempted-retries", "0"),
            ("x-litellm-attempted-fallbacks", "0"),
        )

    def _simulated(self, protocol: Protocol, body: Json, group: Group) -> Answer:
        asked = ask.read(protocol, body)
        prompt = len(tokens.encode_chat(list(asked.contents)))
        budget = len(self.config.answer) + 1 if asked.budget is None else max(asked.budget, 1)
        done = tokens.complete(group.name, self.config.answer, prompt, budget)
        if asked.stream:
            events = shapes.streamed(
                protocol, done, asked.budget, include_usage=asked.include_usage
            )
            return sse.stream(events, self._stream_headers(group))
        return json_response(200, shapes.plain(protocol, done, asked.budget), self._answered(group))

    def _stream_headers(self, group: Group) -> Headers:
        extra = (("cache-control", "no-cache"), ("x-accel-buffering", "no"))
        return (*self._answered(group), *extra)

    async def _forwarded(
        self, protocol: Protocol, path: str, body: Json, group: Group, base: str
    ) -> Answer:
        host, port = address(base)
        headers = (
            ("host", f"{host}:{port}"),
            ("authorization", f"Bearer {group.upstream_key}"),
            ("content-type", "application/json"),
        )
        target = "/" + base.partition("://")[2].partition("/")[2].strip("/")
        target = target.rstrip("/") + path.removeprefix("/v1")
        sent = json.dumps({**body, "model": group.model}, ensure_ascii=False).encode()
        try:
            answer = await forward((host, port), "POST", target, headers, sent)
        except OSError:
            return self._wrapped(protocol, group, 500, "Connection error.", {})
        if isinstance(answer, StreamResponse):
            kind = ("content-type", "text/event-stream; charset=utf-8")
            chunks = _renamed(answer.chunks, group)
            return StreamResponse(chunks, 200, (kind, *self._stream_headers(group)))
        try:
            value = json.loads(answer.body)
        except ValueError:
            value = None
        if answer.status != 200:
            error = value.get("error") if isinstance(value, dict) else None
            kept = error if isinstance(error, dict) else {}
            text = str(kept.get("message") or f"Error code: {answer.status}")
            return self._wrapped(protocol, group, answer.status, text, kept)
        if not isinstance(value, dict):
            text = (
                "Empty or invalid response from LLM endpoint. Received:"
                f" {answer.body.decode('utf-8', 'replace')!r}."
                " Check the reverse proxy or model server configuration."
            )
            return self._wrapped(protocol, group, 500, text, {})
        # The client sees the group's name, not the deployment's (observed).
        return json_response(200, {**value, "model": group.name}, self._answered(group))

    def _wrapped(
        self, protocol: Protocol, group: Group, status: int, text: str, kept: Json
    ) -> Response:
        """An upstream failure in LiteLLM's frame; only a 400 keeps the upstream's type."""
        tail = (
            f"\n\nLiteLLM: model group '{group.name}' failed with the error above."
            " No fallback was attempted."
        )
        if status == 400:
            head, kind = "litellm.BadRequestError", str(kept.get("type") or "BadRequestError")
        else:
            name, kind = _EXCEPTIONS.get(status, ("InternalServerError", "internal_server_error"))
            status = status if status in _EXCEPTIONS else 500
            head = f"litellm.{name}: {name}"
        message = f"{head}: OpenAIException - {text}{tail}"
        if protocol is Protocol.MESSAGES:
            kind = "invalid_request_error" if status == 400 else kind
            error = {"type": kind, "message": message}
            return json_response(status, {"type": "error", "error": error}, self._call())
        param = kept.get("param") if status == 400 else None
        return _error(status, message, kind, param, self._call())


async def _renamed(chunks: AsyncIterable[bytes], group: Group) -> AsyncIterator[bytes]:
    """The client sees the group's name in every chunk (observed)."""
    ours, theirs = (f'"model":{json.dumps(name)}'.encode() for name in (group.name, group.model))
    async for chunk in chunks:
        yield chunk.replace(theirs, ours)


def _error(
    status: int, message: str, kind: str, param: object = None, headers: Headers = ()
) -> Response:
    """The code is the status as a string."""
    error = {"message": message, "type": kind, "param": param, "code": str(status)}
    return json_response(status, {"error": error}, headers)
