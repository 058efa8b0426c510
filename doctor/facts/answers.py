"""What a server answered: plain frozen data, as all facts are, so that a run can be replayed.

Its text is bounded and harmless (``doctor.untrusted``) before it gets in here; a key is always a
``Secret``. Times are milliseconds.
"""

from __future__ import annotations

import enum
from dataclasses import field

from doctor.facts.network import Redirect, TransportFault
from doctor.records import dataclass


@dataclass(frozen=True, slots=True)
class Exchange:
    """One request and what came back.

    ``status`` None goes with ``fault``. ``headers`` are lower-case. ``body`` is at most 64 KiB
    of harmless text; ``body_bytes`` counts what was read, ``complete`` whether that was all.
    ``events`` are the data lines of a stream, at most 200. ``via`` is the proxy, None if direct.
    """

    purpose: str
    method: str
    url: str
    status: int | None
    headers: dict[str, str] = field(default_factory=dict)
    body: str = ""
    body_bytes: int = 0
    complete: bool = True
    events: tuple[str, ...] = ()
    streamed: bool = False
    cancelled: bool = False
    ms_headers: int = 0
    ms_first_event: int | None = None
    ms_total: int = 0
    fault: TransportFault | None = None
    fault_text: str = ""
    redirect: Redirect | None = None
    via: str | None = None
    request_model: str | None = None
    request_max_tokens: int | None = None

    @property
    def content_type(self) -> str:
        return self.headers.get("content-type", "").split(";")[0].strip().lower()


class OutcomeKind(enum.StrEnum):
    """What an exchange means. Grouped by the hop that it speaks of."""

    ANSWERED = "answered"
    # no HTTP answer
    TRANSPORT = "transport"
    # another place answered
    REDIRECTED = "redirected"
    PROXY_PAGE = "proxy-page"
    WEB_PAGE = "web-page"
    NOT_FOUND = "not-found"
    NOT_SERVED = "not-served"  # this server lacks the protocol
    # the key
    KEY_MISSING = "key-missing"
    KEY_REFUSED = "key-refused"
    PERMISSION = "permission"
    QUOTA = "quota"
    RATE_LIMITED = "rate-limited"
    # the model
    MODEL_UNKNOWN = "model-unknown"
    MODEL_MISSING = "model-missing"
    NO_CHANNEL = "no-channel"
    # the budget and the parameters
    MAX_TOKENS_REFUSED = "max-tokens-refused"
    MAX_TOKENS_NOT_POSITIVE = "max-tokens-not-positive"
    THINKING_REFUSED = "thinking-refused"  # its budget is not below max_tokens
    PROMPT_TOO_LONG = "prompt-too-long"
    PARAMETER_REFUSED = "parameter-refused"
    BAD_REQUEST = "bad-request"
    # behind the gateway
    UPSTREAM_UNREACHABLE = "upstream-unreachable"
    SERVER_ERROR = "server-error"
    # a 200 that is no answer
    ERROR_IN_SUCCESS = "error-in-success"
    NO_CHOICES = "no-choices"
    EMPTY_BODY = "empty-body"
    NOT_JSON = "not-json"
    CONTENT_EMPTY = "content-empty"
    STREAM_BROKEN = "stream-broken"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The meaning of an exchange; texts are the server's own, harmless and bounded.

    ``limit`` is the number that the server names as its maximum (max_tokens or window), in
    tokens; ``served`` the model ids that it names.
    """

    kind: OutcomeKind
    message: str = ""
    error_type: str = ""
    error_code: str = ""
    param: str = ""
    limit: int | None = None
    requested: int | None = None
    served: tuple[str, ...] = ()
    retry_after: str | None = None
    model: str | None = None
    text: str = ""
    reasoning: bool = False
    finish_reason: str | None = None
    # oddities of a stream that still answered: usage-only, empty-choices, null-choices,
    # choices-missing, choice-without-delta, not-json, error-event, ended-early; the shape of a
    # body that is no answer: null, array, string, scalar, truncated, blank, sse-unasked,
    # json-unasked, no-events
    oddities: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """An exchange with its meaning."""

    exchange: Exchange
    outcome: Outcome


@dataclass(frozen=True, slots=True)
class ServedModel:
    """An entry of the models list; ``window`` is max_model_len in tokens where it is told."""

    id: str
    window: int | None = None
    root: str | None = None
    owned_by: str | None = None


@dataclass(frozen=True, slots=True)
class ModelsReply:
    """The models list. ``models`` is None where the answer was none."""

    reply: Reply
    models: tuple[ServedModel, ...] | None


@dataclass(frozen=True, slots=True)
class AuthControl:
    """The negative control: the same free request with a made-up key.

    ``refused`` True: keys are checked. False: anything is let in there, so that a success with
    the real key proves nothing about it. None: the control itself gave no verdict.
    """

    refused: bool | None
    status: int | None
    detail: str


@dataclass(frozen=True, slots=True)
class Product:
    """What answers, by its own marks. ``id``: new-api, one-api, litellm, vllm, openai,
    openai-compatible, web-page, proxy, unknown; ``marks`` are the observations that say so."""

    id: str
    version: str | None
    marks: tuple[str, ...]
    provider: str | None = None


@dataclass(frozen=True, slots=True)
class SdkAnswer:
    """The same request through the openai SDK: the exception that the user sees.

    ``error`` None means it answered. ``cause`` is the innermost cause's class and text.
    """

    sdk: str
    error: str | None
    message: str = ""
    cause: str = ""
    ms: int = 0
    line: str = ""


@dataclass(frozen=True, slots=True)
class TokenState:
    """What the gateway says about this key. Amounts are in quota units; None where not told."""

    source: str
    name: str | None = None
    expired: bool | None = None
    exhausted: bool | None = None
    unlimited: bool | None = None
    available: float | None = None
    expires_at: int | None = None
    models: tuple[str, ...] | None = None
    text: str = ""
