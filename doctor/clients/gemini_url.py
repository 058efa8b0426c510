"""URLs of Google's SDK for JavaScript, which Gemini CLI and Qwen Code bring.

Observed with Gemini CLI 0.61.0: one slash at the end of the base goes; a query in the base
swallows the path and is encoded anew; a plain http address is used wherever it leads.
"""

from __future__ import annotations

import urllib.parse

from doctor.clients.base import ClientRefusal
from doctor.clients.javascript import header_refusal, trimmed
from doctor.clients.whatwg import href

STREAM_PATH = "/v1beta/models/{model}:streamGenerateContent?alt=sse"
# Without a number Google's list ends after fifty.
MODELS_PATH = "/v1beta/models?pageSize=1000"


def join(base: str, path: str) -> str:
    """Raises ``ClientRefusal``."""
    try:
        href(base)
    except ClientRefusal:
        raise ClientRefusal(f"Invalid custom base URL: {base}") from None
    url = href(base.removesuffix("/") + path)
    if "?" not in base:
        return url
    before, _, query = url.partition("?")
    pairs = dict(urllib.parse.parse_qsl(query, keep_blank_values=True))
    pairs.setdefault("alt", "sse")
    return f"{before}?{urllib.parse.urlencode(pairs)}"


def key_refusal(key: str) -> str | None:
    """Node's words where ``x-goog-api-key`` cannot hold the key."""
    return header_refusal(trimmed(key))
