"""The engine's own routes: ``/version``, ``/health``, ``/load``.

They hang below the root, outside ``/v1``, and are never guarded by vLLM itself (facts/vllm.md
§§2.1, 2.6), so no key goes there.
"""

from __future__ import annotations

import asyncio

from doctor.facts import COMPLETION, MODELS, PRODUCT
from doctor.facts.answers import Exchange, OutcomeKind, ServedModel
from doctor.facts.engine import Engine
from doctor.facts.store import Facts, Unavailable
from doctor.probes.gateway import roots
from doctor.probes.reading.jsontext import parse_object, words
from doctor.probes.request import ProbeRequest
from doctor.probes.way import Blocked, Way, way_of
from doctor.untrusted import visible
from doctor.urls import is_loopback

_FAULTS_OF_AN_ENGINE = frozenset(
    {
        OutcomeKind.TRANSPORT,
        OutcomeKind.SERVER_ERROR,
        OutcomeKind.UPSTREAM_UNREACHABLE,
        OutcomeKind.RATE_LIMITED,
    }
)


async def engine(facts: Facts) -> Engine:
    """The engine at the connection, or the one behind it. Raises ``Unavailable``."""
    store = facts.behind or facts
    way = await way_to(store)
    root = roots(way.url)[0]
    version, (health, load), models = await asyncio.gather(
        _version(facts, way, root), _state(facts, way, root), _own_models(facts)
    )
    return Engine(
        root=root,
        behind=facts.behind is not None,
        local=is_loopback(way.endpoint.host),
        version=version,
        health=health,
        load=load,
        models=models,
    )


async def _own_models(facts: Facts) -> tuple[ServedModel, ...] | None:
    """Asked for where the client's own list is the gateway's."""
    if facts.behind is None:
        return None
    listed = await facts.behind.find(MODELS)
    return None if listed is None else listed.models


async def way_to(store: Facts) -> Way:
    """The way to an engine. Raises ``Unavailable``."""
    try:
        return await way_of(store)
    except Blocked as blocked:
        raise Unavailable(str(blocked)) from None


async def _in_trouble(facts: Facts) -> bool:
    """Whether the client's own request ended in a way that the engine's health may explain."""
    reply = await facts.find(COMPLETION)
    if reply is None:
        listed = await facts.find(MODELS)
        reply = None if listed is None else listed.reply
    return reply is not None and reply.outcome.kind in _FAULTS_OF_AN_ENGINE


async def _ask(facts: Facts, way: Way, url: str, purpose: str) -> Exchange:
    """One free request without a key."""
    return await facts.run.requester.send(
        ProbeRequest(
            purpose=purpose,
            method="GET",
            url=url,
            headers=(("accept", "application/json"),),
            proxy=way.proxy,
            trust=way.trust,
            follow=False,
        )
    )


async def _version(facts: Facts, way: Way, root: str) -> str | None:
    """What an answer told by the way, else what ``/version`` says; None where it is no vLLM's."""
    if facts.behind is None:
        product = await facts.find(PRODUCT)
        if product is not None and product.id == "vllm" and product.version is not None:
            return product.version
    exchange = await _ask(facts, way, f"{root}/version", "engine-version")
    told = words(parse_object(exchange.body).get("version"), 60) if exchange.status == 200 else ""
    return visible(told, 60) or None


async def _state(facts: Facts, way: Way, root: str) -> tuple[int | None, int | None]:
    """The status of ``/health`` and the number of requests by ``/load``: of an engine in trouble
    only, which keeps the rest free of needless requests."""
    if not await _in_trouble(facts):
        return None, None
    health, load = await asyncio.gather(
        _ask(facts, way, f"{root}/health", "engine-health"),
        _ask(facts, way, f"{root}/load", "engine-load"),
    )
    count = parse_object(load.body).get("server_load")
    told = count if isinstance(count, int) and not isinstance(count, bool) else None
    return health.status, told
