"""The gateway against facts/gateway-clients.md section 1."""

from __future__ import annotations

import json
import re
from typing import Any

import httpx
import pytest

from doctor.demo.http import LoopbackServer
from doctor.demo.keys import GOOD, UNKNOWN, demo_key
from doctor.demo.newapi import NewApi
from doctor.demo.newapi_config import (
    Key,
    KeyState,
    Model,
    NewApiConfig,
    RootV1,
    StatusPlace,
    Variant,
)
from doctor.demo.vllm import Vllm, VllmConfig

MODEL = "deepseek-v4-flash"
HI: dict[str, Any] = {"model": MODEL, "messages": [{"role": "user", "content": "hi"}]}
BEARER = {"authorization": f"Bearer {GOOD}"}
CHAT = "/api/v1/chat/completions"
ZH = {"accept-language": "zh-CN,zh;q=0.9"}

REQUEST_ID = re.compile(r" \(request id: (\d{23}[A-Za-z0-9]{8})\)")


def gateway(**settings: Any) -> LoopbackServer:
    return LoopbackServer(NewApi(NewApiConfig(**settings)))


def with_state(state: KeyState, **settings: Any) -> LoopbackServer:
    return gateway(keys=(Key(state=state, group="svip"),), **settings)


def error(answer: httpx.Response) -> dict[str, Any]:
    found: dict[str, Any] = answer.json()["error"]
    return {**found, "message": REQUEST_ID.sub("", found["message"])}


async def ask(
    http: httpx.AsyncClient, server: LoopbackServer, headers: dict[str, str] | None = None
) -> httpx.Response:
    return await http.post(server.origin + CHAT, json=HI, headers={**BEARER, **(headers or {})})


def test_keys_have_the_stock_shape() -> None:
    for key in (GOOD, UNKNOWN, demo_key("x9")):
        assert len(key) == 51
        assert key.startswith("sk-demo0000")
        assert "-" not in key[3:]


# Routing (1.1)


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
@pytest.mark.parametrize("path", ["/", "/chat/completions", "//v1/chat/completions", "/console/x"])
async def test_outside_is_the_console(http: httpx.AsyncClient, method: str, path: str) -> None:
    async with gateway() as server:
        answer = await http.request(method, server.origin + path)
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["cache-control"] == "no-cache"
    assert answer.text.startswith("<!doctype html>")


@pytest.mark.parametrize(
    ("method", "path", "seen"),
    [
        ("POST", "/api/v1/v1/chat/completions", "/v1/v1/chat/completions"),
        ("POST", "/api/v1/nonsense", "/v1/nonsense"),
        ("GET", "/api/v1/chat/completions", "/v1/chat/completions"),
        ("POST", "/api/chat/completions", "/api/chat/completions"),
        ("POST", "/api/v1x", "/v1x"),
        ("GET", "/v1/models", "/v1/models"),
        ("POST", "/v1beta/x", "/v1beta/x"),
        ("GET", "/assets/x.js", "/assets/x.js"),
        ("POST", "/api/v1/messages/count_tokens", "/v1/messages/count_tokens"),
    ],
)
async def test_inside_is_404_without_a_key(
    http: httpx.AsyncClient, method: str, path: str, seen: str
) -> None:
    async with gateway() as server:
        answer = await http.request(method, server.origin + path)
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/json; charset=utf-8"
    assert answer.json() == {
        "error": {
            "message": f"Invalid URL ({method} {seen})",
            "type": "invalid_request_error",
            "param": "",
            "code": "",
        }
    }


async def test_stock_without_prefix(http: httpx.AsyncClient) -> None:
    async with gateway(prefix="") as server:
        good = await http.post(server.origin + "/v1/chat/completions", json=HI, headers=BEARER)
        assert good.status_code == 200
        wrong = await http.post(server.origin + CHAT, json=HI, headers=BEARER)
        assert wrong.json()["error"]["message"] == f"Invalid URL (POST {CHAT})"


