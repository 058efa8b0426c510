"""Servers that exist on paper, and what the search makes of a base URL in front of one.

A server is a function from a URL to a reply. The real repair search runs on it with the real
checks of the area: only the network is left out.
"""

from __future__ import annotations

import asyncio
import urllib.parse
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from doctor.checkapi import Check
from doctor.clients import profile
from doctor.connection import Connection, Protocol
from doctor.context import Options, RunContext
from doctor.facts.answers import (
    Exchange,
    ModelsReply,
    Outcome,
    OutcomeKind,
    Product,
    Reply,
    ServedModel,
)
from doctor.facts.machine import Environment
from doctor.facts.network import Redirect, TransportFault
from doctor.facts.settings import Settings
from doctor.facts.store import Fact, Facts, Unavailable
from doctor.models import CheckResult, Finding
from doctor.registry import load
from doctor.repair import Repair, Search, examine
from doctor.secrets import Redactor
from tests.kit import GivenFacts, connection, environment

T = TypeVar("T")

K = OutcomeKind
CHECKS: tuple[Check, ...] = load().selected(["endpoint"])
ANTHROPIC: dict[str, Any] = {"client": "anthropic-sdk", "protocol": Protocol.ANTHROPIC_MESSAGES}
RESPONSES: dict[str, Any] = {"protocol": Protocol.OPENAI_RESPONSES}

Given = dict[Fact[Any], object]

# From method and URL to what comes back.
Server = Callable[[str, str], Reply]


def reply(
    kind: OutcomeKind,
    status: int | None = None,
    body: str = "",
    content_type: str = "application/json",
    *,
    method: str = "POST",
    url: str = "https://gateway.example/v1/chat/completions",
    message: str = "",
    location: str | None = None,
    fault: TransportFault | None = None,
    via: str | None = None,
) -> Reply:
    """A reply as a probe gives it."""
    told = status if status is not None and 300 <= status < 400 else 307
    redirect = None if location is None else Redirect(told, location, False)
    exchange = Exchange(
        "completion" if method == "POST" else "models",
        method,
        url,
        status,
        headers={"content-type": content_type} if status is not None else {},
        body=body,
        redirect=redirect,
        fault=fault,
        via=via,
    )
    return Reply(exchange, Outcome(kind, message=message))


PAGE = "<!doctype html><html><head><title>Relay</title></head><body></body></html>"


def page(method: str, url: str, status: int = 200) -> Reply:
    return reply(K.WEB_PAGE, status, PAGE, "text/html", method=method, url=url)


def nothing(method: str, url: str, body: str = '{"detail":"Not Found"}') -> Reply:
    return reply(K.NOT_FOUND, 404, body, method=method, url=url)


def answer(method: str, url: str) -> Reply:
    return reply(K.ANSWERED, 200, "{}", method=method, url=url)


_ENDPOINTS = ("/chat/completions", "/models")


def serving(
    *bases: str,
    endpoints: tuple[str, ...] = _ENDPOINTS,
    otherwise: Callable[[str, str], Reply] = nothing,
) -> Server:
    """A server with its API below the paths ``bases``; elsewhere it answers ``otherwise``."""
    paths = {base + endpoint for base in bases for endpoint in endpoints}

    def serve(method: str, url: str) -> Reply:
        path = urllib.parse.urlsplit(url).path
        return answer(method, url) if path in paths else otherwise(method, url)

    return serve


def relay(api: str = "/v1") -> Server:
    """new-api and its kin: a web page for every path outside the API."""
    return serving(
        api,
        endpoints=("/chat/completions", "/models", "/messages"),
        otherwise=page,
    )


def always(kind: OutcomeKind, status: int | None = None, **more: Any) -> Server:
    return lambda method, url: reply(kind, status, method=method, url=url, **more)


class _World(Facts):
    """Facts of a connection to ``server``; the rest is what the test gave."""

    server: Server
    given: dict[str, object]

    async def get(self, fact: Fact[T]) -> T:
        value: Any = self.given.get(fact.key)
        if value is not None:
            return value  # type: ignore[no-any-return]  # the test chose the type
        if fact.key in ("environment", "settings", "endpoint"):
            return await super().get(fact)
        made: Any = self._made(fact.key)
        if made is None:
            raise Unavailable(f"the test gave no {fact.key}")
        return made  # type: ignore[no-any-return]

    def at(self, connection: Connection, changes: tuple[str, ...]) -> _World:
        return _world(self.run, connection, self.server, self.given, changes)

    def _made(self, key: str) -> object:
        endpoint = profile(self.connection.client).endpoint(self.connection)
        if endpoint.url is None:
            refused = reply(K.TRANSPORT, fault=TransportFault.INVALID_URL, url="")
            return refused if key == "completion" else None
        if key == "completion":
            return self.server("POST", endpoint.url)
        if key == "models" and endpoint.models_url is not None:
            listed = self.server("GET", endpoint.models_url)
            is_list = listed.outcome.kind is K.ANSWERED
            return ModelsReply(listed, (ServedModel("qwen3-8b"),) if is_list else None)
        return None


def _world(
    run: RunContext,
    target: Connection,
    server: Server,
    given: dict[str, object],
    changes: tuple[str, ...] = (),
) -> _World:
    world = _World(run, "target", target, None, changes)
    world.server, world.given = server, given
    return world


@dataclass(frozen=True, slots=True)
class Outlook:
    """How the search ended. ``findings`` by code are those of the base as it was given."""

    findings: dict[str, Finding]
    repair: Repair
    results: dict[str, CheckResult] = field(default_factory=dict)

    @property
    def roots(self) -> list[str]:
        """The codes of what had to be changed, in the order in which it was met."""
        return list(dict.fromkeys(change.code for change in self.repair.needed))

    @property
    def codes(self) -> list[str]:
        return sorted(self.findings)

    @property
    def base(self) -> str | None:
        """The base with which the request answers, None if none was found."""
        return self.repair.last.connection.base_url.value if self.repair.last.answers else None

    def said(self, code: str) -> str:
        """All that the user reads of a finding."""
        finding = self.findings[code]
        evidence = " ".join(item.value for item in finding.evidence)
        return f"{finding.title}\n{told(finding)}\n{evidence}"


def look(
    base: str,
    server: Server | None = None,
    *,
    given: Given | None = None,
    env: Environment | None = None,
    settings: Settings | None = None,
    target: Connection | None = None,
    **more: Any,
) -> Outlook:
    """Run the area's checks and the search on ``base`` in front of ``server``.

    Without a server no request can be made, as with --offline.
    """
    context = RunContext(
        options=Options(),
        environment=env or environment(),
        settings=settings or Settings(),
        recorder=GivenFacts({}),
        redactor=Redactor(),
        requester=None,  # type: ignore[arg-type]  # no request can be made in such a test
    )
    keyed = {fact.key: value for fact, value in (given or {}).items()}
    keyed.setdefault("product", Product("unknown", None, ()))
    start = target or connection(base, **more)

    async def search() -> Outlook:
        store = _world(context, start, server or _silent, keyed)
        first = await examine(store, CHECKS, lambda event: None)
        repair = await Search(store, CHECKS, lambda event: None).run(first)
        findings = {finding.code: finding for finding in first.findings}
        return Outlook(findings, repair, {result.code: result for result in first.results})

    return asyncio.run(search())


def _silent(method: str, url: str) -> Reply:
    raise Unavailable("offline")


def told(finding: Finding) -> str:
    """All that a reader is told as long as nothing is proved."""
    return f"{finding.explanation} {finding.advice}"
