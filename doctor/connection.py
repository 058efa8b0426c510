"""A Connection and where each of its values comes from; Changes that lead to another one."""

from __future__ import annotations

import dataclasses
import enum
from dataclasses import field
from typing import Any, Generic, TypeVar

from doctor.records import dataclass
from doctor.secrets import Secret
from doctor.text import Text, _

T = TypeVar("T")


class OriginKind(enum.StrEnum):
    FLAG = "flag"
    ENVIRONMENT = "environment"
    FILE = "file"
    PROVIDER = "provider"  # providers.toml
    DEFAULT = "default"  # the client's own
    CHANGE = "change"  # a candidate repair


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a value was read.

    ``name`` is the variable, flag or key path. ``path`` and ``line`` (from 1) are set for files;
    ``path`` is shown with ``~``. ``project`` marks a file of the working folder, which is not
    trusted to choose where a key goes (DESIGN §6.4).
    """

    kind: OriginKind
    name: str
    path: str | None = None
    line: int | None = None
    project: bool = False

    def __str__(self) -> str:
        if self.path is not None:
            place = f"{self.path}:{self.line}" if self.line else self.path
            return f"{self.name}, {place}" if self.name else place
        if self.kind is OriginKind.ENVIRONMENT:
            return _("{name}, environment", name=self.name)
        return self.name


@dataclass(frozen=True, slots=True)
class Shadowed(Generic[T]):
    """A value that lost against the one in effect."""

    value: T
    origin: Origin


@dataclass(frozen=True, slots=True)
class Setting(Generic[T]):
    """One value, its origin and the values that it shadows (first shadowed first)."""

    value: T
    origin: Origin
    shadows: tuple[Shadowed[T], ...] = ()


class Protocol(enum.StrEnum):
    OPENAI_CHAT = "openai-chat"
    OPENAI_RESPONSES = "openai-responses"
    ANTHROPIC_MESSAGES = "anthropic-messages"
    GEMINI_GENERATE = "gemini-generate"


class AuthHeader(enum.StrEnum):
    BEARER = "authorization"
    X_API_KEY = "x-api-key"
    X_GOOG_API_KEY = "x-goog-api-key"


class ProxyMode(enum.StrEnum):
    """How the client picks a proxy. ``ENVIRONMENT`` includes the system's where its stack does."""

    ENVIRONMENT = "environment"
    DIRECT = "direct"


class Unsent(enum.StrEnum):
    """What a client would authenticate with, and kvdoctor never sends: a stored login's token
    belongs to its own vendor, and a helper's output is had only by running it (DESIGN §6)."""

    CLAUDE_LOGIN = "claude.ai login"
    CHATGPT_LOGIN = "ChatGPT login"
    GOOGLE_LOGIN = "Google login"
    OTHER_LOGIN = "stored login"
    KEY_HELPER = "apiKeyHelper"
    KEYCHAIN = "keychain"
    KEY_FILE = "key file that a project's file leads to"


@dataclass(frozen=True, slots=True)
class Header:
    """A header of the user's own that the client adds to every request."""

    name: str
    value: Secret
    origin: Origin


_DEFAULT = Origin(OriginKind.DEFAULT, _("default"))


@dataclass(frozen=True, slots=True)
class Connection:
    """What a client would use for one request. Immutable.

    ``timeout`` is in seconds. ``key`` None means that no source holds one at all; an empty one
    is a Secret of length 0. ``proxy`` is a mode, or the URL of a proxy to use for everything.

    ``second_key`` is a further credential that the client sends at the same time in
    ``x-api-key``, beside ``key`` in ``Authorization``. ``unsent`` is what it authenticates with
    that kvdoctor does not send, ``second_unsent`` what of that kind it puts into ``x-api-key``
    (the output of an ``apiKeyHelper``). ``headers`` and ``query`` are added to every request.
    ``variables`` are those that the client sets for itself, over the process's own.
    """

    client: str
    protocol: Protocol
    base_url: Setting[str]
    key: Setting[Secret] | None = None
    model: Setting[str] | None = None
    auth: Setting[AuthHeader] = field(default=Setting(AuthHeader.BEARER, _DEFAULT))
    max_tokens: Setting[int] | None = None
    proxy: Setting[str] = field(default=Setting(ProxyMode.ENVIRONMENT.value, _DEFAULT))
    ca_bundle: Setting[str] | None = None
    timeout: float = 30.0
    stream: bool = True
    second_key: Setting[Secret] | None = None
    unsent: Setting[Unsent] | None = None
    second_unsent: Setting[Unsent] | None = None
    headers: tuple[Header, ...] = ()
    query: tuple[tuple[str, str], ...] = ()
    variables: dict[str, Setting[str]] = field(default_factory=dict)

    @property
    def configured(self) -> bool:
        """Whether anybody said where requests go, or what authenticates them."""
        if self.base_url.origin.kind is not OriginKind.DEFAULT:
            return True
        sent = (self.key, self.second_key, self.unsent, self.second_unsent)
        return any(one is not None for one in sent)

    def with_(self, change: Change) -> Connection:
        """Another Connection with ``change`` applied; the old value is kept as shadowed.

        A change to None takes the setting out, for those that may be missing.
        """
        old: Setting[Any] | None = getattr(self, change.setting.value)
        if change.value is None:
            without: dict[str, Any] = {change.setting.value: None}
            return dataclasses.replace(self, **without)
        origin = Origin(OriginKind.CHANGE, change.code)
        shadows = () if old is None else (Shadowed(old.value, old.origin), *old.shadows)
        changed: dict[str, Any] = {change.setting.value: Setting(change.value, origin, shadows)}
        return dataclasses.replace(self, **changed)


class SettingName(enum.StrEnum):
    """The settings that a change may touch."""

    BASE_URL = "base_url"
    KEY = "key"
    MODEL = "model"
    AUTH = "auth"
    MAX_TOKENS = "max_tokens"
    PROXY = "proxy"
    CA_BUNDLE = "ca_bundle"
    SECOND_KEY = "second_key"


@dataclass(frozen=True, slots=True)
class Change:
    """A candidate repair: set one setting to ``value``. Pure data, so it can be saved.

    ``code`` names the fault that it removes. ``title`` says what is done ("add /v1 to the base
    URL"). ``guess`` marks one of several alternatives of which at most one is right; a change
    that is not a guess is right by itself (a key without its line break) and is tried with
    others. ``rank`` orders guesses, lower first.
    """

    code: str
    setting: SettingName
    value: Any
    title: Text
    guess: bool = False
    rank: int = 0

    @property
    def id(self) -> str:
        return f"{self.code}:{self.setting.value}"

    @property
    def shown(self) -> str:
        """The new value as it may be shown; empty for what is taken out."""
        if self.value is None:
            return ""
        return self.value.described if isinstance(self.value, Secret) else str(self.value)
