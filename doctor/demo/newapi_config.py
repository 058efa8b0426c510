"""What a demo gateway holds: keys with their states, models with their routes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from . import keys
from .faults import Fault, Faults, Injection
from .sse import INSTANT, Pace


class Variant(StrEnum):
    """Which generation of new-api answers (facts: gateway-clients.md 1.3)."""

    NEWER = "newer"
    OLD = "2025-04"


class KeyState(StrEnum):
    """What the gateway knows of a key. A key that is not in the configuration is unknown."""

    ACTIVE = "active"
    EXPIRED = "expired"
    EXHAUSTED = "exhausted"
    DISABLED = "disabled"
    DATABASE_FAULT = "database-fault"
    IP_DENIED = "ip-denied"
    USER_BANNED = "user-banned"
    GROUP_DENIED = "group-denied"
    GROUP_RETIRED = "group-retired"
    RATE_LIMITED = "rate-limited"
    RATE_LIMITED_TOTAL = "rate-limited-total"
    RATE_LIMITED_EMPTY = "rate-limited-empty"
    USER_WITHOUT_QUOTA = "user-without-quota"
    USER_QUOTA_TOO_SMALL = "user-quota-too-small"
    TOKEN_QUOTA_TOO_SMALL = "token-quota-too-small"  # noqa: S105 - a state, no secret


@dataclass(frozen=True, slots=True)
class Key:
    """A token of the gateway. Quota is in raw units: 500000 are one dollar."""

    value: str = field(default=keys.GOOD, repr=False)
    state: KeyState = KeyState.ACTIVE
    name: str = "demo"
    group: str = "default"
    models: frozenset[str] | None = None
    remaining: int = 5_000_000
    used: int = 250_000
    unlimited: bool = False
    expires_at: int = -1
    admin: bool = False

    @property
    def body(self) -> str:
        return self.value.removeprefix("sk-")


@dataclass(frozen=True, slots=True)
class Model:
    """A model of the gateway.

    ``groups`` have a channel for it; none means that the gateway lists it but cannot route it.
    ``answers_as`` is the model that really answers. ``window`` is the upstream engine's, which
    refuses larger budgets in vLLM's words. ``upstream`` sends the request on for real: the base
    URL of a loopback server, with ``upstream_key`` and ``upstream_model``.
    """

    id: str
    window: int = 131072
    groups: tuple[str, ...] = ("default",)
    answers_as: str | None = None
    priced: bool = True
    upstream: str | None = None
    upstream_key: str = field(default="", repr=False)
    upstream_model: str | None = None
    endpoints: tuple[str, ...] = ("openai", "anthropic", "openai-response")


# Ids seen with TaoToken in public code (facts: gateway-clients.md 1.8).
MODELS = (Model("deepseek-v4-flash"), Model("deepseek-v4-pro"), Model("qwen3.7-max"))


class StatusPlace(StrEnum):
    """Where the admin API's ``/status`` is found behind a prefix: not settled, so all three."""

    API = "/api/status"
    DOUBLED = "/api/api/status"
    NOWHERE = "nowhere"


class RootV1(StrEnum):
    """What ``/v1/…`` without the gateway's prefix does."""

    NOT_FOUND = "not-found"
    PAGE = "page"
    SERVES = "serves"


@dataclass(frozen=True)
class NewApiConfig:
    """A gateway as TaoToken publishes it: OpenAI base ``/api/v1``, Anthropic base ``/api``.

    ``prefix=""`` is stock new-api. ``headers=False`` is one whose reverse proxy strips the two
    telltale headers. ``language`` set is the user's own, which beats Accept-Language.
    ``per_ip_limit`` and ``overloaded`` answer before the key is looked at.
    """

    prefix: str = "/api"
    keys: tuple[Key, ...] = (Key(),)
    models: tuple[Model, ...] = MODELS
    variant: Variant = Variant.NEWER
    version: str = "v1.0.0-rc.24"
    system_name: str = "New API"
    headers: bool = True
    language: str | None = None
    status_at: StatusPlace = StatusPlace.API
    root_v1: RootV1 = RootV1.NOT_FOUND
    overloaded: bool = False
    answer: str = "ok"
    pace: Pace = INSTANT
    faults: Mapping[str, Fault | Injection] | Faults | None = None
