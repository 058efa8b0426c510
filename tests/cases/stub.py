"""The server of a report, reconstructed: what it answers to which request. No sockets here.

It knows what the report tells and nothing of the cause: the request as configured gets the
response of the report, and so does every other that is the same in the aspect that the response
speaks of (``aspect``). What differs there is judged as such a server would: a key by its cleaned
text, a path by convention, a model by the list, a budget by the limit in the text.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin, urlsplit

from . import places
from .aspect import Aspect, aspect_of, is_page, limit_of
from .case import Case, GivenResponse
from .configured import Configured
from .healthy import Answer, as_json, chat, completion, models_list
from .keys import cleaned, is_sane, others_than_refused
from .served import Served, served_models
from .told import key_is_taken, key_of_engine_sent_otherwise, listed_models

STAND_IN_KEY = "sk-casesMadeUpKey0123456789abcdefghijklmnopqrstuvwx"
_DROPPED = frozenset({"content-length", "transfer-encoding", "connection", "content-encoding"})


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as it arrived. ``path`` has no query; ``tls`` and ``proxied`` say how it came."""

    method: str
    path: str
    bearer: str | None = None
    x_api_key: str | None = None
    body: dict[str, Any] = field(default_factory=dict)
    tls: bool = False
    proxied: bool = False

    @property
    def keys(self) -> tuple[str, ...]:
        return tuple(key for key in (self.x_api_key, self.bearer) if key)


@dataclass(frozen=True, slots=True)
class Stub:
    """``given`` None: the report has no response, only the line that starts the server.
    ``taken_as_bearer`` is a key that its client sent in another header, so that it was refused;
    ``other_keys`` are those of the report that were not refused."""

    configured: Configured
    given: GivenResponse | None
    aspect: Aspect
    served: Served
    key: str | None
    taken_as_bearer: str | None = None
    other_keys: frozenset[str] = frozenset()

    def answer(self, asked: Asked) -> Answer:
        given, aspect = self.given, self.aspect
        if given is not None and aspect is Aspect.ROUTE and asked.proxied:
            return as_given(given)
        ends = asked.path.endswith(places.ENDPOINTS if asked.method == "POST" else "/models")
        if not ends or not self._is_there(asked):
            return self._elsewhere(asked)
        if given is not None and aspect is Aspect.FIXED and asked.method == "POST":
            return fitted(given, asked)
        if not self._takes_key(asked):
            keyed = given is not None and aspect in (Aspect.KEY, Aspect.NO_KEY)
            return as_given(given) if keyed and given is not None else _no_such_key()
        if asked.method == "GET":
            return models_list(self.served)
        return self._complete(asked)

    def _complete(self, asked: Asked) -> Answer:
        given = self.given
        model = str(asked.body.get("model", ""))
        if model not in self.served.ids:
            about_it = given is not None and self.aspect is Aspect.MODEL
            return as_given(given) if about_it and given is not None else _no_such_model(model)
        if given is not None and self.aspect is Aspect.MAX_TOKENS and self._too_much(asked, given):
            return as_given(given)
        return completion(asked.path, model, stream=bool(asked.body.get("stream")))

    def _is_there(self, asked: Asked) -> bool:
        first = places.configured_path(self.configured)
        given = self.given
        if self.aspect is not Aspect.PATH or given is None:
            return asked.path in places.api_paths(self.configured) | places.beside(first)
        if 300 <= given.status < 400:
            return self._is_behind_redirect(asked, given)
        has_site = is_page(given) or not self.configured.is_near
        usual = places.api_paths(self.configured, has_site=has_site)
        there = places.paths_of_product(given.body) or usual
        named = places.named_as_missing(given.body)
        if named is not None and not named.endswith(places.ENDPOINTS):
            # The client of the report asked for the base as it stands.
            return asked.path in there
        if first in there and self._lacks_api(given):
            return asked.path in there and not asked.path.endswith(_ending(first))
        return asked.path in there - places.beside(first)

    def _lacks_api(self, given: GivenResponse) -> bool:
        """Whether the place is right, so that it is this API which the server lacks. new-api says
        "Invalid URL" below its /v1 only, where it has chat completions at any rate."""
        if self.configured.protocol == "anthropic-messages":
            return "Invalid URL (POST /v1/messages" in given.body
        return self.configured.protocol == "openai-responses"

    def _is_behind_redirect(self, asked: Asked, given: GivenResponse) -> bool:
        named = {name.lower(): value for name, value in given.headers.items()}
        first = places.configured_path(self.configured)
        target = urlsplit(urljoin(f"{self.configured.scheme}://host{first}", named["location"]))
        if (target.scheme == "https") != asked.tls:
            return False
        return asked.path in places.beside(target.path) | places.api_paths(self.configured)

    def _elsewhere(self, asked: Asked) -> Answer:
        """A path that is none of the API's."""
        given = self.given
        if given is not None and self.aspect is Aspect.PATH:
            first = places.configured_path(self.configured)
            if not 300 <= given.status < 400 or asked.path in places.beside(first):
                return as_given(given)
        if given is not None and ("one_api_error" in given.body or "new_api_error" in given.body):
            message = f"Invalid URL ({asked.method} {asked.path})"
            kind = "invalid_request_error"
            return as_json({"error": {"message": message, "type": kind, "code": ""}}, 404)
        return as_json({"detail": "Not Found"}, 404)

    def _takes_key(self, asked: Asked) -> bool:
        configured = self.key
        if self.taken_as_bearer is not None and asked.bearer == self.taken_as_bearer:
            return True
        if self.aspect is Aspect.KEY:
            if not self.other_keys.isdisjoint(asked.keys):
                return True
            return configured is not None and _is_repaired(asked.keys, configured)
        if self.aspect is Aspect.NO_KEY:
            if not configured:
                return any(is_sane(key) for key in asked.keys)
            # It was sent and not seen: it works cleaned, or in the other header.
            other = self.configured.protocol != "anthropic-messages"
            if other and places.is_vendors(self.configured.host):
                # OpenAI's own header is every vendor's, so that the program sent none.
                return asked.bearer is not None and is_sane(asked.bearer)
            moved = asked.x_api_key if other else asked.bearer
            return _is_repaired(asked.keys, configured) or moved == configured
        if not configured:
            return True
        return any(key in (configured, cleaned(configured)) for key in asked.keys)

    def _too_much(self, asked: Asked, given: GivenResponse) -> bool:
        limit = limit_of(given)
        names = ("max_tokens", "max_completion_tokens", "max_output_tokens")
        amount = next((asked.body[name] for name in names if name in asked.body), None)
        if limit is None or amount is None or self.configured.max_tokens is None:
            return True
        return int(amount) > limit