@pytest.mark.parametrize(
    ("root", "status", "kind"),
    [
        (RootV1.NOT_FOUND, 404, "application/json"),
        (RootV1.PAGE, 200, "text/html"),
        (RootV1.SERVES, 200, "application/json"),
    ],
)
async def test_v1_without_the_prefix(
    http: httpx.AsyncClient, root: RootV1, status: int, kind: str
) -> None:
    async with gateway(root_v1=root) as server:
        answer = await http.post(server.origin + "/v1/chat/completions", json=HI, headers=BEARER)
    assert answer.status_code == status
    assert answer.headers["content-type"].startswith(kind)


async def test_trailing_slash(http: httpx.AsyncClient) -> None:
    async with gateway() as server:
        post = await http.post(server.origin + CHAT + "/", json=HI, headers=BEARER)
        assert (post.status_code, post.headers["location"]) == (307, CHAT)
        get = await http.get(server.origin + "/api/v1/models/", headers=BEARER)
        assert get.headers["location"] == "/api/v1/models"
        assert get.status_code == 301


async def test_known_but_unimplemented(http: httpx.AsyncClient) -> None:
    async with gateway() as server:
        assert (await http.get(server.origin + "/api/v1/files")).status_code == 401
        answer = await http.get(server.origin + "/api/v1/files", headers=BEARER)
    assert (answer.status_code, answer.json()["error"]["code"]) == (501, "api_not_implemented")


# Recognition (1.2)


async def test_headers_on_every_response(http: httpx.AsyncClient) -> None:
    async with gateway() as server:
        for path in ("/", "/api/v1/x", "/api/v1/models", "/api/status"):
            answer = await http.get(server.origin + path)
            assert re.fullmatch(r"\d{23}\w{8}", answer.headers["x-oneapi-request-id"])
            assert answer.headers["x-new-api-version"] == "v1.0.0-rc.24"
        refused = await http.get(server.origin + "/api/v1/models")
    (shown,) = REQUEST_ID.findall(refused.json()["error"]["message"])
    assert shown == refused.headers["x-oneapi-request-id"]


async def test_a_reverse_proxy_may_strip_them(http: httpx.AsyncClient) -> None:
    async with gateway(headers=False) as server:
        answer = await http.get(server.origin + "/api/v1/models")
    assert "x-oneapi-request-id" not in answer.headers


# Key states (1.3)


@pytest.mark.parametrize("state", [KeyState.EXPIRED, KeyState.EXHAUSTED, KeyState.DISABLED, None])
@pytest.mark.parametrize(("headers", "text"), [({}, "Invalid token"), (ZH, "无效的令牌")])
async def test_newer_builds_have_one_401(
    http: httpx.AsyncClient, state: KeyState | None, headers: dict[str, str], text: str
) -> None:
    keys = (Key(state=state),) if state else ()
    async with gateway(keys=keys) as server:
        answer = await ask(http, server, headers)
    assert answer.status_code == 401
    assert error(answer) == {"message": text, "type": "new_api_error", "code": ""}
    # A Go map: keys in order.
    assert list(answer.json()["error"]) == ["code", "message", "type"]


@pytest.mark.parametrize(
    ("state", "text"),
    [
        (KeyState.EXPIRED, "该令牌已过期"),
        (KeyState.EXHAUSTED, "该令牌额度已用尽 TokenStatusExhausted[sk-dem***000]"),
        (KeyState.DISABLED, "该令牌状态不可用"),
        (None, "无效的令牌"),
    ],
)
async def test_2025_builds_tell_them_apart(
    http: httpx.AsyncClient, state: KeyState | None, text: str
) -> None:
    keys = (Key(state=state),) if state else ()
    async with gateway(keys=keys, variant=Variant.OLD) as server:
        answer = await ask(http, server, {"accept-language": "en"})
        missing = await http.post(server.origin + CHAT, json=HI)
    assert (answer.status_code, error(answer)) == (
        401,
        {"message": text, "type": "new_api_error"},
    )
    assert error(missing)["message"] == "未提供令牌"


