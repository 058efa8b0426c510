"""What a gateway of the new-api family says about a key that it refuses.

It answers every bad state of a token with one and the same 401, but tells the state where a token
may ask about itself (facts/gateway-clients.md §§1.6, 1.7). That route is rate-limited, so it is
asked only after a refusal, and three requests are the most.
"""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

from doctor.facts import COMPLETION, MODELS, PRODUCT
from doctor.facts.answers import Exchange, OutcomeKind, TokenState
from doctor.facts.store import Facts, Unavailable
from doctor.patterns import Pattern
from doctor.probes.consent import require_consent
from doctor.probes.reading.jsontext import parse_object, words
from doctor.probes.request import ProbeRequest
from doctor.probes.way import Blocked, Way, way_of
from doctor.probes.wire import key_of
from doctor.text import _
from doctor.untrusted import visible

K = OutcomeKind

_ABOUT_THE_KEY = frozenset({K.KEY_REFUSED, K.QUOTA, K.PERMISSION})
_MAY_TELL = frozenset({"new-api", "one-api", "unknown", "web-page", "openai-compatible"})
_USAGE = "/api/usage/token/"
_STATUS = "/api/status"
_VERSION = Pattern(r"/v\d+(?:beta)?/.*|/(?:chat/completions|responses|messages)/?$", re.S)
_MOST_MODELS = 50


async def token_state(facts: Facts) -> TokenState:
    """Raises ``Unavailable`` where nobody refused the key, or nobody tells."""
    await _require_refusal(facts)
    key = key_of(facts)
    if not key:
        raise Unavailable(_("no key is sent"))
    try:
        way = await way_of(facts)
    except Blocked as blocked:
        raise Unavailable(str(blocked)) from None
    require_consent(facts, way.endpoint.host)
    for root in roots(way.url):
        exchange = await _get(facts, way, root + _USAGE, key)
        state = read_usage(exchange)
        if state is None:
            continue
        if state.available is None or state.unlimited:
            return state
        unit = read_unit(await _get(facts, way, root + _STATUS, None))
        return _with_amount(state, unit)
    raise Unavailable(_("the gateway tells nothing about the key"))


async def _require_refusal(facts: Facts) -> None:
    reply = await facts.find(COMPLETION)
    if reply is None:
        listed = await facts.find(MODELS)
        reply = None if listed is None else listed.reply
    if reply is None or reply.outcome.kind not in _ABOUT_THE_KEY:
        raise Unavailable(_("the key is not refused"))
    seen = await facts.find(PRODUCT)
    if seen is not None and seen.id not in _MAY_TELL:
        raise Unavailable(_("{product} tells nothing about keys", product=seen.id))


def roots(url: str) -> tuple[str, ...]:
    """Where the admin API may hang: before the version segment, or at the origin (§0.10)."""
    parts = urlsplit(url)
    origin = f"{parts.scheme}://{parts.netloc}"
    before = _VERSION.sub("", parts.path).rstrip("/")
    return tuple(dict.fromkeys((origin + before, origin)))


async def _get(facts: Facts, way: Way, url: str, key: str | None) -> Exchange:
    bearer = () if key is None else (("authorization", f"Bearer {key}"),)
    return await facts.run.requester.send(
        ProbeRequest(
            purpose="token-state",
            method="GET",
            url=url,
            headers=(("accept", "application/json"), *bearer),
            proxy=way.proxy,
            trust=way.trust,
            follow=True,
        )
    )


def read_usage(exchange: Exchange) -> TokenState | None:
    """The state in an answer to the usage route; None where this is no such route."""
    value = parse_object(exchange.body)
    source = f"GET {exchange.url}"
    data = value.get("data")
    if isinstance(data, dict) and data.get("object") == "token_usage":
        return _of_usage(data, source)
    message = words(value.get("message"), 500)
    if value.get("success") is False and message and exchange.status in (200, 401, 403):
        return TokenState(source, text=visible(message, 500))
    return None


def _of_usage(data: dict[str, Any], source: str) -> TokenState:
    available = _amount(data.get("total_available"))
    unlimited = data.get("unlimited_quota")
    unlimited = unlimited if isinstance(unlimited, bool) else None
    limits = data.get("model_limits")
    limited = data.get("model_limits_enabled") is True and isinstance(limits, dict)
    expires = _amount(data.get("expires_at"))
    expires_at = None if expires is None or expires <= 0 else int(expires)
    return TokenState(
        source=source,
        name=visible(words(data.get("name")), 100) or None,
        expired=_is_over(expires_at) if expires is not None else None,
        exhausted=None if available is None else available <= 0 and not unlimited,
        unlimited=unlimited,
        available=available,
        expires_at=expires_at,
        models=_names(limits) if limited else None,
    )


def _names(limits: Any) -> tuple[str, ...]:
    return tuple(visible(str(name), 200) for name in list(limits)[:_MOST_MODELS])


def _is_over(expires_at: int | None) -> bool:
    import time

    return expires_at is not None and expires_at <= time.time()


def _amount(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < 10**18 else None


def read_unit(exchange: Exchange) -> float | None:
    """Quota units to one US dollar, by ``/api/status``."""
    data = parse_object(exchange.body).get("data")
    unit = _amount(data.get("quota_per_unit")) if isinstance(data, dict) else None
    return unit if unit is not None and unit > 0 else None


def _with_amount(state: TokenState, unit: float | None) -> TokenState:
    import dataclasses

    if unit is None or state.available is None:
        return state
    text = _("{amount} US dollars left", amount=f"{state.available / unit:,.2f}")
    return dataclasses.replace(state, text=text)
