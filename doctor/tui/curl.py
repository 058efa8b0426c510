"""A request as a curl command to hand to others: the key is a variable, never a value."""

from __future__ import annotations

import json
import re
import shlex
from typing import Any

from doctor.clients import profile
from doctor.connection import (
    AuthHeader,
    Connection,
    OriginKind,
    Protocol,
    ProxyMode,
    Setting,
)
from doctor.secrets import Secret
from doctor.untrusted import visible

_VARIABLE = re.compile(r"[A-Z][A-Z0-9_]*")
_TOKENS = 16


def curl(connection: Connection) -> str | None:
    """The completion request of ``connection``; None where its client would not send one."""
    url = profile(connection.client).endpoint(connection).url
    if url is None or not url.isprintable():
        return None
    parts = [
        "curl -sS -i",
        *_proxy(connection),
        shlex.quote(url),
        "-H 'Content-Type: application/json'",
    ]
    if connection.key is not None:
        parts.append(_auth(connection, connection.key))
    if connection.second_key is not None:
        parts.append(f'-H "x-api-key: ${{{_variable(connection.second_key)}}}"')
    # The user's own headers may hold anything, so only their names are told.
    parts += [f'-H "{visible(header.name)}: ${{HEADER}}"' for header in connection.headers]
    if connection.protocol is Protocol.ANTHROPIC_MESSAGES:
        parts.append("-H 'anthropic-version: 2023-06-01'")
    body = json.dumps(_body(connection), ensure_ascii=False)
    parts.append(f"-d {shlex.quote(body)}")
    return " \\\n  ".join(parts)


def _proxy(connection: Connection) -> list[str]:
    mode = connection.proxy.value
    if mode == ProxyMode.ENVIRONMENT:
        return []
    if mode == ProxyMode.DIRECT:
        return ["--noproxy '*'"]
    return [f"--proxy {shlex.quote(visible(mode))}"]


def _auth(connection: Connection, key: Setting[Secret]) -> str:
    name = _variable(key)
    header = connection.auth.value
    if header is not AuthHeader.BEARER:
        return f'-H "{header.value}: ${{{name}}}"'
    # In braces: a bare name behind "Bearer" looks like a key to the redactor.
    return f'-H "Authorization: Bearer ${{{name}}}"'


def _variable(key: Setting[Secret]) -> str:
    """The variable that the key comes from; after a repair that of the value it replaces."""
    origins = [key.origin, *(shadowed.origin for shadowed in key.shadows)]
    for origin in origins:
        if origin.kind is not OriginKind.CHANGE and _VARIABLE.fullmatch(origin.name):
            return origin.name
    return "API_KEY"


def _body(connection: Connection) -> dict[str, Any]:
    model = visible(connection.model.value) if connection.model is not None else "MODEL"
    if connection.protocol is Protocol.OPENAI_RESPONSES:
        return {"model": model, "input": "ping", "max_output_tokens": _TOKENS}
    if connection.protocol is Protocol.GEMINI_GENERATE:
        contents = [{"role": "user", "parts": [{"text": "ping"}]}]
        return {"contents": contents, "generationConfig": {"maxOutputTokens": _TOKENS}}
    messages = [{"role": "user", "content": "ping"}]
    return {"model": model, "max_tokens": _TOKENS, "messages": messages}
