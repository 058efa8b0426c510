"""What several connections ask alike is asked once per run, and only what they ask alike."""

from __future__ import annotations

import contextlib
import dataclasses
import ssl
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from doctor import facts
from doctor.bundle import Live
from doctor.connection import Connection, Header, Origin, OriginKind
from doctor.context import Options
from doctor.demo.faults import Fault
from doctor.demo.http import LoopbackServer
from doctor.demo.keys import ENGINE as ENGINE_KEY
from doctor.demo.keys import GOOD
from doctor.demo.newapi import NewApi
from doctor.demo.newapi_config import NewApiConfig
from doctor.demo.vllm import Vllm, VllmConfig
from doctor.facts.machine import Environment
from doctor.facts.store import Fact, Facts, Unavailable
from doctor.secrets import Secret
from tests.kit import connection, environment, setting
from tests.probes.world import TIMEOUT, world

Contexts = Callable[..., ssl.SSLContext]

MODEL = "deepseek-v4-flash"
# Programs of three HTTP libraries that add no header of their own.
ALIKE = ("langchain", "dify", "roo-code")


@contextlib.asynccontextmanager
async def several(
    *connections: Connection, options: Options | None = None, env: Environment | None = None
) -> AsyncIterator[list[Facts]]:
    """The facts of several connections in one run."""
    async with world(connections[0], options, env=env) as first:
        others = (Facts(first.run, f"other-{at}", one, first) for at, one in enumerate(connections))
        stores = [first, *list(others)[1:]]
        try:
            yield stores
        finally:
            for store in stores[1:]:
                store.close()


def programs(base: str, *, key: str = GOOD, model: str = MODEL) -> list[Connection]:
    return [connection(base, key, model, client=client) for client in ALIKE]


def completions(server: LoopbackServer) -> int:
    return sum(request.path.endswith("/chat/completions") for request in server.requests)


async def test_equal_requests_of_several_programs_are_one() -> None:
    async with LoopbackServer(NewApi()) as server:
        async with several(*programs(f"{server.origin}/api/v1")) as stores:
            replies = [await store.get(facts.COMPLETION) for store in stores]
            for store in stores:
                await store.get(facts.MODELS)
            spent = stores[0].run.meter.spent
        assert {reply.exchange.status for reply in replies} == {200}
        assert [request.method for request in server.requests] == ["POST", "GET"]
        assert (spent.free, spent.billable, spent.tokens) == (1, 1, 16)


def with_header(one: Connection) -> Connection:
    origin = Origin(OriginKind.ENVIRONMENT, "OPENAI_CUSTOM_HEADERS")
    return dataclasses.replace(one, headers=(Header("x-team", Secret("made-up-team"), origin),))


DIFFERENT: dict[str, Callable[[Connection], Connection]] = {
    "key": lambda one: dataclasses.replace(one, key=setting(Secret("sk-made0up0other0key"))),
    "model": lambda one: dataclasses.replace(one, model=setting("qwen3-8b")),
    "max_tokens": lambda one: dataclasses.replace(one, max_tokens=setting(8)),
    "stream": lambda one: dataclasses.replace(one, stream=False),
    "header": with_header,
    "program": lambda one: dataclasses.replace(one, client="openai-sdk-node"),
}


@pytest.mark.parametrize("what", DIFFERENT)
async def test_what_differs_on_the_wire_is_asked_twice(what: str) -> None:
    async with LoopbackServer(NewApi()) as server:
        one = connection(f"{server.origin}/api/v1", GOOD, MODEL, client="langchain")
        async with several(one, DIFFERENT[what](one)) as stores:
            for store in stores:
                await store.get(facts.COMPLETION)
            assert stores[0].run.meter.spent.billable == completions(server) == 2


async def test_the_sdk_is_tried_once_for_equal_connections() -> None:
    broken = NewApiConfig(faults={"/v1/chat/completions": Fault.CHOICES_NULL})
    async with LoopbackServer(NewApi(broken)) as server:
        whole = [
            dataclasses.replace(one, stream=False) for one in programs(f"{server.origin}/api/v1")
        ]
        async with several(*whole) as stores:
            told = [await store.get(facts.SDK) for store in stores]
            spent = stores[0].run.meter.spent
        assert {answer.error for answer in told} == {"TypeError"}
        # The raw request and the SDK's.
        assert spent.billable == completions(server) == 2


async def test_the_second_look_at_a_busy_engine_serves_all() -> None:
    busy = VllmConfig(models=(MODEL,), metrics={"vllm:num_requests_waiting": 3.0})
    async with LoopbackServer(Vllm(busy)) as server:
        targets = programs(f"{server.origin}/v1", key=ENGINE_KEY)
        async with several(*targets, options=Options(timeout=TIMEOUT, window=0.05)) as stores:
            seen = [await store.get(facts.METRICS_LATER) for store in stores]
        assert len({metrics.at for metrics in seen}) == 1
        assert [request.path for request in server.requests].count("/metrics") == 2


async def test_a_port_is_tried_once_however_many_lead_there() -> None:
    async with LoopbackServer(NewApi()) as server:
        async with several(*programs(f"{server.origin}/api/v1")) as stores:
            tried = [await store.get(facts.TCP) for store in stores]
            # Accepted last, so by then all others were.
            await stores[0].get(facts.COMPLETION)
        assert all(answers[0].ok for answers in tried)
        assert server.connections == 2


async def test_a_handshake_is_made_once(server_context: Contexts, bundle: Path) -> None:
    async with LoopbackServer(NewApi(), ssl_context=server_context("gateway.example")) as server:
        mapping = {("gateway.example", 443): ("127.0.0.1", server.port)}
        options = Options(timeout=TIMEOUT, connect_to=mapping)
        targets = programs("https://gateway.example/v1")
        env = environment({"SSL_CERT_FILE": str(bundle)})
        async with several(*targets, options=options, env=env) as stores:
            answers = [await store.get(facts.TLS) for store in stores]
        # A client that does not trust the server leaves before it counts as connected.
        assert server.connections == 1
    assert all(answer.ok for answer in answers)


def _counted(calls: list[str]) -> Fact[int]:
    async def gather(store: Facts) -> int:
        async def ask() -> int:
            calls.append(store.target)
            raise Unavailable("the server is silent")

        return await store.once("what", ask)

    return Fact("made-up", int, gather)


async def test_a_question_without_an_answer_is_not_asked_again() -> None:
    calls: list[str] = []
    fact = _counted(calls)
    async with world(connection()) as first:
        other = Facts(first.run, "other", connection(), first)
        for store in (first, other):
            store.run.recorder = Live()
            with pytest.raises(Unavailable, match="silent"):
                await store.get(fact)
    assert calls == ["shop-api"]
