"""Validation of a body as vLLM 0.32.0 does it, in its words.

Facts: observed/vllm-0.32.0-http-probe.txt, "validation" and "model not found"; the bodies that
are no object were observed on the same engine.
"""

from __future__ import annotations

import json

from .ask import Protocol
from .messages import Request, Response
from .shapes import Json
from .vllm_shapes import error, invalid, with_parameter

_REQUIRED = {
    Protocol.CHAT: ("messages",),
    Protocol.MESSAGES: ("messages", "max_tokens"),
    Protocol.RESPONSES: ("input",),
}


def read_body(request: Request) -> Json | Response:
    """The JSON object of a request, or the refusal."""
    kind = (request.header("content-type") or "application/json").partition(";")[0]
    if kind.strip().lower() != "application/json":
        return invalid("Unsupported Media Type: Only 'application/json' is allowed", None)
    if not request.body:
        return _problem("missing", "body", "Field required", "None")
    try:
        value = request.json()
    except ValueError as problem:
        spot = problem if isinstance(problem, json.JSONDecodeError) else None
        extra = f", 'ctx': {{'error': '{spot.msg if spot else 'Expecting value'}'}}"
        at = f"body.{spot.pos if spot else 0}"
        return _problem("json_invalid", at, "JSON decode error", "<dict of 0 items>", extra)
    if not isinstance(value, dict):
        size = len(value) if isinstance(value, list) else 0
        text = "Input should be a valid dictionary or object to extract fields from"
        return _problem("model_attributes_type", "body", text, f"<list of {size} items>")
    return value


def check(body: Json, protocol: Protocol, *, tools: bool) -> Response | None:
    """The first thing wrong with the fields of a request, or None."""
    for name in _REQUIRED[protocol]:
        if name not in body:
            size = f"<dict of {len(body)} items>"
            return _problem("missing", f"body.{name}", "Field required", size)
    if protocol is Protocol.MESSAGES and body.get("max_tokens") == 0:
        text = "max_tokens must be positive"
        extra = f", 'ctx': {{'error': ValueError('{text}')}}"
        return _problem("value_error", "body.max_tokens", f"Value error, {text}", "0", extra)
    if body.get("messages") == []:
        text = "Cannot apply chat template to an empty conversation."
        return error(protocol, text + " Provide at least one message.")
    return _sampling(body, protocol) or _tools(body, protocol, served=tools)


def known_model(
    body: Json, protocol: Protocol | None, names: tuple[str, ...], version: tuple[int, ...]
) -> Response | None:
    """404 unless the name is served; without one the first name serves (observed: 200)."""
    name = body.get("model")
    if not name or name in names:
        return None
    text = f"The model `{name}` does not exist."
    if version >= (0, 32):
        return error(protocol, f"{text} Valid aliases: {', '.join(names)}.", "model", 404)
    return error(protocol, text, None, 404)


def _problem(kind: str, at: str, text: str, given: str, extra: str = "") -> Response:
    parts = f"{{'type': '{kind}', 'loc': '{at}', 'msg': '{text}', 'input': '{given}'{extra}}}"
    return invalid(parts, at)


def _sampling(body: Json, protocol: Protocol) -> Response | None:
    temperature = body.get("temperature")
    if isinstance(temperature, int | float) and temperature < 0:
        value = float(temperature)
        text = f"temperature must be non-negative, got {value}."
        return error(protocol, with_parameter(text, "temperature", value), "temperature")
    count = body.get("n")
    if isinstance(count, int) and count < 1:
        return error(protocol, f"n must be at least 1, got {count}.")
    return None


def _tools(body: Json, protocol: Protocol, *, served: bool) -> Response | None:
    if served or not body.get("tools") or body.get("tool_choice") == "none":
        return None
    text = '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'
    return error(protocol, text)
