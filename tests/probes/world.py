"""Facts of a connection to a loopback server, gathered for real."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Mapping
from typing import Any

from doctor.connection import Connection
from doctor.context import Meter, Options, RunContext
from doctor.facts import ALL, PROXY_ROUTES
from doctor.facts.machine import Environment
from doctor.facts.network import ProxyRoutes, StackRoute
from doctor.facts.settings import Settings
from doctor.facts.store import Facts
from doctor.probes.http import Requester
from doctor.secrets import Redactor
from tests.kit import GivenFacts, environment

# Long enough for a busy machine; and for a server that hangs anyway.
TIMEOUT = 30.0
IMPATIENT = 1.0


def route(proxy: str | None = None, error: str | None = None, stack: str = "httpx2") -> ProxyRoutes:
    return ProxyRoutes(StackRoute(stack, proxy, error=error))


@contextlib.asynccontextmanager
async def world(
    target: Connection | None,
    options: Options | None = None,
    given: Mapping[Any, object] | None = None,
    env: Environment | None = None,
    name: str = "shop-api",
) -> AsyncIterator[Facts]:
    """The facts of ``target``; those of ``given`` are answered, all others gathered."""
    redactor = Redactor()
    if target is not None and target.key is not None:
        redactor.learn(target.key.value)
    chosen = options or Options(timeout=TIMEOUT)
    meter = Meter()
    requester = Requester(chosen, meter, redactor)
    context = RunContext(
        options=chosen,
        environment=env or environment(),
        settings=Settings(),
        recorder=GivenFacts({PROXY_ROUTES: route(), **(given or {})}, ALL),
        redactor=redactor,
        requester=requester,
        meter=meter,
    )
    facts = Facts(context, name, target)
    try:
        yield facts
    finally:
        facts.close()
        await requester.aclose()