@pytest.mark.parametrize(
    ("state", "status", "text", "code"),
    [
        (KeyState.DATABASE_FAULT, 500, "Database error, please try again later", ""),
        (KeyState.IP_DENIED, 403, "您的 IP 不在令牌允许访问的列表中", "access_denied"),
        (KeyState.USER_BANNED, 403, "User has been banned", ""),
        (KeyState.GROUP_DENIED, 403, "无权访问 svip 分组", ""),
        (KeyState.GROUP_RETIRED, 403, "分组 svip 已被弃用", ""),
        (KeyState.RATE_LIMITED, 429, "您已达到请求数限制：1分钟内最多请求60次", ""),
        (
            KeyState.RATE_LIMITED_TOTAL,
            429,
            "您已达到总请求数限制：1分钟内最多请求60次，包括失败次数，请检查您的请求是否正确",
            "",
        ),
    ],
)
async def test_other_refusals(
    http: httpx.AsyncClient, state: KeyState, status: int, text: str, code: str
) -> None:
    async with with_state(state) as server:
        answer = await ask(http, server)
    assert answer.status_code == status
    assert error(answer) == {"code": code, "message": text, "type": "new_api_error"}


@pytest.mark.parametrize(
    ("state", "text", "code"),
    [
        (
            KeyState.USER_WITHOUT_QUOTA,
            "用户额度不足, 剩余额度: ＄0.000000",
            "insufficient_user_quota",
        ),
        (
            KeyState.USER_QUOTA_TOO_SMALL,
            "预扣费额度失败, 用户剩余额度: ＄0.001320, 需要预扣费额度: ＄0.227610",
            "insufficient_user_quota",
        ),
        (
            KeyState.TOKEN_QUOTA_TOO_SMALL,
            "token quota is not enough, token remain quota: ＄0.194932, need quota: ＄0.227610",
            "pre_consume_token_quota_failed",
        ),
    ],
)
async def test_quota_is_403(http: httpx.AsyncClient, state: KeyState, text: str, code: str) -> None:
    async with gateway(keys=(Key(state=state),)) as server:
        answer = await ask(http, server)
        messages = await http.post(
            server.origin + "/api/v1/messages", json={**HI, "max_tokens": 1}, headers=BEARER
        )
    assert answer.status_code == 403
    expected = {"message": text, "type": "new_api_error", "param": "", "code": code}
    assert error(answer) == expected
    # After dispatch the Anthropic route has Anthropic's shape.
    assert messages.json()["type"] == "error"
    assert error(messages) == {"type": "new_api_error", "message": text}


async def test_quota_of_2025(http: httpx.AsyncClient) -> None:
    keys = (Key(state=KeyState.USER_WITHOUT_QUOTA),)
    async with gateway(keys=keys, variant=Variant.OLD) as server:
        answer = await ask(http, server)
    assert (answer.status_code, error(answer)["message"]) == (403, "user quota is not enough")


async def test_rate_limit_with_an_empty_body(http: httpx.AsyncClient) -> None:
    async with with_state(KeyState.RATE_LIMITED_EMPTY) as server:
        answer = await ask(http, server)
    assert (answer.status_code, answer.content) == (429, b"")


async def test_overload_comes_before_the_key(http: httpx.AsyncClient) -> None:
    async with gateway(keys=(), overloaded=True) as server:
        answer = await ask(http, server)
    assert (answer.status_code, error(answer)["code"]) == (503, "system_cpu_overloaded")


async def test_401_hides_a_wrong_model(http: httpx.AsyncClient) -> None:
    async with gateway() as server:
        headers = {"authorization": f"Bearer {UNKNOWN}"}
        answer = await http.post(
            server.origin + CHAT, json={**HI, "model": "nope"}, headers=headers
        )
    assert answer.status_code == 401


# Models (1.3)


