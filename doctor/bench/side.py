"""One server of a benchmark: the way to it, its model, its engine, and the form of a request."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from dataclasses import replace

from doctor.bench.beside import Look
from doctor.bench.bodies import Form
from doctor.bench.setup import setup_of
from doctor.connection import Protocol
from doctor.context import Meter, Options, RunContext
from doctor.facts import ENGINE, MODELS
from doctor.facts.engine import Engine, Metrics
from doctor.facts.machine import Environment
from doctor.facts.settings import Settings
from doctor.facts.store import Facts, Unavailable
from doctor.probes.consent import require_consent
from doctor.probes.engine import way_to
from doctor.probes.gpuload import GpuLook, gpus_beside
from doctor.probes.streaming import PIECE, Call, Streamer
from doctor.probes.wire import headers, key_of
from doctor.records import dataclass
from doctor.run import store_of
from doctor.secrets import Redactor
from doctor.target import Target
from doctor.text import _


@dataclass(frozen=True, slots=True)
class Asked:
    """Whom to ask, from where. ``model`` stands in for the configured one."""

    target: Target
    options: Options
    environment: Environment
    settings: Settings
    redactor: Redactor
    model: str | None = None


@dataclass(frozen=True, slots=True)
class Side:
    """A server that can be asked. ``look`` is None where no engine tells its metrics, ``gpu`` where
    it has no GPU on this machine; ``direct`` says that it is an engine, not a gateway."""

    label: str
    url: str
    streamer: Streamer
    form: Form
    look: Look | None
    direct: bool
    setup: dict[str, str]
    gpu: GpuLook | None = None


@contextlib.asynccontextmanager
async def opened(asked: Asked) -> AsyncIterator[Side]:
    """Raises ``Unavailable`` where nothing can be sent."""
    from doctor.bundle import Live
    from doctor.probes.http import Requester

    meter = Meter()
    context = RunContext(
        # What is found out before costs nothing.
        options=replace(asked.options, no_spend=True),
        environment=asked.environment,
        settings=asked.settings,
        # Prompts of people may be in what is sent: nothing of it is kept.
        recorder=Live(),
        redactor=asked.redactor,
        requester=Requester(asked.options, meter, asked.redactor),
        meter=meter,
    )
    store = store_of(asked.target, context, Facts(context, "run", None))
    try:
        async with _side(asked, store) as side:
            yield side
    finally:
        store.close()
        await context.requester.aclose()


@contextlib.asynccontextmanager
async def _side(asked: Asked, facts: Facts) -> AsyncIterator[Side]:
    way = await way_to(facts)
    require_consent(facts, way.endpoint.host)
    connection = facts.connection
    protocol = connection.protocol
    if protocol not in PIECE:
        raise Unavailable(_("streams of this client's API are not measured"))
    model = asked.model or await _model(facts)
    engine = await facts.find(ENGINE)
    engine = engine if engine is not None and engine.root is not None else None
    look, first = await _look(facts, engine)
    call = Call(
        protocol=protocol,
        url=way.url,
        headers=headers(connection, key=key_of(facts), body=True),
        proxy=way.proxy,
        trust=way.trust,
        timeout=asked.options.timeout,
    )
    direct = engine is not None and not engine.behind
    async with (
        gpus_beside(facts, engine) as gpu,
        Streamer(asked.options, call, asked.redactor) as streamer,
    ):
        yield Side(
            label=asked.target.label,
            url=connection.base_url.value,
            streamer=streamer,
            form=Form(protocol, model, exact=direct and protocol is Protocol.OPENAI_CHAT),
            look=look,
            direct=direct,
            setup=await setup_of(facts, engine, first, model),
            gpu=gpu,
        )


async def _look(facts: Facts, engine: Engine | None) -> tuple[Look | None, Metrics | None]:
    """How to read the engine's metrics, and what they say now."""
    from doctor.probes.metrics import scrape

    if engine is None or engine.root is None:
        return None, None
    root = engine.root

    async def look() -> Metrics:
        return await scrape(facts, root, anew=True)

    try:
        return look, await look()
    except Unavailable:
        return None, None


async def _model(facts: Facts) -> str:
    """Raises ``Unavailable`` where nothing says which one."""
    configured = facts.connection.model
    if configured is not None and configured.value:
        return configured.value
    listed = (await facts.get(MODELS)).models or ()
    if len(listed) == 1:
        return listed[0].id
    names = ", ".join(model.id for model in listed[:5])
    if names:
        raise Unavailable(_("several models are served, --model says which: {names}", names=names))
    raise Unavailable(_("no model is configured: --model says which"))
