"""Channel selection and the upstream behind new-api.

Facts: gateway-clients.md 1.1 (gate order) and 1.3; new-api middleware/distributor.go 003d7c0,
controller/relay.go 009910b.
"""

from __future__ import annotations

import json

from . import ask, shapes, sse, tokens
from . import newapi_texts as texts
from .ask import PATHS, Ask, Protocol
from .messages import Answer, Response, StreamResponse
from .newapi_auth import quota
from .newapi_config import Key, Model
from .newapi_texts import text
from .newapi_wire import GIN_JSON, Turn
from .relay import address, forward, with_header
from .shapes import Json
from .vllm_budget import Budget, refuse


def distribute(turn: Turn, key: Key) -> Model | Response:
    """The model that the request names, with a channel for the key's group."""
    try:
        body = turn.request.json()
        if not isinstance(body, dict):
            kind = "array" if isinstance(body, list) else type(body).__name__
            raise ValueError(f"json: cannot unmarshal {kind} into Go value of type")
    except ValueError as error:
        problem = str(error) if turn.request.body else "unexpected end of JSON input"
        if turn.old:
            return turn.abort(400, texts.OLD_INVALID_REQUEST.format(error=problem))
        return turn.abort(400, text("distributor.invalid_request", turn.language, error=problem))
    name = str(body.get("model") or "")
    if not name and not turn.old:
        return turn.abort(400, text("distributor.model_name_required", turn.language))
    if key.models is not None and name not in key.models:
        message = text("distributor.token_model_forbidden", turn.language, model=name)
        if turn.old:
            message = texts.OLD_MODEL_FORBIDDEN.format(model=name)
        return turn.abort(403, message)
    found = next((model for model in turn.config.models if model.id == name), None)
    if found is None or key.group not in found.groups:
        return _no_channel(turn, name, key.group)
    return found


def _no_channel(turn: Turn, model: str, group: str) -> Response:
    """503, which SDKs retry, also for a name that exists nowhere."""
    if turn.old:
        return turn.abort(503, texts.OLD_NO_CHANNEL.format(group=group, model=model))
    message = text("distributor.no_available_channel", turn.language, group=group, model=model)
    return turn.abort(503, message, "model_not_found")


def validate(turn: Turn, key: Key, model: Model) -> Response | None:
    """After dispatch: the request's fields, the price, the pre-charge."""
    protocol = PATHS[turn.path]
    body = turn.request.json_object()
    wanted = "input" if protocol is Protocol.RESPONSES else "messages"
    if not body.get(wanted):
        return turn.fail(500, f"field {wanted} is required", "invalid_request")
    if not model.priced:
        return turn.fail(500, texts.NO_PRICE.format(model=model.id), "model_price_error")
    return quota(turn, key)


async def upstream(turn: Turn, model: Model) -> Answer:
    """The upstream's answer: a real loopback server's, or a simulated one's."""
    if model.upstream:
        return await _forwarded(turn, model, model.upstream)
    return _simulated(turn, model)


def _simulated(turn: Turn, model: Model) -> Answer:
    protocol = PATHS[turn.path]
    asked = ask.read(protocol, turn.request.json_object())
    prompt = len(tokens.encode_chat(list(asked.contents)))
    refusal = refuse(_budget(asked, prompt), model.window, (0, 32))
    if refusal is not None:
        return passed_error(turn, refusal)
    budget = model.window - prompt
    if asked.budget is not None:
        budget = min(budget, asked.budget)
    name = model.answers_as or model.id
    done = tokens.complete(name, turn.config.answer, prompt, budget)
    if not asked.stream:
        return turn.reply(200, shapes.plain(protocol, done, asked.budget))
    events = shapes.streamed(protocol, done, asked.budget, include_usage=asked.include_usage)
    return sse.stream(events, turn.headers, turn.config.pace)


def _budget(asked: Ask, prompt: int) -> Budget:
    characters = sum(len(content) for content in asked.contents)
    # In the OpenAI form: the upstream is spoken to as one, whatever came in.
    return Budget(Protocol.CHAT, prompt, characters, asked.budget, asked.budget_field)


def passed_error(turn: Turn, answer: Response) -> Response:
    """An upstream error: status and, where it is OpenAI-shaped, message, type and code kept."""
    try:
        value = json.loads(answer.body)
    except ValueError:
        value = None
    error = value.get("error") if isinstance(value, dict) else None
    if turn.old and answer.status == 429:
        error = texts.OLD_SATURATED
    if isinstance(error, dict) and error.get("message"):
        return turn.fail(
            answer.status,
            str(error["message"]),
            error.get("code"),
            kind=str(error.get("type") or "upstream_error"),
            param=error.get("param"),
        )
    return turn.fail(
        answer.status,
        f"bad response status code {answer.status}",
        "bad_response_status_code",
        kind="upstream_error",
    )


async def _forwarded(turn: Turn, model: Model, base: str) -> Answer:
    """The request sent on with the channel's own key and model name."""
    body: Json = {**turn.request.json_object(), "model": model.upstream_model or model.id}
    host, port = address(base)
    headers = (
        ("host", f"{host}:{port}"),
        ("authorization", f"Bearer {model.upstream_key}"),
        ("content-type", "application/json"),
    )
    target = "/" + base.partition("://")[2].partition("/")[2].strip("/")
    target = target.removesuffix("/v1").rstrip("/") + turn.path
    try:
        sent = json.dumps(body, ensure_ascii=False).encode()
        answer = await forward((host, port), "POST", target, headers, sent)
    except OSError:
        return turn.fail(500, "upstream error: do request failed", "do_request_failed")
    if answer.status != 200:
        whole = answer if isinstance(answer, Response) else Response(answer.status)
        return passed_error(turn, whole)
    kind = answer.headers
    if isinstance(answer, StreamResponse):
        return StreamResponse(answer.chunks, 200, (*_kind(kind), *turn.headers))
    return Response(200, answer.body, (*_kind(kind), *turn.headers))


def _kind(headers: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    given = [value for name, value in headers if name.lower() == "content-type"]
    return with_header((), "content-type", given[0] if given else GIN_JSON)