@pytest.mark.parametrize(
    ("variant", "headers", "text"),
    [
        (
            Variant.NEWER,
            {},
            "No available channel for model nope under group default (distributor)",
        ),
        (Variant.NEWER, ZH, "分组 default 下模型 nope 无可用渠道（distributor）"),
        (Variant.OLD, {}, "当前分组 default 下对于模型 nope 无可用渠道"),
    ],
)
async def test_no_channel_is_503(
    http: httpx.AsyncClient, variant: Variant, headers: dict[str, str], text: str
) -> None:
    async with gateway(variant=variant) as server:
        body = {**HI, "model": "nope"}
        answer = await http.post(server.origin + CHAT, json=body, headers={**BEARER, **headers})
    assert answer.status_code == 503
    assert error(answer)["message"] == text
    if variant is Variant.NEWER:
        assert error(answer)["code"] == "model_not_found"


async def test_group_without_channel(http: httpx.AsyncClient) -> None:
    models = (Model(MODEL, groups=("svip",)),)
    async with gateway(models=models) as server:
        assert (await ask(http, server)).status_code == 503
        listed = await http.get(server.origin + "/api/v1/models", headers=BEARER)
    # The list is no proof of a channel.
    assert [card["id"] for card in listed.json()["data"]] == [MODEL]


async def test_model_not_allowed(http: httpx.AsyncClient) -> None:
    async with gateway(keys=(Key(models=frozenset({"qwen3.7-max"})),)) as server:
        answer = await ask(http, server)
    text = f"This token has no access to model {MODEL}"
    assert (answer.status_code, error(answer)["message"]) == (403, text)


@pytest.mark.parametrize(
    ("content", "status", "start"),
    [
        (b"{bad", 400, "Invalid request: "),
        (b"", 400, "Invalid request: "),
        (b"{}", 400, "Model name not specified, model name cannot be empty"),
        (json.dumps({"model": MODEL}).encode(), 500, "field messages is required"),
    ],
)
async def test_bad_bodies(http: httpx.AsyncClient, content: bytes, status: int, start: str) -> None:
    async with gateway() as server:
        answer = await http.post(server.origin + CHAT, content=content, headers=BEARER)
    assert answer.status_code == status
    assert error(answer)["message"].startswith(start)


async def test_model_without_price(http: httpx.AsyncClient) -> None:
    async with gateway(models=(Model(MODEL, priced=False),)) as server:
        answer = await ask(http, server)
        listed = await http.get(server.origin + "/api/v1/models", headers=BEARER)
    assert (answer.status_code, error(answer)["code"]) == (500, "model_price_error")
    assert listed.json()["data"] == []


# What is accepted as a key (1.4)


@pytest.mark.parametrize(
    ("value", "status"),
    [
        (f"Bearer {GOOD}", 200),
        (f"bearer {GOOD}", 200),
        (GOOD, 200),
        (GOOD.removeprefix("sk-"), 200),
        (f"Bearer   {GOOD}", 200),
        (f"Bearer Bearer {GOOD}", 401),
        (f"Bearer sk-{GOOD}", 401),
        (f"Bearer {GOOD.replace('sk-', 'SK-')}", 401),
        (f'Bearer "{GOOD}"', 401),
        (f"Bearer {GOOD[:20]} {GOOD[20:]}", 401),
        (f"Bearer {GOOD[:-1]}", 401),
        (f"Bearer {GOOD}-7", 403),
        ("Bearer", 401),
    ],
)
async def test_key_parsing(http: httpx.AsyncClient, value: str, status: int) -> None:
    async with gateway() as server:
        answer = await http.post(server.origin + CHAT, json=HI, headers={"authorization": value})
    assert answer.status_code == status
    if status == 403:
        assert error(answer)["message"] == "普通用户不支持指定渠道"


async def test_old_builds_do_not_trim(http: httpx.AsyncClient) -> None:
    async with gateway(variant=Variant.OLD) as server:
        answer = await ask(http, server, {"authorization": f"Bearer  {GOOD}"})
    assert answer.status_code == 401


