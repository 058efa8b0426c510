"""The values that facts have: plain frozen data, so that a run can be saved and replayed.

Text of a server is bounded and harmless (``doctor.untrusted``) before it gets in here; a key is
always a ``Secret``. Times are milliseconds.
"""

from __future__ import annotations

import enum
from dataclasses import field

from doctor.connection import Origin
from doctor.records import dataclass
from doctor.secrets import Secret

# ------------------------------------------------------------------ this machine


@dataclass(frozen=True, slots=True)
class Environment:
    """The process environment as the examined client sees it.

    ``platform`` is ``sys.platform``. ``system_proxies`` are those of macOS or Windows (scheme →
    URL), None where the platform has none. ``home`` and ``cwd`` are absolute.
    """

    variables: dict[str, str]
    platform: str
    home: str
    cwd: str
    in_container: bool = False
    over_ssh: bool = False
    system_proxies: dict[str, str] | None = None


class Role(enum.StrEnum):
    """What a value found in some source is for."""

    BASE_URL = "base_url"
    KEY = "key"
    MODEL = "model"
    MAX_TOKENS = "max_tokens"
    KEY_VARIABLE = "key_variable"  # the name of the variable that holds the key
    TIMEOUT = "timeout"
    WINDOW = "window"  # max_model_len as a file declares it, in tokens


@dataclass(frozen=True, slots=True)
class Sighting:
    """One value found in one source, in effect or not.

    ``value`` is a Secret for keys. ``raw`` is the text as it stands in the file, before the
    reader's rules for quotes and comments. ``provider`` is an id of providers.toml where the
    variable's name says it. ``in_effect_for`` are the ids of the targets that use it.
    ``in_container`` says that it takes effect inside a container (a compose service, ``docker run
    --env-file``), where localhost is the container itself.
    """

    role: Role
    name: str
    value: str | Secret
    origin: Origin
    raw: str | Secret = ""
    provider: str | None = None
    in_effect_for: tuple[str, ...] = ()
    in_container: bool = False


class EnvReader(enum.StrEnum):
    """Programs that read the same ``.env`` line differently."""

    DOTENV = "python-dotenv"
    DOCKER = "docker --env-file"
    COMPOSE = "docker compose"
    SHELL = "shell"


@dataclass(frozen=True, slots=True)
class EnvLine:
    """One assignment of a ``.env`` file. ``values`` maps each reader to (name, value); None
    where that reader drops or refuses the line. Values are Secrets if the name is a key's, and
    empty if it is of no concern to a client of a model."""

    number: int
    name: str
    raw: str | Secret
    values: dict[EnvReader, tuple[str, str | Secret] | None]


@dataclass(frozen=True, slots=True)
class EnvFile:
    """A ``.env`` file: ``readers`` are those known to read it here (by a compose file, a flag)."""

    path: str
    project: bool
    lines: tuple[EnvLine, ...]
    bom: bool = False
    crlf: bool = False
    readers: tuple[EnvReader, ...] = ()
    mode: int | None = None
    tracked_by_git: bool | None = None


@dataclass(frozen=True, slots=True)
class SourceProblem:
    """A source that could not be read or makes no sense, with the place."""

    path: str
    line: int | None
    message: str


@dataclass(frozen=True, slots=True)
class SecretFile:
    """A file that holds a key: permission bits, and whether git tracks it (None: unknown)."""

    path: str
    line: int | None
    name: str
    mode: int | None
    tracked_by_git: bool | None


@dataclass(frozen=True, slots=True)
class Settings:
    """All that was found, whoever uses it."""

    sightings: tuple[Sighting, ...] = ()
    env_files: tuple[EnvFile, ...] = ()
    secret_files: tuple[SecretFile, ...] = ()
    problems: tuple[SourceProblem, ...] = ()


@dataclass(frozen=True, slots=True)
class Listener:
    """A TCP socket in state LISTEN on this machine."""

    address: str
    port: int
    process: str | None = None


