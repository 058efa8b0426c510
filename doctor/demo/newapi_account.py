"""What new-api tells about itself and about a key: status, pricing, usage, billing, models.

Facts: gateway-clients.md 1.5 to 1.7; new-api controller misc.go 002f912, billing.go 12b3f9a,
token.go 0533f38, model.go 053f9de.
"""

from __future__ import annotations

from . import newapi_texts as texts
from .messages import Response
from .newapi_auth import find, read_only
from .newapi_config import Key, KeyState, Model
from .newapi_texts import QUOTA_PER_UNIT
from .newapi_wire import Turn
from .shapes import Json

# The same for every model: a telltale of the one-api family.
_CREATED = 1626777600
_STARTED = 1795952950
_UNLIMITED = 100_000_000


def status(turn: Turn) -> Response:
    config = turn.config
    scheme = "https" if turn.request.secure else "http"
    data: Json = {
        "display_in_currency": True,
        "docs_link": "",
        "quota_display_type": "USD",
        "quota_per_unit": QUOTA_PER_UNIT,
        "self_use_mode_enabled": False,
        "server_address": f"{scheme}://{turn.request.host}",
        "setup": True,
        "start_time": _STARTED,
        "system_name": config.system_name,
        "top_up_link": "",
        "usd_exchange_rate": 7.3,
        "version": config.version,
    }
    return turn.reply(200, {"data": data, "message": "", "success": True})


def pricing(turn: Turn) -> Response:
    models = [
        {
            "model_name": model.id,
            "quota_type": 0,
            "model_ratio": 1,
            "model_price": 0,
            "completion_ratio": 1,
            "enable_groups": list(model.groups),
            "supported_endpoint_types": list(model.endpoints),
        }
        for model in turn.config.models
        if model.priced
    ]
    groups = {group: 1 for model in turn.config.models for group in model.groups}
    answer: Json = {
        "data": models,
        "group_ratio": groups,
        "success": True,
        "usable_group": dict.fromkeys(groups, ""),
    }
    return turn.reply(200, answer)


def usage(turn: Turn) -> Response:
    """``GET /api/usage/token/``: the state of a key even where it no longer authenticates."""
    key = read_only(turn)
    if isinstance(key, Response):
        return key
    words = (turn.request.header("authorization") or "").split(" ")
    if len(words) != 2 or words[0].lower() != "bearer":
        return turn.refuse("Invalid Bearer token")
    # Unlike authentication, this does not split on "-".
    known = find(turn, words[1].removeprefix("sk-"))
    if known is None:
        return turn.refuse(texts.text("token.get_info_failed", turn.language), 200)
    remaining = 0 if known.state is KeyState.EXHAUSTED else known.remaining
    expires = known.expires_at
    if known.state is KeyState.EXPIRED and expires == -1:
        expires = _STARTED
    data: Json = {
        "expires_at": 0 if expires == -1 else expires,
        "model_limits": dict.fromkeys(sorted(known.models or ()), True),
        "model_limits_enabled": known.models is not None,
        "name": known.name,
        "object": "token_usage",
        "total_available": remaining,
        "total_granted": remaining + known.used,
        "total_used": known.used,
        "unlimited_quota": known.unlimited,
    }
    return turn.reply(200, {"code": True, "data": data, "message": "ok"})


def subscription(turn: Turn, key: Key) -> Response:
    granted = key.remaining + key.used
    amount = _UNLIMITED if key.unlimited else granted / QUOTA_PER_UNIT
    answer: Json = {
        "object": "billing_subscription",
        "has_payment_method": True,
        "soft_limit_usd": amount,
        "hard_limit_usd": amount,
        "system_hard_limit_usd": amount,
        "access_until": max(key.expires_at, 0),
    }
    return turn.reply(200, answer)


def billed(turn: Turn, key: Key) -> Response:
    return turn.reply(200, {"object": "list", "total_usage": key.used / QUOTA_PER_UNIT * 100})


def _visible(turn: Turn, key: Key) -> list[Model]:
    """What group and limits allow, less what has no price; no proof of a working channel."""
    return [
        model
        for model in turn.config.models
        if model.priced and (key.models is None or model.id in key.models)
    ]


def _card(turn: Turn, model: Model) -> Json:
    card: Json = {"id": model.id, "object": "model", "created": _CREATED, "owned_by": "custom"}
    if not turn.old:
        card["supported_endpoint_types"] = list(model.endpoints)
    return card


def models(turn: Turn, key: Key) -> Response:
    visible = _visible(turn, key)
    has = turn.request.header
    if not turn.old and has("x-api-key") and has("anthropic-version"):
        return _anthropic_models(turn, visible)
    cards = [_card(turn, model) for model in visible]
    answer: Json = {"data": cards, "success": True}
    if not turn.old:
        answer = {"data": cards, "object": "list", "success": True}
    return turn.reply(200, answer)


def _anthropic_models(turn: Turn, visible: list[Model]) -> Response:
    """The format that x-api-key together with anthropic-version asks for."""
    if not visible:
        # The branch indexes the first element unchecked: a panic (facts: 1.5, 1.2).
        text = (
            "Panic detected, error: runtime error: index out of range [0] with length 0."
            " Please submit a issue here: https://github.com/Calcium-Ion/new-api"
        )
        return turn.reply(500, {"error": {"message": text, "type": "new_api_panic"}})
    cards = [
        {
            "id": model.id,
            "created_at": "2021-07-20T10:40:00Z",
            "display_name": model.id,
            "type": "model",
        }
        for model in visible
    ]
    first, last = cards[0]["id"], cards[-1]["id"]
    answer = {"data": cards, "first_id": first, "has_more": False, "last_id": last}
    return turn.reply(200, answer)


def model(turn: Turn, name: str) -> Response:
    """An unknown name is an error with HTTP 200: no test of a model (facts: 1.5)."""
    known = next((item for item in turn.config.models if item.id == name), None)
    if known is not None:
        return turn.reply(200, _card(turn, known))
    error = {
        "message": f"The model '{name}' does not exist",
        "type": "invalid_request_error",
        "param": "model",
        "code": "model_not_found",
    }
    return turn.reply(200, {"error": error})