async def test_x_api_key_overwrites_on_messages_only(http: httpx.AsyncClient) -> None:
    wrong, right = {"x-api-key": UNKNOWN}, {"x-api-key": GOOD}
    body = {**HI, "max_tokens": 4}
    async with gateway() as server:
        messages, chat = server.origin + "/api/v1/messages", server.origin + CHAT
        both = await http.post(messages, json=body, headers={**BEARER, **wrong})
        assert both.status_code == 401
        # Token errors keep the OpenAI shape here: they come from the middleware.
        assert "type" not in both.json()
        assert (await http.post(messages, json=body, headers=right)).status_code == 200
        assert (await http.post(chat, json=HI, headers={**BEARER, **wrong})).status_code == 200
        assert (await http.post(chat, json=HI, headers=right)).status_code == 401
        models = server.origin + "/api/v1/models"
        assert (await http.get(models, headers=right)).status_code == 200
        assert (await http.get(f"{models}?key={GOOD}")).status_code == 200


async def test_mj_api_secret_when_authorization_is_empty(http: httpx.AsyncClient) -> None:
    async with gateway() as server:
        answer = await http.post(server.origin + CHAT, json=HI, headers={"mj-api-secret": GOOD})
    assert answer.status_code == 200


# Lists and account (1.5 to 1.7)


async def test_models_list(http: httpx.AsyncClient) -> None:
    async with gateway() as server:
        value = (await http.get(server.origin + "/api/v1/models", headers=BEARER)).json()
    assert (value["success"], value["object"]) == (True, "list")
    card = value["data"][0]
    assert (card["created"], card["owned_by"]) == (1626777600, "custom")
    assert "supported_endpoint_types" in card


async def test_models_list_of_2025(http: httpx.AsyncClient) -> None:
    async with gateway(variant=Variant.OLD) as server:
        value = (await http.get(server.origin + "/api/v1/models", headers=BEARER)).json()
    assert set(value) == {"success", "data"}


async def test_anthropic_models_list(http: httpx.AsyncClient) -> None:
    url = "/api/v1/models"
    anthropic = {"x-api-key": GOOD, "anthropic-version": "2023-06-01"}
    async with gateway() as server:
        value = (await http.get(server.origin + url, headers=anthropic)).json()
        sdk = {**BEARER, "anthropic-version": "2026-10-21"}
        plain = (await http.get(server.origin + url, headers=sdk)).json()
    assert set(value) == {"data", "first_id", "has_more", "last_id"}
    assert value["data"][0]["type"] == "model"
    assert plain["object"] == "list"
    async with gateway(models=()) as server:
        panic = await http.get(server.origin + url, headers=anthropic)
    assert (panic.status_code, panic.json()["error"]["type"]) == (500, "new_api_panic")


async def test_one_model_is_no_test(http: httpx.AsyncClient) -> None:
    async with gateway() as server:
        answer = await http.get(server.origin + "/api/v1/models/nope", headers=BEARER)
    assert (answer.status_code, answer.json()["error"]["code"]) == (200, "model_not_found")


@pytest.mark.parametrize(
    ("place", "path"),
    [(StatusPlace.API, "/api/status"), (StatusPlace.DOUBLED, "/api/api/status")],
)
async def test_status(http: httpx.AsyncClient, place: StatusPlace, path: str) -> None:
    async with gateway(status_at=place) as server:
        value = (await http.get(server.origin + path)).json()
        for other in {"/api/status", "/api/api/status"} - {path}:
            assert (await http.get(server.origin + other)).status_code == 404
    assert value["success"] is True
    assert value["data"]["quota_per_unit"] == 500000
    assert value["data"]["server_address"] == server.origin


async def test_status_may_be_nowhere(http: httpx.AsyncClient) -> None:
    async with gateway(status_at=StatusPlace.NOWHERE) as server:
        for path in ("/api/status", "/api/api/status"):
            assert (await http.get(server.origin + path)).status_code == 404