@dataclass(frozen=True, slots=True)
class PythonHome:
    """A Python environment that the examined program may run in, found by its folders alone.

    ``packages`` maps the lower-case names of installed distributions to their versions.
    """

    path: str
    packages: dict[str, str]


class CaState(enum.StrEnum):
    OK = "ok"
    MISSING = "missing"
    DIRECTORY = "directory"
    FILE = "file"  # where a directory is due
    NOT_PEM = "not-pem"
    UNREADABLE = "unreadable"


@dataclass(frozen=True, slots=True)
class CaPath:
    """A variable that names a file or a folder of CA certificates, and what stands there."""

    variable: str
    path: str
    state: CaState
    certificates: int = 0


# ------------------------------------------------------------------ the way there


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where the client's request goes: base and path joined by the client's own rule.

    ``url`` is None where the client itself refuses the base; ``refusal`` is then its text.
    """

    url: str | None
    scheme: str = ""
    host: str = ""
    port: int = 0
    path: str = ""
    models_url: str | None = None
    refusal: str | None = None


@dataclass(frozen=True, slots=True)
class StackRoute:
    """What one HTTP stack does with the proxy settings for one URL.

    ``proxy`` None means direct. ``error`` is the text with which the stack refuses to start.
    ``variable`` is the setting that decided ("HTTPS_PROXY", "NO_PROXY", "macOS system proxy").
    """

    stack: str
    proxy: str | None
    variable: str | None = None
    error: str | None = None


@dataclass(frozen=True, slots=True)
class ProxyRoutes:
    """The route of the examined client, and how other stacks would go."""

    mine: StackRoute
    others: tuple[StackRoute, ...] = ()


@dataclass(frozen=True, slots=True)
class TcpAnswer:
    """One TCP connect. ``error`` is one of refused, timeout, unreachable, address, other."""

    host: str
    address: str
    port: int
    ok: bool
    ms: int
    error: str | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class DnsAnswer:
    """Addresses of a name, in the system's order; empty with ``error`` where it fails."""

    host: str
    addresses: tuple[str, ...]
    ms: int
    error: str | None = None


@dataclass(frozen=True, slots=True)
class TlsAnswer:
    """One TLS handshake judged by two trust stores.

    ``error`` None means that the client's own store accepts it. Kinds: untrusted, name, date,
    not-tls, other. ``system_ok``/``certifi_ok`` None: not tried.
    """

    ok: bool
    ms: int
    error: str | None = None
    text: str = ""
    issuer: str = ""
    subject: str = ""
    names: tuple[str, ...] = ()
    not_before: str = ""
    not_after: str = ""
    self_signed: bool = False
    system_ok: bool | None = None
    certifi_ok: bool | None = None
    store: str = ""


# ------------------------------------------------------------------ requests


class TransportFault(enum.StrEnum):
    """Why no HTTP answer came."""

    ILLEGAL_HEADER = "illegal-header"
    ENCODING = "encoding"
    INVALID_URL = "invalid-url"
    PROXY_SETTING = "proxy-setting"
    PROXY_UNREACHABLE = "proxy-unreachable"
    PROXY_REFUSES = "proxy-refuses"
    DNS = "dns"
    REFUSED = "refused"
    CONNECT_TIMEOUT = "connect-timeout"
    READ_TIMEOUT = "read-timeout"
    RESET = "reset"
    TLS_UNTRUSTED = "tls-untrusted"
    TLS_NAME_OR_DATE = "tls-name-or-date"
    TLS_TO_PLAIN = "tls-to-plain"
    TLS_SETTING = "tls-setting"
    TLS_OTHER = "tls-other"
    PLAIN_TO_TLS = "plain-to-tls"
    PROTOCOL = "protocol"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Redirect:
    """A redirect that was answered and not followed with the key to another origin."""

    status: int
    location: str
    same_origin: bool


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
