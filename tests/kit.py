"""What tests of checks share: a store whose facts are given, and connections to examine.

No client is patched: a fact that is not given is simply not there.
"""

from __future__ import annotations

import asyncio
from typing import Any, TypeVar

from doctor.checkapi import Check
from doctor.connection import (
    AuthHeader,
    Connection,
    Origin,
    OriginKind,
    Protocol,
    ProxyMode,
    Setting,
)
from doctor.context import Options, RunContext
from doctor.engine import run_checks
from doctor.facts.machine import Environment
from doctor.facts.settings import Settings
from doctor.facts.store import Fact, Facts, Unavailable
from doctor.models import CheckResult
from doctor.secrets import Redactor, Secret

T = TypeVar("T")

KEY = "sk-made0up0made0up0made0up0made0up0made0up0made0up0"


class GivenFacts:
    """Answers from what the test gave; all else is unavailable unless it is to be ``gathered``."""

    def __init__(
        self, given: dict[Fact[Any], object], gathered: tuple[Fact[Any], ...] = ()
    ) -> None:
        self._given = {fact.key: value for fact, value in given.items()}
        self._gathered = {"environment", "settings", "endpoint", *(fact.key for fact in gathered)}

    def recall(self, scope: str, fact: Fact[T]) -> T | Unavailable | None:
        value: Any = self._given.get(fact.key)
        if value is not None:
            return value  # type: ignore[no-any-return]  # the test chose the type
        if fact.key in self._gathered:
            return None
        return Unavailable(f"the test gave no {fact.key}")

    def keep(self, scope: str, fact: Fact[Any], value: object) -> None:
        """Nothing is recorded in a test."""


def setting(value: Any, name: str = "OPENAI_API_KEY", **origin: Any) -> Setting[Any]:
    kind = OriginKind.FILE if "path" in origin else OriginKind.ENVIRONMENT
    return Setting(value, Origin(kind, name, **origin))


def connection(
    base_url: str = "https://gateway.example/v1",
    key: str | None = KEY,
    model: str | None = "qwen3-8b",
    *,
    client: str = "openai-sdk",
    protocol: Protocol = Protocol.OPENAI_CHAT,
    auth: AuthHeader = AuthHeader.BEARER,
    max_tokens: int | None = None,
    proxy: str = ProxyMode.ENVIRONMENT.value,
) -> Connection:
    return Connection(
        client=client,
        protocol=protocol,
        base_url=setting(base_url, "OPENAI_BASE_URL"),
        key=None if key is None else setting(Secret(key)),
        model=None if model is None else setting(model, "OPENAI_MODEL"),
        auth=setting(auth, "default"),
        max_tokens=None if max_tokens is None else setting(max_tokens, "max_tokens"),
        proxy=setting(proxy, "default"),
    )


def environment(variables: dict[str, str] | None = None, **more: Any) -> Environment:
    values: dict[str, Any] = {"platform": "linux", "home": "/home/user", "cwd": "/home/user/app"}
    return Environment(variables=variables or {}, **(values | more))


def store_of(
    target: Connection | None = None,
    given: dict[Fact[Any], object] | None = None,
    env: Environment | None = None,
    settings: Settings | None = None,
    options: Options | None = None,
    gathered: tuple[Fact[Any], ...] = (),
) -> Facts:
    """A store with given facts; those in ``gathered`` are really gathered. It sends nothing."""
    context = RunContext(
        options=options or Options(),
        environment=env or environment(),
        settings=settings or Settings(),
        recorder=GivenFacts(given or {}, gathered),
        redactor=Redactor(),
        requester=None,  # type: ignore[arg-type]  # no request can be made in such a test
    )
    return Facts(context, "target", target or connection())


def run_check(
    check: Check,
    target: Connection | None = None,
    given: dict[Fact[Any], object] | None = None,
    env: Environment | None = None,
    settings: Settings | None = None,
    options: Options | None = None,
) -> CheckResult:
    """Run one check on given facts."""
    store = store_of(target, given, env, settings, options)
    return asyncio.run(run_checks([check], store, lambda event: None))[0]