async def test_pricing(http: httpx.AsyncClient) -> None:
    async with gateway() as server:
        value = (await http.get(server.origin + "/api/pricing")).json()
    assert value["data"][0]["model_name"] == MODEL


async def usage(http: httpx.AsyncClient, key: Key, authorization: str) -> httpx.Response:
    async with gateway(keys=(key,)) as server:
        url = server.origin + "/api/usage/token/"
        return await http.get(url, headers={"authorization": authorization})


@pytest.mark.parametrize("state", [KeyState.ACTIVE, KeyState.EXPIRED, KeyState.EXHAUSTED])
async def test_usage_works_for_dead_keys(http: httpx.AsyncClient, state: KeyState) -> None:
    answer = await usage(http, Key(state=state), f"Bearer {GOOD}")
    value = answer.json()
    assert (answer.status_code, value["code"], value["message"]) == (200, True, "ok")
    data = value["data"]
    assert data["object"] == "token_usage"
    assert data["total_granted"] == data["total_used"] + data["total_available"]
    assert (data["total_available"] == 0) is (state is KeyState.EXHAUSTED)
    assert (data["expires_at"] > 0) is (state is KeyState.EXPIRED)


@pytest.mark.parametrize(
    ("state", "authorization", "status", "text"),
    [
        (KeyState.DISABLED, f"Bearer {GOOD}", 401, "This token status is unavailable"),
        (KeyState.ACTIVE, f"Bearer {UNKNOWN}", 401, "Invalid token"),
        (KeyState.ACTIVE, "", 401, "Token not provided"),
        (KeyState.ACTIVE, GOOD, 401, "Invalid Bearer token"),
        (
            KeyState.ACTIVE,
            f"Bearer {GOOD}-7",
            200,
            "Failed to get token info, please try again later",
        ),
    ],
)
async def test_usage_refusals(
    http: httpx.AsyncClient, state: KeyState, authorization: str, status: int, text: str
) -> None:
    answer = await usage(http, Key(state=state), authorization)
    assert (answer.status_code, answer.json()) == (status, {"message": text, "success": False})


async def test_usage_needs_its_slash_and_a_newer_build(http: httpx.AsyncClient) -> None:
    async with gateway() as server:
        answer = await http.get(server.origin + "/api/usage/token", headers=BEARER)
        assert (answer.status_code, answer.headers["location"]) == (301, "/api/usage/token/")
    async with gateway(variant=Variant.OLD) as server:
        answer = await http.get(server.origin + "/api/usage/token/", headers=BEARER)
        assert answer.status_code == 404


async def test_billing(http: httpx.AsyncClient) -> None:
    base = "/api/v1/dashboard/billing"
    key = Key(remaining=500_000, used=250_000, expires_at=1_800_000_000)
    async with gateway(keys=(key,)) as server:
        assert (await http.get(f"{server.origin}{base}/usage")).status_code == 401
        held = (await http.get(f"{server.origin}{base}/subscription", headers=BEARER)).json()
        used = (await http.get(f"{server.origin}{base}/usage", headers=BEARER)).json()
    assert (held["object"], held["hard_limit_usd"]) == ("billing_subscription", 1.5)
    assert held["access_until"] == 1_800_000_000
    assert used == {"object": "list", "total_usage": 50.0}


# Answers


async def test_chat(http: httpx.AsyncClient) -> None:
    async with gateway() as server:
        value = (await ask(http, server)).json()
    assert value["choices"][0]["message"]["content"] == "ok"
    assert value["model"] == MODEL


async def test_streams_of_all_three(http: httpx.AsyncClient) -> None:
    bodies: dict[str, dict[str, Any]] = {
        "chat/completions": HI,
        "messages": {**HI, "max_tokens": 8},
        "responses": {"model": MODEL, "input": "hi"},
    }
    async with gateway() as server:
        for path, body in bodies.items():
            url = f"{server.origin}/api/v1/{path}"
            plain = await http.post(url, json=body, headers=BEARER)
            assert plain.status_code == 200
            answer = await http.post(url, json={**body, "stream": True}, headers=BEARER)
            assert answer.headers["content-type"].startswith("text/event-stream")
            assert '"o"' in answer.text


