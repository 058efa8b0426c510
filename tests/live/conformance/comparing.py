"""Compares what was predicted with what was sent."""

from __future__ import annotations

import re
import urllib.parse
from collections.abc import Iterator

from doctor.clients.prediction import Prediction
from doctor.connection import AuthHeader

from .case import Case, Scene
from .recorder import Recorded

_AUTH = tuple(header.value for header in AuthHeader)
_LIMITS = ("max_tokens", "max_completion_tokens", "max_output_tokens")
_MODEL_IN_PATH = re.compile(r"/models/([^/:]+):")


def sent_model(request: Recorded) -> str | None:
    """The model that a request asks for."""
    if found := _MODEL_IN_PATH.search(request.path):
        return urllib.parse.unquote(found[1])
    model = request.json.get("model")
    return model if isinstance(model, str) else None


def sent_limit(request: Recorded) -> int | None:
    """The largest answer that a request allows, in tokens."""
    body = request.json
    for name in _LIMITS:
        if isinstance(body.get(name), int):
            return int(body[name])
    limit = (body.get("generationConfig") or {}).get("maxOutputTokens")
    return limit if isinstance(limit, int) else None


def mismatches(
    case: Case, scene: Scene, prediction: Prediction, request: Recorded | None
) -> Iterator[str]:
    """Each difference as a line "what: predicted …, sent …"."""
    reaches = _reaches(scene, prediction)
    if request is None or not reaches:
        if reaches:
            yield f"predicted {prediction.url}, but nothing was sent"
        if request is not None:
            why = prediction.refusal or prediction.proxy_error or f"proxy {prediction.proxy}"
            yield f"predicted that nothing arrives ({why}), sent {request}"
        return
    if (prediction.proxy is not None) != request.through_proxy:
        way = "through the proxy" if request.through_proxy else "directly"
        yield f"way: predicted proxy {prediction.proxy}, sent {way}"
    if request.method == "CONNECT":
        parts = urllib.parse.urlsplit(prediction.url or "")
        usual = 443 if parts.scheme == "https" else 80
        authority = f"{parts.hostname}:{parts.port or usual}"
        if authority != request.target:
            yield f"CONNECT: predicted {authority}, sent {request.target}"
        return
    if prediction.url != request.url:
        yield f"url: predicted {prediction.url}, sent {request.url}"
    yield from _auth(prediction, request)
    if "headers" not in case.unpredicted:
        for name, value in prediction.headers.items():
            if request.header(name) != value.reveal():
                sent = request.header(name)
                yield f"header {name}: predicted {value.reveal()!r}, sent {sent!r}"
    if "model" not in case.unpredicted and prediction.model != sent_model(request):
        yield f"model: predicted {prediction.model!r}, sent {sent_model(request)!r}"
    if "max_tokens" not in case.unpredicted and prediction.max_tokens != sent_limit(request):
        yield f"max_tokens: predicted {prediction.max_tokens}, sent {sent_limit(request)}"
    if case.expects_url is not None and scene.fill(case.expects_url) != request.url:
        yield f"url: expected {scene.fill(case.expects_url)}, sent {request.url}"
    for name, wanted in case.expects_headers.items():
        if request.header(name) != (None if wanted is None else scene.fill(wanted)):
            yield f"header {name}: expected {wanted!r}, sent {request.header(name)!r}"


def _reaches(scene: Scene, prediction: Prediction) -> bool:
    """Whether the request is predicted to arrive at the recorder or its proxy."""
    if prediction.url is None or prediction.proxy_error is not None:
        return False
    if prediction.proxy is not None:
        return prediction.proxy.rstrip("/").endswith(scene.values["proxy"].partition("://")[2])
    parts = urllib.parse.urlsplit(prediction.url)
    here = parts.hostname in ("127.0.0.1", "localhost")
    return here and str(parts.port) == scene.values["port"]


def _auth(prediction: Prediction, request: Recorded) -> Iterator[str]:
    for name in _AUTH:
        sent = request.header(name)
        if name not in prediction.auth:
            if sent is not None:
                yield f"{name}: predicted none, sent {sent!r}"
            continue
        secret = prediction.auth[name]
        if sent is None:
            yield f"{name}: predicted one, sent none"
        elif secret is not None and secret.reveal() != sent:
            yield f"{name}: predicted {secret.reveal()!r}, sent {sent!r}"
