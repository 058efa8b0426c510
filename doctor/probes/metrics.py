"""``GET /metrics``: once per run, and once more where there is something going on."""

from __future__ import annotations

import asyncio
import dataclasses
import time

from doctor.enginemetrics import now_of, read
from doctor.facts import ENGINE, METRICS, METRICS_LATER
from doctor.facts.engine import Metrics
from doctor.facts.store import Facts, Unavailable
from doctor.probes.consent import require_consent
from doctor.probes.engine import way_to
from doctor.probes.request import ProbeRequest
from doctor.probes.wire import key_of
from doctor.text import _

# vLLM with 16 engine processes and a LoRA for each customer exposes 2 MB.
_LIMIT = 16 * 1024 * 1024
_ASKS_FOR_A_KEY = (401, 403)


async def metrics(facts: Facts) -> Metrics:
    """The first look. Raises ``Unavailable``."""
    engine = await facts.get(ENGINE)
    if engine.root is None:
        raise Unavailable(engine.detail)
    return await scrape(facts, engine.root)


async def metrics_later(facts: Facts) -> Metrics:
    """A second look, ``options.window`` seconds after the first; none at an engine that has
    nothing to do. Raises ``Unavailable``."""
    first = await facts.get(METRICS)
    origin = facts.origin
    if origin is not facts:
        seen = await origin.find(METRICS)
        if seen is not None and seen.url == first.url:
            # The same engine: to wait again would show nothing new.
            return await origin.get(METRICS_LATER)
    if not now_of(first).pressed:
        raise Unavailable(_("the engine has little to do, so one look is enough"))
    engine = await facts.get(ENGINE)
    store = facts.behind or facts
    way = await way_to(store)
    what = ("metrics later", first.url, way.proxy, way.trust, key_of(store))
    return await facts.once(what, lambda: _after_a_while(facts, engine.root or ""))


async def _after_a_while(facts: Facts, root: str) -> Metrics:
    await asyncio.sleep(facts.run.options.window)
    return await scrape(facts, root, anew=True)


async def scrape(facts: Facts, root: str, *, anew: bool = False) -> Metrics:
    """What ``/metrics`` below ``root`` says; ``anew`` asks again though it was asked before.

    The key goes along only where the server wants one. Raises ``Unavailable``.
    """
    store = facts.behind or facts
    way = await way_to(store)
    url = f"{root}/metrics"
    request = ProbeRequest(
        purpose="metrics",
        method="GET",
        url=url,
        headers=(("accept", "text/plain"),),
        proxy=way.proxy,
        trust=way.trust,
        follow=True,
        limit=_LIMIT,
    )
    requester = store.run.requester
    ask = requester.anew if anew else requester.ask
    answer = await ask(request)
    key = key_of(store)
    if answer.exchange.status in _ASKS_FOR_A_KEY and key is not None:
        require_consent(store, way.endpoint.host)
        bearer = ("authorization", f"Bearer {key}")
        answer = await ask(dataclasses.replace(request, headers=(*request.headers, bearer)))
    exchange = answer.exchange
    if exchange.status is None:
        raise Unavailable(_("{url}: {error}", url=exchange.url, error=exchange.fault_text))
    if exchange.status != 200:
        raise Unavailable(_("{url} answers {status}", url=exchange.url, status=exchange.status))
    found = read(answer.text, exchange.url, time.time(), complete=exchange.complete)
    if not found.series:
        raise Unavailable(
            _(
                "{url} exposes no metrics of vLLM: another server, or one with --disable-log-stats",
                url=exchange.url,
            )
        )
    return found