async def test_anthropic_base_is_the_prefix(http: httpx.AsyncClient) -> None:
    """Clients append /v1/messages to the base ``…/api`` (facts 1.8, 2.1)."""
    async with gateway() as server:
        url = f"{server.origin}/api/v1/messages?beta=true"
        value = (await http.post(url, json={**HI, "max_tokens": 8}, headers=BEARER)).json()
    assert (value["type"], value["stop_reason"]) == ("message", "end_turn")


async def test_2025_has_no_responses(http: httpx.AsyncClient) -> None:
    async with gateway(variant=Variant.OLD) as server:
        body = {"model": MODEL, "input": "hi"}
        answer = await http.post(server.origin + "/api/v1/responses", json=body, headers=BEARER)
    assert answer.json()["error"]["message"] == "Invalid URL (POST /v1/responses)"


async def test_another_model_answers(http: httpx.AsyncClient) -> None:
    async with gateway(models=(Model(MODEL, answers_as="deepseek-v3"),)) as server:
        assert (await ask(http, server)).json()["model"] == "deepseek-v3"


async def test_window_of_the_upstream(http: httpx.AsyncClient) -> None:
    async with gateway(models=(Model(MODEL, window=2048),)) as server:
        url = server.origin + CHAT
        answer = await http.post(url, json={**HI, "max_tokens": 4096}, headers=BEARER)
    assert answer.status_code == 400
    assert error(answer) == {
        "message": "max_tokens=4096 cannot be greater than max_model_len=2048. Please request"
        " fewer output tokens. (parameter=max_tokens, value=4096)",
        "type": "BadRequestError",
        "param": "max_tokens",
        "code": 400,
    }


# A real engine behind


async def test_routes_to_a_real_engine(http: httpx.AsyncClient) -> None:
    engine = LoopbackServer(Vllm(VllmConfig(api_keys=("sk-demo-engine",), max_model_len=256)))
    async with engine:
        base = engine.origin + "/v1"
        models = (
            Model("good", upstream=base, upstream_key="sk-demo-engine", upstream_model="tiny"),
            Model("badkey", upstream=base, upstream_key="sk-other", upstream_model="tiny"),
            Model("gone", upstream="http://127.0.0.1:9/v1", upstream_model="tiny"),
        )
        async with gateway(models=models) as server:

            async def post(model: str, **more: Any) -> httpx.Response:
                body = {**HI, "model": model, **more}
                return await http.post(server.origin + CHAT, json=body, headers=BEARER)

            good = await post("good", max_tokens=8)
            assert good.json()["system_fingerprint"].startswith("vllm-")
            assert good.json()["model"] == "tiny"
            stream = await post("good", stream=True)
            assert stream.text.endswith("data: [DONE]\n\n")
            too_many = await post("good", max_tokens=500)
            assert (too_many.status_code, error(too_many)["code"]) == (400, 400)
            badkey = await post("badkey")
            assert badkey.status_code == 401
            assert error(badkey) == {
                "message": "bad response status code 401",
                "type": "upstream_error",
                "param": "",
                "code": "bad_response_status_code",
            }
            gone = await post("gone")
            assert (gone.status_code, error(gone)["code"]) == (500, "do_request_failed")
    assert {request.path for request in engine.requests} == {"/v1/chat/completions"}
    # The client's own key never reaches the engine.
    assert all(GOOD not in str(request.headers) for request in engine.requests)


async def test_upstream_must_be_loopback(http: httpx.AsyncClient) -> None:
    with pytest.raises(ValueError, match="not a loopback"):
        async with gateway(models=(Model(MODEL, upstream="http://10.0.0.1/v1"),)) as server:
            assert (await ask(http, server)).status_code == 500
