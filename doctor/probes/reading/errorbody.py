"""The error that a JSON body tells, whoever wrote it.

Shapes: OpenAI, Anthropic, vLLM before and after 0.10.1 (facts/vllm.md §2.2), new-api's relay and
admin APIs (facts/gateway-clients.md §§1.1, 1.3), FastAPI's ``detail``, Spring, problem+json,
MiniMax's ``base_resp``, ModelScope's ``errors``, and lists with one error in them (Google).
"""

from __future__ import annotations

from typing import Any

from doctor.probes.reading.jsontext import parse, words
from doctor.records import dataclass

# An object that has one of these is an answer, whatever else it says.
_ANSWERS = ("choices", "content", "output", "candidates", "data")
_TEXTS = ("message", "msg", "error_msg", "errmsg")
_CODES = ("code", "error_code", "errcode")
_BAD_STATUSES = frozenset({"error", "fail", "failed", "failure"})
_FINE_CODES = frozenset({"", "0", "200", "ok", "success", "Success", "OK"})


# More is no message; and every rule looks through all of it.
_SAID = 3_000
# Gateways hand on what they were told as a text in their own frame, some of them twice.
_FRAMES = 3


@dataclass(frozen=True, slots=True)
class ErrorBody:
    """``said`` is all of it in one text, to look for words in."""

    message: str = ""
    type: str = ""
    code: str = ""
    param: str = ""
    more: str = ""

    @property
    def said(self) -> str:
        parts = (self.message, self.type, self.code, self.param, self.more)
        return "\n".join(part for part in parts if part)[:_SAID]


def error_of(value: Any) -> ErrorBody | None:
    """The error in the body of a status that says failure; None where it has no words."""
    if isinstance(value, str):
        return ErrorBody(message=value[:2_000]) if value.strip() else None
    if isinstance(value, list):
        return next((error_of(item) for item in value[:3] if isinstance(item, dict)), None)
    if not isinstance(value, dict):
        return None
    body = _unwrapped(_of_object(value))
    return body if body.said else None


def error_in_success(value: Any) -> ErrorBody | None:
    """The error in the body of a status that says success; None where the body claims none."""
    if isinstance(value, list):
        return error_in_success(value[0]) if len(value) == 1 else None
    if not isinstance(value, dict):
        return None
    base = value.get("base_resp")
    refused = isinstance(base, dict) and words(base.get("status_code")) not in _FINE_CODES
    claims = (
        bool(value.get("error"))
        or _inner_error(value) is not None
        or value.get("success") is False
        or value.get("type") == "error"
        or refused
        or (bool(value.get("errors")) and not _has_answer(value))
        or (_has_code(value) and not _has_answer(value))
        or (_is_refusal(value.get("detail")) and not _has_answer(value))
    )
    return _unwrapped(_of_object(value)) if claims else None


def _is_refusal(detail: Any) -> bool:
    """FastAPI's: a text, or what it found wrong with the request."""
    if isinstance(detail, list) and detail:
        return isinstance(detail[0], dict) and "loc" in detail[0] and "msg" in detail[0]
    return isinstance(detail, str)


def _unwrapped(body: ErrorBody, frames: int = _FRAMES) -> ErrorBody:
    """The error whose JSON is the message of another one; what the frame says is kept."""
    start = body.message.find("{")
    inner = parse(body.message[start:]) if start >= 0 and frames > 0 else None
    told = _of_object(inner) if isinstance(inner, dict) else ErrorBody()
    if not told.message:
        return body
    return _unwrapped(
        ErrorBody(
            message=told.message,
            type=told.type or body.type,
            code=told.code or body.code,
            param=told.param or body.param,
            more="\n".join(part for part in (told.more, body.message, body.more) if part),
        ),
        frames - 1,
    )


def _has_answer(value: dict[str, Any]) -> bool:
    return any(value.get(key) for key in _ANSWERS)


def _has_code(value: dict[str, Any]) -> bool:
    """``{"code": 401, "msg": …}``: a code that is not the code for "fine", and a text."""
    if not any(isinstance(value.get(name), str) for name in _TEXTS):
        return False
    status = words(value.get("status")).lower()
    bad = status in _BAD_STATUSES or (status.isdecimal() and 400 <= int(status) < 600)
    return bad or any(words(value.get(name)) not in _FINE_CODES for name in _CODES)


def _inner_error(value: dict[str, Any]) -> dict[str, Any] | None:
    """Tencent's frame: ``{"Response": {"Error": {"Code": …, "Message": …}}}``."""
    inner = value.get("Response")
    error = inner.get("Error") if isinstance(inner, dict) else None
    return {str(k).lower(): v for k, v in error.items()} if isinstance(error, dict) else None


def _of_object(value: dict[str, Any]) -> ErrorBody:
    error = value.get("error") or _inner_error(value)
    if isinstance(error, dict):
        return _of_error(error, value)
    errors = value.get("errors")
    first = errors[0] if isinstance(errors, list) and errors else errors
    if not isinstance(error, str) and isinstance(first, dict):
        return _of_error(first, value)
    base = value.get("base_resp")
    if isinstance(base, dict):
        return ErrorBody(words(base.get("status_msg")), code=words(base.get("status_code")))
    message = _message(value)
    kind = words(value.get("type"))
    if isinstance(error, str) and error:
        message, kind = (message, error) if message else (error, kind)
    if kind in ("error", "object"):
        kind = ""
    return ErrorBody(
        message=message,
        type=kind,
        code=_code(value),
        param=words(value.get("param")) or _location(value.get("detail")),
        more=words(value.get("path")),
    )


def _of_error(error: dict[str, Any], around: dict[str, Any]) -> ErrorBody:
    metadata = error.get("metadata")
    raw = words(metadata.get("raw")) if isinstance(metadata, dict) else ""
    return ErrorBody(
        message=_message(error) or _message(around),
        type=words(error.get("type")) or words(error.get("status")),
        code=_code(error) or _code(around),
        param=words(error.get("param")),
        more=raw,
    )


def _message(value: dict[str, Any]) -> str:
    for name in (*_TEXTS, "error_description", "reason", "title"):
        text = words(value.get(name))
        if text:
            return text
        inner = value.get(name)
        if isinstance(inner, dict) and _message(inner):
            return _message(inner)
    return _detail(value.get("detail"))


def _detail(detail: Any) -> str:
    """FastAPI's: a text, an object with an error in it, or a list of what is wrong where."""
    if isinstance(detail, dict):
        inner = detail.get("error")
        told = _message(inner) if isinstance(inner, dict) else words(inner)
        return _message(detail) or told
    if isinstance(detail, list):
        lines = [
            f"{_place(item.get('loc'))}: {words(item.get('msg'))}{_got(item.get('input'))}"
            for item in detail[:5]
            if isinstance(item, dict)
        ]
        return "; ".join(lines)
    return words(detail)


def _place(location: Any) -> str:
    if isinstance(location, list):
        return ".".join(words(part) for part in location)
    return words(location)


def _got(value: Any) -> str:
    """The number that was sent. Texts are left out: they may hold a prompt or a key."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return f", got {value}" if number else ""


def _location(detail: Any) -> str:
    if isinstance(detail, list) and len(detail) == 1 and isinstance(detail[0], dict):
        return _place(detail[0].get("loc"))
    return ""


def _code(value: dict[str, Any]) -> str:
    for name in (*_CODES, "status_code"):
        text = words(value.get(name))
        if text:
            return text
    return ""
