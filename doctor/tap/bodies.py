"""What a request asks for, by its path and its body. Pure."""

from __future__ import annotations

import json
import urllib.parse
from typing import Any

from doctor.connection import Protocol
from doctor.patterns import Pattern
from doctor.probes.body import Inflater

_ENDINGS = (
    ("/chat/completions", Protocol.OPENAI_CHAT),
    ("/completions", Protocol.OPENAI_CHAT),
    ("/responses", Protocol.OPENAI_RESPONSES),
    ("/messages", Protocol.ANTHROPIC_MESSAGES),
    (":generateContent", Protocol.GEMINI_GENERATE),
    (":streamGenerateContent", Protocol.GEMINI_GENERATE),
)
_LIMITS = ("max_tokens", "max_completion_tokens", "max_output_tokens")
_MODEL_IN_PATH = Pattern(r"/models/([^/:]+(?:/[^/:]+)*):")
_PACKED = frozenset({"gzip", "x-gzip", "deflate"})
_UNPACKED = 32 * 1024 * 1024


def protocol_of(method: str, path: str) -> Protocol | None:
    """The protocol of a request that asks a model; None for any other. ``path`` has no query."""
    if method != "POST":
        return None
    bare = path.rstrip("/")
    return next((protocol for end, protocol in _ENDINGS if bare.endswith(end)), None)


def lists_models(method: str, path: str) -> bool:
    return method == "GET" and path.rstrip("/").endswith("/models")


def readable(encoding: str) -> bool:
    """Whether a body that is packed like this can be looked into."""
    return encoding.strip().lower() in ("", "identity", *_PACKED)


def parsed(body: bytes, encoding: str) -> dict[str, Any] | None:
    """The JSON object of a request, None where there is none."""
    data = Inflater(encoding).feed(body, _UNPACKED)
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def model_of(path: str, body: dict[str, Any]) -> str | None:
    found = _MODEL_IN_PATH.search(path)
    if found is not None:
        return urllib.parse.unquote(found[1])
    model = body.get("model")
    return model if isinstance(model, str) else None


def limit_of(body: dict[str, Any]) -> int | None:
    """The largest answer that is asked for, in tokens."""
    config = body.get("generationConfig")
    held = [body.get(name) for name in _LIMITS]
    held.append(config.get("maxOutputTokens") if isinstance(config, dict) else None)
    return next((n for n in held if isinstance(n, int) and not isinstance(n, bool)), None)


def streams(path: str, body: dict[str, Any]) -> bool:
    """Google's API tells by the path, all others by the body."""
    if _MODEL_IN_PATH.search(path) is not None:
        return path.endswith(":streamGenerateContent")
    return body.get("stream") is True
