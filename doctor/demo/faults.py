"""Faults to order: which route answers how wrongly, and for how many requests.

A fault either replaces the answer (``HTML_PAGE``, ``HANG``, …) or spoils the one that would
have come (``CHOICES_NULL``, ``STREAM_CUT``, …). A fault that is about streams leaves plain
answers alone, and the reverse.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from .messages import Answer, Request

Serve = Callable[[], Awaitable[Answer]]

ANY = "*"


class Fault(StrEnum):
    """What goes wrong. Bodies: facts/gateway-clients.md 1.3 and 2.3, cases BR-112 … BR-134."""

    # 200 with the wrong body
    CHOICES_NULL = "choices-null"
    CHOICES_EMPTY = "choices-empty"
    CHOICES_MISSING = "choices-missing"
    ERROR_IN_SUCCESS = "error-in-success"
    SUCCESS_FALSE = "success-false"
    EMPTY_JSON = "empty-json"
    EMPTY_TEXT = "empty-text"
    JSON_NULL = "json-null"
    JSON_STRING = "json-string"
    JSON_ARRAY = "json-array"
    HTML_PAGE = "html-page"
    CAPTIVE_PORTAL = "captive-portal"
    TRUNCATED_JSON = "truncated-json"
    BODY_CUT = "body-cut"
    SSE_UNASKED = "sse-unasked"
    JSON_UNASKED = "json-unasked"
    HUGE_BODY = "huge-body"
    HOSTILE_CONTENT = "hostile-content"
    # 200 and well formed, yet not what was wanted
    THINKING_TOOK_BUDGET = "thinking-took-budget"
    THINKING_AND_STOP = "thinking-and-stop"
    CUT_BY_LENGTH = "cut-by-length"
    OTHER_MODEL = "other-model"
    # streams
    STREAM_USAGE_CHUNK = "stream-usage-chunk"
    STREAM_AZURE_FILTER = "stream-azure-filter"
    STREAM_AZURE_NO_DELTA = "stream-azure-no-delta"
    STREAM_ERROR_EVENT = "stream-error-event"
    STREAM_ENDS_EARLY = "stream-ends-early"
    STREAM_CUT = "stream-cut"
    STREAM_EMPTY = "stream-empty"
    STREAM_NEVER_STARTS = "stream-never-starts"
    STREAM_STALLS = "stream-stalls"
    STREAM_BUFFERED = "stream-buffered"
    # the connection
    HANG = "hang"
    SLOW_FIRST_BYTE = "slow-first-byte"
    RESET = "reset"
    DROP = "drop"
    # other statuses
    REDIRECT_ELSEWHERE = "redirect-elsewhere"
    REDIRECT_HTTPS = "redirect-https"
    REDIRECT_SLASH = "redirect-slash"
    RATE_LIMIT_EMPTY = "rate-limit-empty"
    RATE_LIMIT_RETRY_AFTER = "rate-limit-retry-after"
    BAD_GATEWAY = "bad-gateway"
    GATEWAY_TIMEOUT = "gateway-timeout"
    UPSTREAM_UNAVAILABLE = "upstream-unavailable"
    UPSTREAM_UNREACHABLE = "upstream-unreachable"
    FIREWALL = "firewall"
    HOSTILE_ERROR = "hostile-error"
    # one parameter is refused; without it the request is served
    MAX_TOKENS_REFUSED = "max-tokens-refused"
    MAX_COMPLETION_TOKENS_REFUSED = "max-completion-tokens-refused"
    MAX_TOKENS_CAPPED = "max-tokens-capped"


# These come from what stands before the API: no key is looked at.
_BEFORE_AUTH = frozenset(
    {
        Fault.RESET,
        Fault.DROP,
        Fault.REDIRECT_ELSEWHERE,
        Fault.REDIRECT_HTTPS,
        Fault.REDIRECT_SLASH,
        Fault.RATE_LIMIT_EMPTY,
        Fault.BAD_GATEWAY,
        Fault.GATEWAY_TIMEOUT,
        Fault.FIREWALL,
        Fault.CAPTIVE_PORTAL,
    }
)


@dataclass(frozen=True, slots=True)
class Injection:
    """A fault with its parameters.

    ``seconds``: of SLOW_FIRST_BYTE, STREAM_BUFFERED and Retry-After. ``location``: target of
    REDIRECT_ELSEWHERE. ``model``: who answers with OTHER_MODEL. ``limit``: of MAX_TOKENS_CAPPED,
    or the bytes of HUGE_BODY. ``first``: only so many requests of the route fail.
    ``before_auth``: whether the key is not even looked at; by default as the fault has it.
    """

    fault: Fault
    seconds: float = 2.0
    location: str = "https://elsewhere.example/v1/chat/completions"
    model: str = "another-model"
    limit: int = 0
    first: int | None = None
    before_auth: bool | None = None

    @property
    def comes_first(self) -> bool:
        return self.fault in _BEFORE_AUTH if self.before_auth is None else self.before_auth


@dataclass(eq=False)
class Faults:
    """The faults of one server, by route: ``{"/v1/chat/completions": Fault.CHOICES_NULL}``.

    A route is the path as the API has it (no gateway prefix); ``"*"`` is every route. It can
    be changed while the server runs.
    """

    routes: dict[str, Injection] = field(default_factory=dict)
    hits: dict[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, routes: Mapping[str, Fault | Injection] | Faults | None) -> Faults:
        if isinstance(routes, Faults):
            return routes
        made = cls()
        for route, fault in (routes or {}).items():
            made.set(route, fault)
        return made

    def set(self, route: str, fault: Fault | Injection) -> None:
        self.routes[route] = fault if isinstance(fault, Injection) else Injection(fault)
        self.hits.pop(route, None)

    def clear(self, route: str | None = None) -> None:
        if route is None:
            self.routes.clear()
        else:
            self.routes.pop(route, None)

    async def apply(self, route: str, request: Request, serve: Serve, *, early: bool) -> Answer:
        """The answer of ``serve``, or what the fault of the route makes of it.

        Called twice for a request: ``early`` before the key is looked at, then in its place.
        """
        from .injection import inject

        name = route if route in self.routes else ANY
        injection = self.routes.get(name)
        if injection is None or injection.comes_first is not early:
            return await serve()
        count = self.hits.get(name, 0)
        if injection.first is not None and count >= injection.first:
            return await serve()
        self.hits[name] = count + 1
        return await inject(injection, request, route, serve)
