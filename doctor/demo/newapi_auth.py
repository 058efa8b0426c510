"""Which key a request carries for new-api, and what its state answers.

Facts: gateway-clients.md 1.4 and 1.3; new-api middleware/auth.go 040b46a.
"""

from __future__ import annotations

from . import newapi_texts as texts
from .messages import Request, Response
from .newapi_config import Key, KeyState
from .newapi_wire import Turn

_MODELS_PREFIXES = ("/v1beta/models", "/v1beta/openai/models", "/v1/models/")


def credential(turn: Turn) -> str:
    """The Authorization that counts: other headers and ``?key=`` overwrite it on some paths."""
    request, path = turn.request, turn.path
    value = request.header("authorization") or ""
    takes_anthropic = "/v1/messages" in path or (not turn.old and "/v1/models" in path)
    anthropic = request.header("x-api-key")
    if takes_anthropic and anthropic:
        value = f"Bearer {anthropic}"
    if path == "/v1/models" or path.startswith(_MODELS_PREFIXES):
        in_query = request.params.get("key", [""])[0]
        google = request.header("x-goog-api-key")
        value = f"Bearer {in_query}" if in_query else value
        value = f"Bearer {google}" if google else value
    bare = _without_scheme(value, trims=not turn.old)
    if bare in ("", "midjourney-proxy"):
        return _without_scheme(request.header("mj-api-secret") or "", trims=not turn.old)
    return bare


def _without_scheme(value: str, *, trims: bool) -> str:
    if value.startswith(("Bearer ", "bearer ")):
        return value[7:].strip() if trims else value[7:]
    return value


def split_key(bare: str) -> tuple[str, tuple[str, ...]]:
    """Strip one ``sk-``, split on ``-``: the first part is the key, the rest names a channel."""
    first, *rest = bare.removeprefix("sk-").split("-")
    return first, tuple(rest)


def find(turn: Turn, key: str) -> Key | None:
    return next((known for known in turn.config.keys if key and known.body == key), None)


def authenticate(turn: Turn) -> Key | Response:
    """The key of a relay request, or the refusal that its state gives."""
    key, extra = split_key(credential(turn))
    known = find(turn, key)
    refusal = _state(turn, key, known)
    if known is None or refusal is not None:
        return refusal or turn.abort(401, texts.text("token.invalid", turn.language))
    if extra and not known.admin:
        return turn.abort(403, texts.CHANNEL_FORBIDDEN)
    return known


def _state(turn: Turn, key: str, known: Key | None) -> Response | None:
    state = None if known is None else known.state
    if state is KeyState.DATABASE_FAULT and not turn.old:
        return turn.abort(500, texts.text("common.database_error", turn.language))
    if state in (None, KeyState.DATABASE_FAULT, *_BAD):
        return _bad(turn, key, state)
    group = known.group if known else ""
    match state:
        case KeyState.IP_DENIED:
            return turn.abort(403, texts.IP_DENIED, "access_denied")
        case KeyState.USER_BANNED:
            banned = texts.OLD_USER_BANNED
            if not turn.old:
                banned = texts.text("oauth.user_banned", turn.language)
            return turn.abort(403, banned)
        case KeyState.GROUP_DENIED:
            return turn.abort(403, texts.GROUP_DENIED.format(group=group))
        case KeyState.GROUP_RETIRED:
            return turn.abort(403, texts.GROUP_RETIRED.format(group=group))
    return None


_BAD = (KeyState.EXPIRED, KeyState.EXHAUSTED, KeyState.DISABLED)


def _bad(turn: Turn, key: str, state: KeyState | None) -> Response:
    """Newer builds: one text for all. 2025-04: one for each, and one for no key at all."""
    if not turn.old:
        return turn.abort(401, texts.text("token.invalid", turn.language))
    match state:
        case KeyState.EXPIRED:
            message = texts.OLD_EXPIRED
        case KeyState.EXHAUSTED:
            message = texts.OLD_EXHAUSTED.format(head=key[:3], tail=key[-3:])
        case KeyState.DISABLED:
            message = texts.OLD_DISABLED
        case _:
            message = texts.OLD_UNKNOWN if key else texts.OLD_NOT_PROVIDED
    return turn.abort(401, message)


def rate_limit(turn: Turn, key: Key) -> Response | None:
    """429 of the per-user model limit: with a text, or with an empty body (facts: 1.3)."""
    limits = {"minutes": "1", "count": "60"}
    match key.state:
        case KeyState.RATE_LIMITED_EMPTY:
            return Response(429, b"", turn.headers)
        case KeyState.RATE_LIMITED:
            return turn.abort(429, texts.RATE_LIMITED.format(**limits))
        case KeyState.RATE_LIMITED_TOTAL:
            return turn.abort(429, texts.RATE_LIMITED_TOTAL.format(**limits))
    return None


def quota(turn: Turn, key: Key) -> Response | None:
    """403 of the pre-charge (new-api service/billing_session.go 0067bd9; old relay-text.go)."""
    insufficient = "insufficient_user_quota"
    need = texts.money(113_805)
    match key.state:
        case KeyState.USER_WITHOUT_QUOTA:
            message = texts.USER_WITHOUT_QUOTA.format(left=texts.money(0))
            return turn.fail(
                403, texts.OLD_USER_WITHOUT_QUOTA if turn.old else message, insufficient
            )
        case KeyState.USER_QUOTA_TOO_SMALL:
            form = texts.OLD_USER_QUOTA_TOO_SMALL if turn.old else texts.USER_QUOTA_TOO_SMALL
            message = form.format(left=texts.money(660), need=need)
            return turn.fail(403, message, insufficient)
        case KeyState.TOKEN_QUOTA_TOO_SMALL:
            left = texts.money(97_466)
            message = texts.TOKEN_QUOTA_TOO_SMALL.format(left=left, need=need)
            return turn.fail(403, message, "pre_consume_token_quota_failed")
    return None


def read_only(turn: Turn) -> Key | Response:
    """The usage endpoint's looser check: expired and exhausted keys pass, disabled do not."""
    request: Request = turn.request
    value = request.header("authorization") or ""
    if not value:
        return turn.refuse(texts.text("token.not_provided", turn.language))
    key, _ = split_key(_without_scheme(value, trims=True))
    known = find(turn, key)
    if known is None:
        return turn.refuse(texts.text("token.invalid", turn.language))
    match known.state:
        case KeyState.DISABLED:
            return turn.refuse(texts.text("token.status_unavailable", turn.language))
        case KeyState.USER_BANNED:
            return turn.refuse(texts.text("oauth.user_banned", turn.language), 403)
        case KeyState.DATABASE_FAULT:
            return turn.refuse(texts.text("common.database_error", turn.language), 500)
    return known
