"""The client's own requests against the demo servers."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from typing import Any

import pytest

from doctor.connection import AuthHeader, Change, Connection, Protocol, SettingName
from doctor.context import Options
from doctor.demo import keys
from doctor.demo.faults import Fault, Injection
from doctor.demo.http import Answer, LoopbackServer, Request, Response, json_response
from doctor.demo.litellm import LiteLlm
from doctor.demo.newapi import NewApi
from doctor.demo.newapi_config import Key, KeyState, NewApiConfig
from doctor.demo.proxy import ForwardProxy, ProxyMode
from doctor.demo.vllm import Vllm, VllmConfig
from doctor.facts import (
    AUTH_CONTROL,
    COMPLETION,
    DNS,
    MODELS,
    PRODUCT,
    PROXY_ROUTES,
    SDK,
    TCP,
    TOKEN_STATE,
    Unavailable,
)
from doctor.facts.answers import OutcomeKind, Reply
from doctor.facts.network import TransportFault
from doctor.probes.api import made_up_key
from doctor.secrets import Secret
from doctor.text import _
from tests.kit import connection
from tests.probes.answers import chat, openai
from tests.probes.world import IMPATIENT, TIMEOUT, route, world

K = OutcomeKind
CHAT = "/v1/chat/completions"
FLASH = "deepseek-v4-flash"


def gateway(**config: Any) -> LoopbackServer:
    return LoopbackServer(NewApi(NewApiConfig(**config)))


def at(server: LoopbackServer, path: str = "/api/v1", **more: Any) -> Connection:
    stream = more.pop("stream", True)
    values = {"key": keys.GOOD, "model": FLASH, **more}
    return dataclasses.replace(connection(server.origin + path, **values), stream=stream)


async def completed(target: Connection, **more: Any) -> Reply:
    async with world(target, **more) as facts:
        return await facts.get(COMPLETION)


def bodies(server: LoopbackServer) -> list[dict[str, Any]]:
    return [json.loads(r.body) for r in server.requests if r.method == "POST"]


# ------------------------------------------------------------------ a healthy target


@pytest.mark.parametrize("stream", [True, False])
async def test_a_healthy_run_makes_two_free_requests_and_a_billable_one(stream: bool) -> None:
    async with gateway() as server, world(at(server, stream=stream)) as facts:
        wanted: tuple[Any, ...] = (MODELS, COMPLETION, AUTH_CONTROL, PRODUCT, TCP)
        unwanted: tuple[Any, ...] = (SDK, TOKEN_STATE, DNS)
        listed, reply, control, product, _tcp = await asyncio.gather(
            *(facts.get(fact) for fact in wanted)
        )
        for fact in unwanted:
            with pytest.raises(Unavailable):
                await facts.get(fact)
        spent = facts.run.meter.spent
        assert len(server.requests) == 3
    assert (spent.free, spent.billable, spent.tokens) == (2, 1, 16)
    assert reply.outcome.kind is K.ANSWERED
    assert reply.outcome.oddities == ()
    assert FLASH in [model.id for model in listed.models]
    assert control.refused is True
    assert (product.id, product.version) == ("new-api", "v1.0.0-rc.24")


@pytest.mark.parametrize(
    ("protocol", "path", "client", "sent"),
    [
        (Protocol.OPENAI_CHAT, "/v1", "openai-sdk", {"max_tokens": 16}),
        (Protocol.OPENAI_RESPONSES, "/v1", "openai-sdk", {"max_output_tokens": 16}),
        (Protocol.ANTHROPIC_MESSAGES, "", "anthropic-sdk", {"max_tokens": 16}),
    ],
)
@pytest.mark.parametrize("stream", [True, False])
async def test_every_protocol_is_spoken(
    protocol: Protocol, path: str, client: str, sent: dict[str, int], stream: bool
) -> None:
    async with LoopbackServer(Vllm(VllmConfig(api_keys=(keys.ENGINE,)))) as server:
        target = at(
            server,
            path,
            key=keys.ENGINE,
            model="tiny",
            client=client,
            protocol=protocol,
            stream=stream,
        )
        reply = await completed(target)
        (body,) = bodies(server)
    assert (reply.outcome.kind, reply.outcome.text) == (K.ANSWERED, "ok")
    assert body.items() >= sent.items()
    assert (body["model"], body["stream"]) == ("tiny", stream)
    assert reply.exchange.request_model == "tiny"
    assert reply.exchange.request_max_tokens == 16
    assert (reply.exchange.ms_first_event is not None) is stream


async def test_the_headers_are_the_clients() -> None:
    async with gateway() as server:
        await completed(at(server))
        await completed(
            at(
                server,
                "/api",
                client="anthropic-sdk",
                protocol=Protocol.ANTHROPIC_MESSAGES,
                auth=AuthHeader.X_API_KEY,
            )
        )
        first, second = server.requests
    assert first.header("user-agent") == "OpenAI/Python 3.57.0"
    assert first.header("authorization") == f"Bearer {keys.GOOD}"
    assert first.header("content-type") == "application/json"
    assert second.header("x-api-key") == keys.GOOD
    assert second.header("authorization") is None
    assert second.header("anthropic-version")


async def test_models_and_completion_run_at_the_same_time() -> None:
    both = asyncio.Barrier(2)

    async def handler(request: Request) -> Answer:
        await both.wait()
        answer = {"data": [{"id": "m"}]} if request.method == "GET" else chat()
        return json_response(200, answer)

    async with LoopbackServer(handler) as server, world(at(server, "/v1", stream=False)) as facts:
        listed, reply = await asyncio.gather(facts.get(MODELS), facts.get(COMPLETION))
    assert listed.models is not None
    assert reply.outcome.kind is K.ANSWERED


# ------------------------------------------------------------------ model and budget


async def test_the_only_served_model_is_taken() -> None:
    async with LoopbackServer(Vllm()) as server:
        reply = await completed(at(server, "/v1", model=None))
    assert (reply.outcome.kind, reply.exchange.request_model) == (K.ANSWERED, "tiny")


async def test_among_several_models_none_is_chosen() -> None:
    async with gateway() as server, world(at(server, model=None)) as facts:
        with pytest.raises(Unavailable, match="no model is configured"):
            await facts.get(COMPLETION)
        assert not bodies(server)


async def test_a_large_budget_is_sent_and_cancelled() -> None:
    long = VllmConfig(max_model_len=65_536, answer="word " * 2_000)
    async with LoopbackServer(Vllm(long)) as server:
        target = at(server, "/v1", model="tiny", max_tokens=32_000, stream=False)
        async with world(target) as facts:
            reply = await facts.get(COMPLETION)
            spent = facts.run.meter.spent
        (body,) = bodies(server)
    assert (body["max_tokens"], body["stream"]) == (32_000, True)
    assert reply.outcome.kind is K.ANSWERED
    assert reply.exchange.cancelled
    assert len(reply.exchange.events) < 10
    assert (spent.billable, spent.tokens) == (1, 32_000)


async def test_a_budget_over_the_window_is_refused_with_its_numbers() -> None:
    async with LoopbackServer(Vllm(VllmConfig(max_model_len=2_048))) as server:
        reply = await completed(at(server, "/v1", model="tiny", max_tokens=4_096))
    outcome = reply.outcome
    assert (outcome.kind, outcome.limit, outcome.requested) == (K.MAX_TOKENS_REFUSED, 2_048, 4_096)


async def test_a_server_that_ignores_streaming_still_answers_a_client_that_asks_for_none() -> None:
    faults = {CHAT: Fault.JSON_UNASKED}
    async with gateway(faults=faults) as server:
        plain = await completed(at(server, max_tokens=1_000, stream=False))
        streaming = await completed(at(server, stream=True))
    assert (plain.outcome.kind, plain.exchange.streamed) == (K.ANSWERED, False)
    assert streaming.outcome.kind is K.STREAM_BROKEN


async def test_a_parameter_that_only_the_doctor_sends_is_no_fault() -> None:
    faults = {CHAT: Fault.MAX_TOKENS_REFUSED}
    async with gateway(faults=faults) as server:
        reply = await completed(at(server))
        first, second = bodies(server)
    assert reply.outcome.kind is K.ANSWERED
    assert "max_tokens" in first
    assert second["max_completion_tokens"] == 16
    assert "max_tokens" not in second


async def test_the_clients_own_parameter_is_a_fault() -> None:
    async with gateway(faults={CHAT: Fault.MAX_TOKENS_REFUSED}) as server:
        reply = await completed(at(server, max_tokens=8))
        assert len(bodies(server)) == 1
    assert (reply.outcome.kind, reply.outcome.param) == (K.PARAMETER_REFUSED, "max_tokens")


@pytest.mark.parametrize(
    ("fault", "own", "kind"),
    [
        (Fault.THINKING_TOOK_BUDGET, None, K.ANSWERED),
        (Fault.THINKING_TOOK_BUDGET, 12, K.CONTENT_EMPTY),
        (Fault.CUT_BY_LENGTH, None, K.ANSWERED),
    ],
)
@pytest.mark.parametrize("stream", [True, False])
async def test_the_doctors_small_budget_is_not_the_clients_fault(
    fault: Fault, own: int | None, kind: OutcomeKind, stream: bool
) -> None:
    async with gateway(faults={CHAT: fault}) as server:
        reply = await completed(at(server, max_tokens=own, stream=stream))
    assert reply.outcome.kind is kind


# ------------------------------------------------------------------ keys


@pytest.mark.parametrize("key", [None, ""])
async def test_without_a_key_the_request_goes_without_one(key: str | None) -> None:
    async with LoopbackServer(Vllm()) as server:
        reply = await completed(at(server, "/v1", key=key, model="tiny"))
        assert server.requests[0].header("authorization") is None
    assert reply.outcome.kind is K.ANSWERED


async def test_a_refusal_without_a_key_is_a_missing_key() -> None:
    """vLLM says the same to a wrong key and to none."""
    async with LoopbackServer(Vllm(VllmConfig(api_keys=(keys.ENGINE,)))) as server:
        async with world(at(server, "/v1", key=None, model="tiny")) as facts:
            reply, listed = await facts.get(COMPLETION), await facts.get(MODELS)
        wrong = await completed(at(server, "/v1", key=keys.UNKNOWN, model="tiny"))
    assert (reply.outcome.kind, listed.reply.outcome.kind) == (K.KEY_MISSING, K.KEY_MISSING)
    assert wrong.outcome.kind is K.KEY_REFUSED


@pytest.mark.parametrize(
    ("real", "made_up"),
    [
        (keys.GOOD, "sk-kvdoctor-negative-control"),
        ("cr_0123456789", "cr_kvdoctor-negative-control"),
        ("sk-ant-api03-0000", "sk-ant-kvdoctor-negative-control"),
        ("  sk-or-v1-0000", "sk-or-v1-kvdoctor-negative-control"),
        ("0123456789abcdef", "sk-kvdoctor-negative-control"),
    ],
)
def test_the_control_key_is_of_the_family_and_visibly_made_up(real: str, made_up: str) -> None:
    assert made_up_key(real) == made_up


async def test_a_server_that_lets_anything_in_proves_nothing() -> None:
    async with LoopbackServer(Vllm()) as server, world(at(server, "/v1", model="tiny")) as facts:
        control = await facts.get(AUTH_CONTROL)
        assert server.requests[-1].header("authorization") == "Bearer sk-kvdoctor-negative-control"
    assert (control.refused, control.status) == (False, 200)


async def test_litellm_without_a_database_refuses_with_400() -> None:
    async with LoopbackServer(LiteLlm()) as server:
        target = at(server, "/v1", key=keys.MASTER, model="qwen3-8b")
        async with world(target) as facts:
            control = await facts.get(AUTH_CONTROL)
            product = await facts.get(PRODUCT)
            assert len(server.requests) == 3
    assert (control.refused, control.status) == (True, 400)
    assert (product.id, product.version) == ("litellm", "1.108.7")


async def test_a_control_that_is_rate_limited_says_nothing() -> None:
    async def handler(request: Request) -> Answer:
        real = request.header("authorization") == f"Bearer {keys.GOOD}"
        return json_response(200, {"data": [{"id": "m"}]}) if real else Response(429)

    async with LoopbackServer(handler) as server, world(at(server, "/v1")) as facts:
        assert (await facts.get(AUTH_CONTROL)).refused is None


async def test_without_an_answer_to_the_real_key_there_is_no_control() -> None:
    async with gateway() as server, world(at(server, key=keys.UNKNOWN)) as facts:
        with pytest.raises(Unavailable, match="nothing to compare"):
            await facts.get(AUTH_CONTROL)
        assert len(server.requests) == 1


async def test_without_a_key_there_is_no_control() -> None:
    async with LoopbackServer(Vllm()) as server, world(at(server, "/v1", key=None)) as facts:
        with pytest.raises(Unavailable, match="no key"):
            await facts.get(AUTH_CONTROL)


# ------------------------------------------------------------------ before anything is sent


async def test_a_base_url_that_the_client_refuses() -> None:
    async with world(connection("gateway.example/v1")) as facts:
        reply, listed = await facts.get(COMPLETION), await facts.get(MODELS)
        assert facts.run.meter.spent.billable == 0
    for each in (reply, listed.reply):
        assert (each.exchange.status, each.exchange.fault) == (None, TransportFault.INVALID_URL)
        assert "missing an 'http://' or 'https://' protocol" in each.outcome.message
    assert listed.models is None


async def test_proxy_settings_that_the_client_refuses() -> None:
    text = "Unknown scheme for proxy URL URL('socks://127.0.0.1:7890')"
    async with world(connection(), given={PROXY_ROUTES: route(error=text)}) as facts:
        reply = await facts.get(COMPLETION)
    assert (reply.exchange.fault, reply.outcome.message) == (TransportFault.PROXY_SETTING, text)
    assert reply.outcome.kind is K.TRANSPORT


@pytest.mark.parametrize("base", ["http://127.0.0.1:1/v1", "nonsense"])
async def test_no_spend_asks_no_completion(base: str) -> None:
    async with world(connection(base), Options(no_spend=True)) as facts:
        if base == "nonsense":
            assert (await facts.get(COMPLETION)).outcome.kind is K.TRANSPORT
        else:
            with pytest.raises(Unavailable, match="--no-spend"):
                await facts.get(COMPLETION)


async def test_a_key_with_a_line_break_is_refused_by_the_client() -> None:
    async with gateway() as server, world(at(server, key=keys.GOOD + "\n")) as facts:
        reply = await facts.get(COMPLETION)
        assert not server.requests
    assert reply.exchange.fault is TransportFault.ILLEGAL_HEADER
    assert keys.GOOD not in repr(reply)


async def test_a_repaired_key_does_not_show_in_what_comes_back() -> None:
    """Cut out of a value in quotes it is a text that the run has not seen before."""
    bare = "made-up-0123456789"

    async def echo(request: Request) -> Answer:
        return json_response(401, openai(f"bad key {request.header('authorization')}"))

    async with LoopbackServer(echo) as server:
        target = at(server, "/v1", key=f"key={bare}")
        change = Change("KVD107", SettingName.KEY, Secret(bare), _("drop the rest"))
        async with world(target) as facts:
            repaired = facts.at(target.with_(change), (change.id,))
            reply = await repaired.get(COMPLETION)
        assert server.requests[0].header("authorization") == f"Bearer {bare}"
    assert bare not in repr(reply)


# ------------------------------------------------------------------ faults of servers


@pytest.mark.parametrize(
    ("fault", "stream", "kind"),
    [
        (Fault.CHOICES_NULL, False, K.NO_CHOICES),
        (Fault.CHOICES_EMPTY, False, K.NO_CHOICES),
        (Fault.CHOICES_MISSING, False, K.NO_CHOICES),
        (Fault.CHOICES_MISSING, True, K.NO_CHOICES),
        (Fault.ERROR_IN_SUCCESS, False, K.ERROR_IN_SUCCESS),
        (Fault.ERROR_IN_SUCCESS, True, K.ERROR_IN_SUCCESS),
        (Fault.SUCCESS_FALSE, False, K.ERROR_IN_SUCCESS),
        (Fault.EMPTY_JSON, False, K.EMPTY_BODY),
        (Fault.EMPTY_TEXT, True, K.EMPTY_BODY),
        (Fault.JSON_NULL, False, K.NO_CHOICES),
        (Fault.JSON_STRING, False, K.NO_CHOICES),
        (Fault.JSON_ARRAY, False, K.NO_CHOICES),
        (Fault.HTML_PAGE, False, K.WEB_PAGE),
        (Fault.HTML_PAGE, True, K.WEB_PAGE),
        (Fault.CAPTIVE_PORTAL, True, K.WEB_PAGE),
        (Fault.TRUNCATED_JSON, False, K.NOT_JSON),
        (Fault.BODY_CUT, False, K.NOT_JSON),
        (Fault.SSE_UNASKED, False, K.NOT_JSON),
        (Fault.HUGE_BODY, False, K.NOT_JSON),
        (Fault.HOSTILE_CONTENT, False, K.ANSWERED),
        (Fault.THINKING_AND_STOP, False, K.CONTENT_EMPTY),
        (Fault.OTHER_MODEL, True, K.ANSWERED),
        (Fault.STREAM_USAGE_CHUNK, True, K.ANSWERED),
        (Fault.STREAM_AZURE_FILTER, True, K.ANSWERED),
        (Fault.STREAM_ERROR_EVENT, True, K.ANSWERED),
        (Fault.STREAM_ENDS_EARLY, True, K.ANSWERED),
        (Fault.STREAM_EMPTY, True, K.EMPTY_BODY),
        (Fault.STREAM_NEVER_STARTS, True, K.STREAM_BROKEN),
        (Fault.HANG, True, K.TRANSPORT),
        (Fault.RESET, True, K.TRANSPORT),
        (Fault.DROP, True, K.TRANSPORT),
        (Fault.REDIRECT_ELSEWHERE, True, K.REDIRECTED),
        (Fault.REDIRECT_HTTPS, True, K.REDIRECTED),
        (Fault.RATE_LIMIT_EMPTY, True, K.RATE_LIMITED),
        (Fault.RATE_LIMIT_RETRY_AFTER, True, K.RATE_LIMITED),
        (Fault.BAD_GATEWAY, True, K.UPSTREAM_UNREACHABLE),
        (Fault.GATEWAY_TIMEOUT, True, K.UPSTREAM_UNREACHABLE),
        (Fault.UPSTREAM_UNAVAILABLE, True, K.UPSTREAM_UNREACHABLE),
        (Fault.UPSTREAM_UNREACHABLE, True, K.UPSTREAM_UNREACHABLE),
        (Fault.FIREWALL, True, K.WEB_PAGE),
        (Fault.HOSTILE_ERROR, True, K.BAD_REQUEST),
    ],
)
async def test_every_fault_of_a_gateway_is_recognised(
    fault: Fault, stream: bool, kind: OutcomeKind
) -> None:
    slow = fault in (Fault.HANG, Fault.STREAM_NEVER_STARTS)
    options = Options(timeout=IMPATIENT if slow else TIMEOUT)
    async with gateway(faults={CHAT: Injection(fault)}) as server:
        reply = await completed(at(server, stream=stream), options=options)
    assert reply.outcome.kind is kind
    assert "\x1b" not in repr(reply)


@pytest.mark.parametrize("variant", ["newer", "2025-04"])
@pytest.mark.parametrize(
    ("state", "kind"),
    [
        (KeyState.EXPIRED, K.KEY_REFUSED),
        (KeyState.EXHAUSTED, K.KEY_REFUSED),
        (KeyState.DISABLED, K.KEY_REFUSED),
        (KeyState.IP_DENIED, K.PERMISSION),
        (KeyState.USER_BANNED, K.PERMISSION),
        (KeyState.GROUP_DENIED, K.PERMISSION),
        (KeyState.RATE_LIMITED, K.RATE_LIMITED),
        (KeyState.RATE_LIMITED_EMPTY, K.RATE_LIMITED),
        (KeyState.USER_WITHOUT_QUOTA, K.QUOTA),
        (KeyState.USER_QUOTA_TOO_SMALL, K.QUOTA),
        (KeyState.TOKEN_QUOTA_TOO_SMALL, K.QUOTA),
    ],
)
async def test_every_state_of_a_key_is_recognised(
    variant: str, state: KeyState, kind: OutcomeKind
) -> None:
    async with gateway(keys=(Key(state=state),), variant=variant) as server:
        assert (await completed(at(server))).outcome.kind is kind


@pytest.mark.parametrize(
    ("mode", "kind"),
    [
        (ProxyMode.WORKS, K.ANSWERED),
        (ProxyMode.AUTH_REQUIRED, K.PROXY_PAGE),
        (ProxyMode.FORBIDS, K.PROXY_PAGE),
        (ProxyMode.BAD_GATEWAY, K.PROXY_PAGE),
        (ProxyMode.UNAVAILABLE, K.PROXY_PAGE),
        (ProxyMode.ANSWERS_ITSELF, K.WEB_PAGE),
    ],
)
async def test_what_proxies_answer_themselves(mode: ProxyMode, kind: OutcomeKind) -> None:
    async with gateway() as server, LoopbackServer(ForwardProxy(mode=mode)) as proxy:
        given = {PROXY_ROUTES: route(proxy.origin)}
        reply = await completed(at(server), given=given)
    assert reply.outcome.kind is kind
    assert reply.exchange.via == proxy.origin


async def test_a_proxys_password_is_used_and_not_shown() -> None:
    handler = ForwardProxy(user="user", password="made-up-pass")
    async with gateway() as server, LoopbackServer(handler) as proxy:
        given = {PROXY_ROUTES: route(f"http://user:made-up-pass@127.0.0.1:{proxy.port}")}
        reply = await completed(at(server), given=given)
    assert reply.outcome.kind is K.ANSWERED
    assert "made-up-pass" not in repr(reply)


async def test_a_long_answer_is_read_to_its_end() -> None:
    faults = {CHAT: Injection(Fault.HUGE_BODY, limit=500_000)}
    async with gateway(faults=faults) as server:
        reply = await completed(at(server, stream=False))
    assert reply.outcome.kind is K.ANSWERED
    assert len(reply.exchange.body) <= 65_536


async def test_a_long_models_list_is_read_to_its_end() -> None:
    cards = [{"id": f"vendor/model-{n}", "description": "x" * 100} for n in range(2_000)]

    async def handler(request: Request) -> Answer:
        return json_response(200, {"data": cards})

    async with LoopbackServer(handler) as server, world(at(server, "/v1")) as facts:
        listed = await facts.get(MODELS)
    assert listed.models is not None
    assert len(listed.models) == 2_000
    assert len(listed.reply.exchange.body) <= 65_536


async def test_what_a_models_list_tells_is_kept() -> None:
    engine = Vllm(VllmConfig(max_model_len=8_192))
    async with LoopbackServer(engine) as server, world(at(server, "/v1")) as facts:
        listed = await facts.get(MODELS)
    assert listed.models is not None
    (card,) = listed.models
    assert (card.id, card.window, card.owned_by) == ("tiny", 8_192, "vllm")
    assert card.root == "tiny-model"