def stub_of(case: Case, configured: Configured, *, proxied: bool, key: str | None) -> Stub:
    """``key`` is the one with which the program is started, None where the report has none."""
    given = case.response
    aspect = Aspect.FIXED if given is None else aspect_of(given, proxied=proxied)
    if aspect is Aspect.KEY and key_is_taken(case):
        aspect = Aspect.PATH
    served = served_models(configured, aspect, listed_models(case, configured))
    sent_otherwise = key_of_engine_sent_otherwise(case)
    others = others_than_refused(case)
    return Stub(configured, given, aspect, served, key, sent_otherwise, others)


def _ending(path: str) -> str:
    return next(end for end in places.ENDPOINTS if path.endswith(end))


def as_given(given: GivenResponse) -> Answer:
    """The response of the report, as it was reported."""
    headers = {n: v for n, v in given.headers.items() if n.lower() not in _DROPPED}
    return Answer(given.status, given.body, headers)


def fitted(given: GivenResponse, asked: Asked) -> Answer:
    """The response of the report; a whole completion is streamed to a client that streams, since
    the server would have done so."""
    streams = bool(asked.body.get("stream")) and given.status == 200
    whole = _completion_in(given) if streams else None
    if whole is None:
        return as_given(given)
    choice = whole["choices"][0]
    message = {name: value for name, value in choice["message"].items() if name != "role"}
    text = message.pop("content", None)
    more = {"finish_reason": choice.get("finish_reason"), **message}
    if isinstance(whole.get("usage"), dict):
        more["usage"] = whole["usage"]
    model = whole.get("model", asked.body.get("model"))
    return chat(str(model), text, stream=True, **more)


def _completion_in(given: GivenResponse) -> dict[str, Any] | None:
    try:
        whole = json.loads(given.body)
        fits = isinstance(whole["choices"][0]["message"], dict)
    except (ValueError, KeyError, IndexError, TypeError):
        return None
    return whole if fits else None


def _is_repaired(sent: tuple[str, ...], configured: str) -> bool:
    good = cleaned(configured)
    return good != configured and is_sane(good) and good in sent


def _no_such_key() -> Answer:
    error = {"message": "Incorrect API key provided.", "type": "invalid_request_error"}
    return as_json({"error": {**error, "code": "invalid_api_key"}}, 401)


def _no_such_model(model: str) -> Answer:
    error = {"message": f"The model `{model}` does not exist.", "type": "NotFoundError"}
    return as_json({"error": {**error, "param": "model", "code": 404}}, 404)
