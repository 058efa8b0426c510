"""Which aspect of the request a response speaks of.

The response of a report is the answer to the request as it was configured. Only a request that
differs in the aspect that the answer speaks of may get another one.
"""

from __future__ import annotations

import enum
import json
import re
from typing import Any

from .case import GivenResponse


class Aspect(enum.StrEnum):
    KEY = "key"
    NO_KEY = "no key"  # the server saw none
    PATH = "path"
    MODEL = "model"
    MAX_TOKENS = "max_tokens"
    ROUTE = "route"  # what stands between: a proxy
    FIXED = "fixed"  # nothing that the request could do about it


_MODEL = re.compile(
    r"无可用渠道|no available channel|model_not_found|模型不存在|unknown model|invalid model"
    r"|model: |model.{0,200}(?:not exist|not found|not a valid|not supported|is not available)"
    r"|not a valid model|no such model",
    re.IGNORECASE | re.DOTALL,
)
_QUOTA = re.compile(r"quota|balance|credit|billing|额度|余额|rate.?limit|too many", re.IGNORECASE)
_SAW_NO_KEY = re.compile(
    r"no api key|未提供令牌|key.{0,10}(?:required|missing)|didn't provide|missing.{0,20}auth"
    r"|auth.{0,20}(?:header)?.{0,10}missing|no token|not provided",
    re.IGNORECASE,
)
_KEY = re.compile(
    r"api.?key|令牌|unauthori[sz]ed|authenticat|bearer|credential|invalid token|token.{0,20}invalid"
    r"|oauth",
    re.IGNORECASE,
)
_BUDGET = re.compile(r"max_(?:\w+_)?tokens|maxOutputTokens", re.IGNORECASE)
_PROMPT = re.compile(
    r"context length|prompt is too long|in the messages|at least 1, got -|longer than",
    re.IGNORECASE,
)
_RANGE = re.compile(r"\[\s*1\s*,\s*(\d+)\s*\]")
_AT_MOST = re.compile(
    r"(?:at most|less than|greater than|maximum|<=|max_model_len|limit|exceed)\D{0,40}(\d+)",
    re.IGNORECASE,
)
_BETWEEN = frozenset({407, 502, 503, 504})


def aspect_of(response: GivenResponse, *, proxied: bool = False) -> Aspect:
    """``proxied`` says that the request went through a proxy."""
    text, status = response.body, response.status
    failed = status >= 400 or _has_error(text)
    if failed and _MODEL.search(text):
        return Aspect.MODEL
    if proxied and status in _BETWEEN:
        return Aspect.ROUTE
    if is_page(response) and status in (200, 404, 405):
        return Aspect.PATH
    if 300 <= status < 400 or status in (404, 405, 410):
        return Aspect.PATH
    if not failed or status in (402, 429) or status >= 500 or is_page(response):
        return Aspect.FIXED
    if _QUOTA.search(text):
        return Aspect.FIXED
    if status in (401, 403) or _KEY.search(text):
        return Aspect.NO_KEY if _SAW_NO_KEY.search(text) else Aspect.KEY
    if _PROMPT.search(text):
        return Aspect.FIXED
    return Aspect.MAX_TOKENS if _BUDGET.search(text) else Aspect.FIXED


def limit_of(response: GivenResponse) -> int | None:
    """The largest max_tokens that the text allows, None where it names none."""
    match = _RANGE.search(response.body) or _AT_MOST.search(response.body)
    return int(match.group(1)) if match else None


def is_page(response: GivenResponse) -> bool:
    """Whether the answer is a web page."""
    start = response.body.lstrip()[:100].lower()
    return response.content_type == "text/html" or start.startswith(("<!doctype html", "<html"))


def _has_error(text: str) -> bool:
    try:
        value: Any = json.loads(text)
    except ValueError:
        return False
    return isinstance(value, dict) and (
        bool(value.get("error")) or value.get("success") is False or value.get("type") == "error"
    )
