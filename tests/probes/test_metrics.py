"""The engine's own routes, asked for real on loopback."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator

import pytest

from doctor import facts
from doctor.context import Options
from doctor.demo.http import LoopbackServer
from doctor.demo.keys import ENGINE as ENGINE_KEY
from doctor.demo.messages import Answer, Handler, Request, Response
from doctor.demo.newapi import NewApi
from doctor.demo.vllm import Vllm, VllmConfig
from doctor.enginemetrics import names, now_of
from doctor.facts.answers import OutcomeKind
from doctor.facts.store import Facts, Unavailable
from tests.kit import connection
from tests.probes.world import TIMEOUT, world

MODEL = "qwen3-8b"
BUSY = {"vllm:num_requests_waiting": 3.0, "vllm:kv_cache_usage_perc": 0.95}
MOMENT = 0.05


@contextlib.asynccontextmanager
async def at(
    handler: Handler, path: str = "/v1", key: str = ENGINE_KEY, window: float = MOMENT
) -> AsyncIterator[tuple[LoopbackServer, Facts]]:
    """A server and the facts of a connection to it."""
    async with LoopbackServer(handler) as server:
        target = connection(f"{server.origin}{path}", key, MODEL)
        async with world(target, Options(timeout=TIMEOUT, window=window)) as store:
            yield server, store


def asked(server: LoopbackServer) -> list[str]:
    return [request.path for request in server.requests]


def engine(**config: object) -> Vllm:
    return Vllm(VllmConfig(models=(MODEL,), **config))  # type: ignore[arg-type]


async def test_an_idle_engine_is_asked_once() -> None:
    async with at(engine()) as (server, store):
        metrics = await store.get(facts.METRICS)
        with pytest.raises(Unavailable, match="little to do"):
            await store.get(facts.METRICS_LATER)
        told = await store.get(facts.ENGINE)

        assert metrics.series[0].model == MODEL
        assert metrics.series[0].cache["block_size"] == "128"
        assert asked(server).count("/metrics") == 1
        # The version is known by the answer, and health by its being one.
        assert not {"/version", "/health", "/load"} & set(asked(server))
        assert (told.root, told.version, told.local) == (server.origin, "0.32.0", True)


async def test_a_busy_engine_is_asked_a_second_time() -> None:
    handler = engine(metrics=BUSY, growth={"vllm:num_preemptions_total": 2})
    async with at(handler) as (server, store):
        before = await store.get(facts.METRICS)
        later = await store.get(facts.METRICS_LATER)
        await store.get(facts.METRICS_LATER)

        assert asked(server).count("/metrics") == 2
        assert later.at - before.at >= MOMENT
        assert later.series[0].values[names.PREEMPTIONS] == 2


async def test_the_key_stays_away_from_where_it_is_not_asked_for() -> None:
    async with at(engine(api_keys=(ENGINE_KEY,))) as (server, store):
        await store.get(facts.METRICS)
        sent = [r.header("authorization") for r in server.requests if r.path == "/metrics"]
        assert sent == [None]


class Guarded:
    """A reverse proxy that wants the key everywhere."""

    def __init__(self) -> None:
        self._engine = engine()

    async def __call__(self, request: Request) -> Answer:
        if request.header("authorization") != f"Bearer {ENGINE_KEY}":
            return Response(401, b"no", (("content-type", "text/plain"),))
        return await self._engine(request)


async def test_where_metrics_want_the_key_they_get_it() -> None:
    async with at(Guarded()) as (server, store):
        metrics = await store.get(facts.METRICS)
        assert metrics.series
        sent = [r.header("authorization") for r in server.requests if r.path == "/metrics"]
        assert sent == [None, f"Bearer {ENGINE_KEY}"]


async def test_a_gateway_is_asked_for_nothing_of_an_engines() -> None:
    async with LoopbackServer(NewApi()) as server:
        target = connection(f"{server.origin}/api/v1", "sk-made0up", "deepseek-v4-flash")
        async with world(target) as store:
            told = await store.get(facts.ENGINE)
            with pytest.raises(Unavailable, match="no vLLM address"):
                await store.get(facts.METRICS)
        assert told.root is None
        paths = set(asked(server))
        assert not {p for p in paths if p.endswith(("/metrics", "/health", "/load", "/version"))}


class Without:
    """A vLLM that answers ``/metrics`` with something else."""

    def __init__(self, answer: Response) -> None:
        self._engine = engine()
        self._answer = answer

    async def __call__(self, request: Request) -> Answer:
        return self._answer if request.path == "/metrics" else await self._engine(request)


HTML = (("content-type", "text/html"),)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (Response(404, b'{"detail":"Not Found"}', HTML), "answers 404"),
        (Response(200, b"<html>a page</html>", HTML), "exposes no metrics of vLLM"),
        (Response(200, b"", HTML), "exposes no metrics of vLLM"),
        (Response(200, b"\xff\xfe\x00vllm:{{{{" * 99, HTML), "exposes no metrics of vLLM"),
    ],
)
async def test_what_is_no_metrics_is_told_as_such(answer: Response, said: str) -> None:
    async with at(Without(answer)) as (_server, store):
        with pytest.raises(Unavailable, match=said):
            await store.get(facts.METRICS)


async def test_a_huge_answer_is_read_as_far_as_it_makes_sense() -> None:
    line = b'vllm:num_requests_running{engine="0",model_name="m"} 1\n'
    lines = line + b"# noise\n" * (3 * 1024 * 1024)
    async with at(Without(Response(200, lines, HTML))) as (_server, store):
        metrics = await store.get(facts.METRICS)
        assert now_of(metrics).running == 1
        assert not metrics.complete


class Dying:
    """Completions fail, and so says the health of the engine."""

    def __init__(self) -> None:
        self._engine = engine(healthy=False)

    async def __call__(self, request: Request) -> Answer:
        if request.method == "POST":
            return Response(500, b'{"error":{"message":"EngineCore","code":500}}', HTML)
        return await self._engine(request)


async def test_the_health_of_an_engine_in_trouble_is_asked_for() -> None:
    async with at(Dying()) as (_server, store):
        told = await store.get(facts.ENGINE)
        assert (told.health, told.load) == (503, 0)


async def test_the_prefix_of_a_reverse_proxy_stays_in_front() -> None:
    own = engine()

    async def proxy(request: Request) -> Answer:
        path = request.path.removeprefix("/vllm")
        if path == request.path:
            return Response(404, b"", HTML)
        return await own(Request(request.method, path, request.headers, request.body))

    async with at(proxy, "/vllm/v1") as (server, store):
        await store.get(facts.METRICS)
        assert "/vllm/metrics" in asked(server)


async def test_the_engine_behind_a_gateway_is_asked_in_its_place() -> None:
    async with LoopbackServer(engine()) as inner, LoopbackServer(NewApi()) as outer:
        target = connection(f"{outer.origin}/api/v1", "sk-made0up", "deepseek-v4-flash")
        own = connection(f"{inner.origin}/v1", None, None)
        async with world(target) as store:
            behind = Facts(store.run, "shop-api/engine", own)
            gateway = Facts(store.run, "shop-api", target, behind=behind)
            told = await gateway.get(facts.ENGINE)
            metrics = await gateway.get(facts.METRICS)
            # Nothing that costs tokens was asked of it yet.
            assert "/v1/chat/completions" not in asked(inner)
            direct = await gateway.get(facts.DIRECT)
            gateway.close()

        assert (told.root, told.behind, told.version) == (inner.origin, True, "0.32.0")
        assert told.models is not None
        assert [(m.id, m.window) for m in told.models] == [(MODEL, 4096)]
        assert metrics.url == f"{inner.origin}/metrics"
        assert direct.reply.outcome.kind is OutcomeKind.ANSWERED
        assert asked(inner).count("/v1/chat/completions") == 1
