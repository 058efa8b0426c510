"""Bad statuses: every row of the facts and of the reported bodies, and what it means."""

# ruff: noqa: E501 - texts of servers stay on one line

from __future__ import annotations

from typing import Any

import pytest

from doctor.connection import Protocol
from doctor.facts.answers import OutcomeKind
from doctor.facts.network import TransportFault
from doctor.probes.classify import classify
from tests.probes.answers import anthropic, exchange, flat, openai

K = OutcomeKind
REQUEST = " (request id: 20251111163026817855493SePwkLG8)"
HTML = {"content-type": "text/html; charset=utf-8"}
NGINX_404 = (
    "<html>\r\n<head><title>404 Not Found</title></head>\r\n<body>\r\n<center><h1>404 Not Found"
    "</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>"
)
NGINX_502 = NGINX_404.replace("404 Not Found", "502 Bad Gateway")


def new_api(message: str, code: str = "") -> Any:
    return {"error": {"message": message + REQUEST, "type": "new_api_error", "code": code}}


def one_api(message: str) -> Any:
    return {"error": {"message": message + REQUEST, "type": "one_api_error"}}


# Gateway facts §1.1 and §1.3.
NEW_API = [
    (401, new_api("Invalid token"), K.KEY_REFUSED),
    (401, new_api("无效的令牌"), K.KEY_REFUSED),
    (401, new_api("未提供令牌"), K.KEY_MISSING),
    (401, one_api("未提供令牌"), K.KEY_MISSING),
    (401, new_api("该令牌已过期"), K.KEY_REFUSED),
    (401, new_api("该令牌额度已用尽 TokenStatusExhausted[sk-abc***xyz]"), K.KEY_REFUSED),
    (
        401,
        new_api("[sk-abc***xyz] 该令牌额度已用尽 !token.UnlimitedQuota && token.RemainQuota = -3"),
        K.KEY_REFUSED,
    ),
    (401, one_api("令牌 NAME（#7）额度已用尽"), K.KEY_REFUSED),
    (401, new_api("该令牌状态不可用"), K.KEY_REFUSED),
    (401, one_api("令牌验证失败"), K.KEY_REFUSED),
    (500, new_api("Database error, please try again later"), K.SERVER_ERROR),
    (500, new_api("数据库错误，请稍后重试"), K.SERVER_ERROR),
    (403, new_api("您的 IP 不在令牌允许访问的列表中", "access_denied"), K.PERMISSION),
    (403, one_api("该令牌只能在指定网段使用：10.0.0.0/8，当前 ip：1.2.3.4"), K.PERMISSION),
    (403, new_api("用户已被封禁"), K.PERMISSION),
    (403, new_api("无权访问 vip 分组"), K.PERMISSION),
    (403, new_api("分组 vip 已被弃用"), K.PERMISSION),
    (403, new_api("普通用户不支持指定渠道"), K.PERMISSION),
    (403, new_api("default,vip分组已被禁用"), K.PERMISSION),
    (
        503,
        new_api("No available accounts: this group only allows Claude Code clients"),
        K.PERMISSION,
    ),
    (403, new_api("This token has no access to model gpt-9"), K.PERMISSION),
    (403, new_api("该令牌无权访问模型 gpt-9"), K.PERMISSION),
    (403, one_api("该令牌无权使用模型：gpt-9"), K.PERMISSION),
    (400, new_api("Model name not specified, model name cannot be empty"), K.MODEL_MISSING),
    (400, new_api("未指定模型名称，模型名称不能为空"), K.MODEL_MISSING),
    (400, new_api("Invalid request: unexpected end of JSON input"), K.BAD_REQUEST),
    (400, new_api("无效的请求，unexpected end of JSON input"), K.BAD_REQUEST),
    (
        503,
        new_api(
            "No available channel for model M under group default (distributor)", "model_not_found"
        ),
        K.NO_CHANNEL,
    ),
    (
        503,
        new_api("分组 default 下模型 M 无可用渠道（distributor）", "model_not_found"),
        K.NO_CHANNEL,
    ),
    (503, new_api("当前分组 default 下对于模型 M 无可用渠道"), K.NO_CHANNEL),
    (503, one_api("当前分组 svip 下对于模型  无可用渠道"), K.NO_CHANNEL),
    (
        503,
        new_api("Failed to get available channel for model M under group default (distributor): x"),
        K.NO_CHANNEL,
    ),
    (
        500,
        new_api("分组 default 下模型 M 的可用渠道不存在（retry）", "get_channel_failed"),
        K.NO_CHANNEL,
    ),
    (403, new_api("用户额度不足, 剩余额度: ＄0.000000", "insufficient_user_quota"), K.QUOTA),
    (403, one_api("user quota is not enough"), K.QUOTA),
    (
        403,
        new_api(
            "预扣费额度失败, 用户剩余额度: ＄0.001320, 需要预扣费额度: ＄0.227610",
            "insufficient_user_quota",
        ),
        K.QUOTA,
    ),
    (403, new_api("chat pre-consumed quota failed, user quota: ＄0, need quota: ＄1"), K.QUOTA),
    (
        403,
        new_api(
            "token quota is not enough, token remain quota: ＄0.1, need quota: ＄0.2",
            "pre_consume_token_quota_failed",
        ),
        K.QUOTA,
    ),
    (403, one_api("令牌额度不足"), K.QUOTA),
    (500, new_api("invalid request", "invalid_request"), K.SERVER_ERROR),
    (429, new_api("您已达到请求数限制：1分钟内最多请求60次"), K.RATE_LIMITED),
    (429, new_api("您已达到总请求数限制：1分钟内最多请求60次，包括失败次数"), K.RATE_LIMITED),
    (429, "", K.RATE_LIMITED),
    (
        429,
        openai("当前分组上游负载已饱和，请稍后再试", "upstream_error", "bad_response_status_code"),
        K.RATE_LIMITED,
    ),
    (503, new_api("system cpu overloaded", "system_cpu_overloaded"), K.RATE_LIMITED),
    (413, new_api("request body too large", "read_request_body_failed"), K.BAD_REQUEST),
    (
        404,
        openai("Invalid URL (POST /api/v1/chat/completions)", "invalid_request_error", ""),
        K.NOT_FOUND,
    ),
    (404, openai("Invalid URL (GET /v1/models/gpt-9)", "invalid_request_error", ""), K.NOT_FOUND),
    (501, openai("API not implemented", "new_api_error", "api_not_implemented"), K.NOT_SERVED),
    (
        503,
        openai("bad response status code 503", "upstream_error", "bad_response_status_code"),
        K.UPSTREAM_UNREACHABLE,
    ),
    (
        500,
        openai("upstream error: do request failed", "new_api_error", "do_request_failed"),
        K.UPSTREAM_UNREACHABLE,
    ),
    (
        401,
        {"success": False, "message": "无权进行此操作，未登录且未提供 access token"},
        K.KEY_REFUSED,
    ),
]

# vLLM facts §2 and the observed probe.
VLLM = [
    (401, {"error": "Unauthorized"}, K.KEY_REFUSED),
    (404, {"detail": "Not Found"}, K.NOT_FOUND),
    (405, {"detail": "Method Not Allowed"}, K.NOT_FOUND),
    (
        404,
        openai(
            "The model `nope` does not exist. Valid aliases: tiny, alias2.",
            "NotFoundError",
            404,
            param="model",
        ),
        K.MODEL_UNKNOWN,
    ),
    (404, flat("The model `nope` does not exist.", "NotFoundError", 404), K.MODEL_UNKNOWN),
    (404, anthropic("NotFoundError", "The model `nope` does not exist."), K.MODEL_UNKNOWN),
    (
        400,
        openai(
            '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'
        ),
        K.PARAMETER_REFUSED,
    ),
    (
        400,
        openai("temperature must be non-negative, got -1.0. (parameter=temperature, value=-1.0)"),
        K.PARAMETER_REFUSED,
    ),
    (
        400,
        openai(
            "1 validation error:\n  {'type': 'missing', 'loc': 'body.model', 'msg': 'Field required'}",
            "Bad Request",
        ),
        K.MODEL_MISSING,
    ),
    (
        400,
        openai(
            "1 validation error:\n  {'type': 'missing', 'loc': 'body.messages', 'msg': 'Field required'}",
            "Bad Request",
            400,
            param="body.messages",
        ),
        K.BAD_REQUEST,
    ),
    (
        400,
        openai("The model does not support Chat Completions API", "BadRequestError", 400),
        K.NOT_SERVED,
    ),
    (
        503,
        openai(
            "The engine is currently busy and cannot accept new requests", "Service Unavailable"
        ),
        K.SERVER_ERROR,
    ),
    (500, openai("EngineCore encountered an issue.", "InternalServerError", 500), K.SERVER_ERROR),
]

# Real-server facts: LiteLLM.
LITELLM = [
    (401, openai("Authentication Error, No api key passed in.", "auth_error"), K.KEY_MISSING),
    (
        401,
        openai(
            "Authentication Error, Malformed API Key passed in. Ensure Key has `Bearer ` prefix.",
            "auth_error",
        ),
        K.KEY_REFUSED,
    ),
    (401, openai("Authentication Error, Invalid proxy server token passed"), K.KEY_REFUSED),
    (400, openai("No connected db.", "no_db_connection"), K.KEY_REFUSED),
    (
        400,
        openai(
            "/chat/completions: Invalid model name passed in model=nope. Call `/v1/models` to view"
            " available models for your key.",
            "invalid_request_error",
            "400",
        ),
        K.MODEL_UNKNOWN,
    ),
    (
        401,
        openai("litellm.AuthenticationError: AuthenticationError: OpenAIException - Unauthorized"),
        K.UPSTREAM_UNREACHABLE,
    ),
    (
        500,
        openai(
            "litellm.InternalServerError: InternalServerError: OpenAIException - Connection error."
        ),
        K.UPSTREAM_UNREACHABLE,
    ),
    (
        400,
        openai(
            "litellm.BadRequestError: OpenAIException - max_tokens=70000 cannot be greater than"
            " max_model_len=65536. Please request fewer output tokens."
        ),
        K.MAX_TOKENS_REFUSED,
    ),
    (
        400,
        openai(
            "litellm.UnsupportedParamsError: openai does not support parameters:"
            " ['reasoning_effort'], for model=gpt-9."
        ),
        K.PARAMETER_REFUSED,
    ),
    (
        400,
        openai("Budget has been exceeded! Current cost: 10, Max budget: 5", "budget_exceeded"),
        K.QUOTA,
    ),
    (
        401,
        openai(
            "key not allowed to access model. This key can only access models=['a'].",
            "key_model_access_denied",
        ),
        K.PERMISSION,
    ),
]

OTHERS = [
    # Who makes the request keeps out of private networks: Cursor, Bifrost.
    (
        400,
        {
            "error": {
                "type": "client",
                "reason": "ssrf_blocked",
                "message": "connection to private IP is blocked",
            }
        },
        K.UPSTREAM_UNREACHABLE,
    ),
    (500, openai("connection to private IP 192.168.1.9 is not allowed"), K.UPSTREAM_UNREACHABLE),
    # OpenAI
    (
        401,
        openai(
            "Incorrect API key provided: sk-made***up.", "invalid_request_error", "invalid_api_key"
        ),
        K.KEY_REFUSED,
    ),
    (
        401,
        openai("You didn't provide an API key. You need to provide your API key."),
        K.KEY_MISSING,
    ),
    (
        404,
        openai(
            "The model `gpt-9` does not exist or you do not have access to it.",
            "invalid_request_error",
            "model_not_found",
        ),
        K.MODEL_UNKNOWN,
    ),
    (
        429,
        openai(
            "You exceeded your current quota, please check your plan and billing details.",
            "insufficient_quota",
        ),
        K.QUOTA,
    ),
    (
        429,
        openai("Rate limit reached for gpt-9", "requests", "rate_limit_exceeded"),
        K.RATE_LIMITED,
    ),
    (
        400,
        openai(
            "Unsupported parameter: 'max_tokens' is not supported with this model."
            " Use 'max_completion_tokens' instead.",
            "invalid_request_error",
            "unsupported_parameter",
            param="max_tokens",
        ),
        K.PARAMETER_REFUSED,
    ),
    (
        400,
        openai("Unrecognized request argument supplied: max_completion_tokens"),
        K.PARAMETER_REFUSED,
    ),
    (
        403,
        openai("Project `p` does not have access to model `gpt-9`", None, "model_not_found"),
        K.PERMISSION,
    ),
    (
        403,
        openai(
            "Country not supported", "request_forbidden", "unsupported_country_region_territory"
        ),
        K.PERMISSION,
    ),
    # OpenRouter
    (401, {"error": {"message": "No auth credentials found", "code": 401}}, K.KEY_MISSING),
    (401, {"error": {"message": "User not found.", "code": 401}}, K.KEY_REFUSED),
    (
        404,
        {"error": {"message": "No endpoints found that support cache control", "code": 404}},
        K.PARAMETER_REFUSED,
    ),
    (
        400,
        {"error": {"message": "deepseek-chat is not a valid model ID", "code": 400}},
        K.MODEL_UNKNOWN,
    ),
    (
        402,
        {"error": {"message": "This request requires more credits, or fewer max_tokens."}},
        K.QUOTA,
    ),
    (
        502,
        {
            "error": {
                "message": "Provider returned error",
                "code": 502,
                "metadata": {"raw": "upstream is down", "provider_name": "P"},
            }
        },
        K.UPSTREAM_UNREACHABLE,
    ),
    # DeepSeek
    (
        400,
        openai("Model Not Exist", "invalid_request_error", "invalid_request_error"),
        K.MODEL_UNKNOWN,
    ),
    (
        401,
        openai("Authentication Fails, Your api key: ****made is invalid", "authentication_error"),
        K.KEY_REFUSED,
    ),
    (402, openai("Insufficient Balance", "unknown_error", "invalid_request_error"), K.QUOTA),
    # Anthropic
    (401, anthropic("authentication_error", "invalid x-api-key"), K.KEY_REFUSED),
    (401, anthropic("authentication_error", "Invalid bearer token"), K.KEY_REFUSED),
    (401, anthropic("authentication_error", "x-api-key header is required"), K.KEY_MISSING),
    (404, anthropic("not_found_error", "model: claude-nope"), K.MODEL_UNKNOWN),
    (404, anthropic("not_found_error", "Not Found"), K.NOT_FOUND),
    (400, anthropic("invalid_request_error", "Your credit balance is too low"), K.QUOTA),
    (529, anthropic("overloaded_error", "Overloaded"), K.RATE_LIMITED),
    (
        400,
        anthropic("invalid_request_error", "metadata: Extra inputs are not permitted"),
        K.PARAMETER_REFUSED,
    ),
    # Google, DashScope, Zhipu, SiliconFlow, Moonshot, Mistral, Ollama, Azure
    (
        400,
        [{"error": {"code": 400, "message": "API key not valid.", "status": "INVALID_ARGUMENT"}}],
        K.KEY_REFUSED,
    ),
    (
        404,
        {"error": {"message": "models/foo is not found for API version v1main", "code": 404}},
        K.MODEL_UNKNOWN,
    ),
    (
        400,
        openai(
            "Access denied, please make sure your account is in good standing.", None, "Arrearage"
        ),
        K.QUOTA,
    ),
    (400, {"error": {"code": "1211", "message": "模型不存在，请检查模型代码。"}}, K.MODEL_UNKNOWN),
    (
        400,
        {
            "code": 20012,
            "message": "Model does not exist. Please check it carefully.",
            "data": None,
        },
        K.MODEL_UNKNOWN,
    ),
    (
        404,
        openai("Not found the model foo or Permission denied", "resource_not_found_error"),
        K.MODEL_UNKNOWN,
    ),
    (
        400,
        {
            "object": "error",
            "message": "Invalid model: foo",
            "type": "invalid_model",
            "code": "1500",
        },
        K.MODEL_UNKNOWN,
    ),
    (404, openai('model "foo" not found, try pulling it first', "api_error"), K.MODEL_UNKNOWN),
    (
        404,
        {"error": {"code": "DeploymentNotFound", "message": "The API deployment does not exist."}},
        K.MODEL_UNKNOWN,
    ),
    (404, {"error": {"code": "404", "message": "Resource not found"}}, K.NOT_FOUND),
    # CC Switch (§5.1)
    (
        502,
        openai(
            "CC Switch local proxy failed while handling Codex endpoint /responses. Provider: P;"
            " model: M; upstream_status: HTTP 404; cause: not found",
            "proxy_error",
        ),
        K.UPSTREAM_UNREACHABLE,
    ),
    (502, openai("请求转发失败: client error (Connect)", "proxy_error"), K.UPSTREAM_UNREACHABLE),
    # frameworks and edges
    (
        404,
        {"timestamp": "t", "status": 404, "error": "Not Found", "path": "/v4/v1/chat/completions"},
        K.NOT_FOUND,
    ),
    (404, {"error": "Not Found", "message": "Route /v1/messages?beta=true not found"}, K.NOT_FOUND),
    (404, {"message": "no Route matched with those values"}, K.NOT_FOUND),
    (404, "404 page not found", K.NOT_FOUND),
    (404, "Cannot POST /chat/completions", K.NOT_FOUND),
    (404, "", K.NOT_FOUND),
    (401, {"detail": "Unauthorized"}, K.KEY_REFUSED),
    (401, {"code": "API_KEY_REQUIRED", "message": "API key is required"}, K.KEY_MISSING),
    (
        422,
        {"detail": [{"loc": ["body", "model"], "msg": "Field required", "type": "missing"}]},
        K.MODEL_MISSING,
    ),
    (403, {"message": "Forbidden"}, K.PERMISSION),
    (500, {"detail": "Internal Server Error"}, K.SERVER_ERROR),
    (500, "Internal Server Error", K.SERVER_ERROR),
    (503, "", K.SERVER_ERROR),
    (502, "", K.UPSTREAM_UNREACHABLE),
    (503, "upstream connect error or disconnect/reset before headers", K.UPSTREAM_UNREACHABLE),
    (524, "error code: 524", K.UPSTREAM_UNREACHABLE),
    (400, "{", K.BAD_REQUEST),
    (403, "error code: 1010", K.WEB_PAGE),
    (403, "", K.BAD_REQUEST),
    (408, openai("litellm.Timeout: Request timed out."), K.UPSTREAM_UNREACHABLE),
    (404, {"error": {"message": "No endpoints found for a/b:free.", "code": 404}}, K.NO_CHANNEL),
    (404, openai("Unknown request URL: POST /openai/v1/v1/chat/completions."), K.NOT_FOUND),
    (
        400,
        openai("The model `m` has been decommissioned and is no longer supported."),
        K.MODEL_UNKNOWN,
    ),
    (
        400,
        openai("The 'm' model is not supported when using Codex with a ChatGPT account."),
        K.MODEL_UNKNOWN,
    ),
    (400, openai("Invalid Authorization header"), K.KEY_REFUSED),
    (
        403,
        {"success": False, "errors": [{"code": 1, "message": "Authentication error"}]},
        K.KEY_REFUSED,
    ),
    (500, openai('Post "https://u.example/v1": context deadline exceeded'), K.UPSTREAM_UNREACHABLE),
    (429, {"error": {"code": "1113", "message": "您的账户已欠费，请充值后重试。"}}, K.QUOTA),
    (401, {"error": {"code": "1000", "message": "身份验证失败。"}}, K.KEY_REFUSED),
]


@pytest.mark.parametrize(("status", "body", "kind"), [*NEW_API, *VLLM, *LITELLM, *OTHERS])
def test_a_refusal_is_understood(status: int, body: object, kind: OutcomeKind) -> None:
    outcome = classify(exchange(status, body), Protocol.OPENAI_CHAT)
    assert outcome.kind is kind


@pytest.mark.parametrize(
    ("status", "body", "kind"),
    [
        (404, NGINX_404, K.NOT_FOUND),
        (502, NGINX_502, K.UPSTREAM_UNREACHABLE),
        (403, "<!doctype html><title>Just a moment...</title>", K.WEB_PAGE),
        (400, "<html><head><title>Blocked</title></head></html>", K.WEB_PAGE),
        (413, "<html><title>413 Request Entity Too Large</title></html>", K.BAD_REQUEST),
        (429, "<html><title>Too many</title></html>", K.RATE_LIMITED),
        (407, "<html><title>Proxy Authentication Required</title></html>", K.PROXY_PAGE),
    ],
)
def test_a_page_with_a_bad_status(status: int, body: str, kind: OutcomeKind) -> None:
    assert classify(exchange(status, body, HTML), Protocol.OPENAI_CHAT).kind is kind


@pytest.mark.parametrize("body", ["Your request was blocked.", "error code: 1010", "访问被阻断"])
def test_a_firewall_may_say_it_in_plain_text(body: str) -> None:
    plain = {"content-type": "text/plain; charset=utf-8"}
    assert classify(exchange(403, body, plain), Protocol.OPENAI_CHAT).kind is K.WEB_PAGE


def test_an_api_may_use_a_firewalls_words() -> None:
    body = {"error": {"message": "Your request was blocked by our content policy."}}
    assert classify(exchange(403, body), Protocol.OPENAI_CHAT).kind is K.PERMISSION


def test_a_firewalls_page_is_told_by_its_title() -> None:
    page = "<!doctype html><title>Just a\n moment &amp; more</title>"
    assert (
        classify(exchange(403, page, HTML), Protocol.OPENAI_CHAT).message == "Just a moment & more"
    )


@pytest.mark.parametrize(
    ("status", "headers", "body", "kind"),
    [
        (503, {}, "", K.PROXY_PAGE),  # case BR-059
        (502, HTML, NGINX_502, K.PROXY_PAGE),
        (503, {}, "upstream gone", K.PROXY_PAGE),
        (403, {}, "", K.PROXY_PAGE),
        (
            500,
            {"server": "tinyproxy/1.11.1", "content-type": "text/html"},
            "<html><title>500 Unable to connect</title></html>",
            K.PROXY_PAGE,
        ),
        (403, {"x-squid-error": "ERR_ACCESS_DENIED 0"}, "<html></html>", K.PROXY_PAGE),
        (404, {}, '{"detail":"Not Found"}', K.NOT_FOUND),
        (503, {}, '{"error":{"message":"当前分组 a 下对于模型 b 无可用渠道"}}', K.NO_CHANNEL),
    ],
)
def test_what_a_proxy_says_in_the_targets_place(
    status: int, headers: dict[str, str], body: str, kind: OutcomeKind
) -> None:
    through = exchange(
        status, body, headers, via="http://127.0.0.1:8889", url="http://localhost:11434/v1/models"
    )
    assert classify(through, Protocol.OPENAI_CHAT).kind is kind


def test_inside_a_tunnel_the_proxy_says_nothing() -> None:
    through = exchange(503, "", {}, via="http://127.0.0.1:8889")
    assert classify(through, Protocol.OPENAI_CHAT).kind is K.SERVER_ERROR


def test_no_answer_keeps_the_text_of_the_fault() -> None:
    silent = exchange(
        None, fault=TransportFault.REFUSED, fault_text="[Errno 111] Connection refused"
    )
    outcome = classify(silent, Protocol.OPENAI_CHAT)
    assert outcome.kind is K.TRANSPORT
    assert outcome.message == "[Errno 111] Connection refused"


def test_the_parts_of_an_error_are_kept_apart() -> None:
    body = openai(
        "The model `x` does not exist. Valid aliases: a, b-2.", "NotFoundError", 404, param="model"
    )
    outcome = classify(exchange(404, body), Protocol.OPENAI_CHAT)
    assert (outcome.error_type, outcome.error_code, outcome.param) == (
        "NotFoundError",
        "404",
        "model",
    )
    assert outcome.served == ("a", "b-2")


def test_served_models_of_lm_studios_text() -> None:
    body = openai(
        'Model "default" not found. Please specify a valid model.\n\nYour models:\n\n'
        "gemma-3-27b-it-qat\nqwen/qwen3-32b\ntext-embedding-nomic-embed-text-v1.5",
        "invalid_request_error",
        "model_not_found",
        param="model",
    )
    outcome = classify(exchange(404, body), Protocol.OPENAI_CHAT)
    assert outcome.kind is K.MODEL_UNKNOWN
    assert outcome.served == (
        "gemma-3-27b-it-qat",
        "qwen/qwen3-32b",
        "text-embedding-nomic-embed-text-v1.5",
    )


def test_served_models_of_deepseeks_text() -> None:
    body = openai(
        "The supported API model names are deepseek-v4-flash or deepseek-v4-pro, but you passed gpt-9."
    )
    outcome = classify(exchange(400, body), Protocol.OPENAI_CHAT)
    assert outcome.kind is K.MODEL_UNKNOWN
    assert outcome.served == ("deepseek-v4-flash", "deepseek-v4-pro")


@pytest.mark.parametrize(
    ("message", "param"),
    [
        ("Unsupported parameter: 'max_tokens' is not supported with this model.", "max_tokens"),
        ("Unrecognized request argument supplied: max_completion_tokens", "max_completion_tokens"),
        ("top_k: Extra inputs are not permitted", "top_k"),
        (
            "openai does not support parameters: ['reasoning_effort'], for model=x",
            "reasoning_effort",
        ),
        ("logprobs is odd. (parameter=top_logprobs)", "top_logprobs"),
        ('"auto" tool choice requires --enable-auto-tool-choice to be set', "tools"),
    ],
)
def test_the_refused_parameter_is_named(message: str, param: str) -> None:
    assert classify(exchange(400, openai(message)), Protocol.OPENAI_CHAT).param == param


def test_retry_after_is_kept() -> None:
    limited = exchange(429, "", {"retry-after": "17"})
    assert classify(limited, Protocol.OPENAI_CHAT).retry_after == "17"


def test_hostile_error_text_is_harmless() -> None:
    outcome = classify(
        exchange(400, openai("\x1b[2Jgone\u202e", "\x1b]0;t\x07")), Protocol.OPENAI_CHAT
    )
    assert "\x1b" not in outcome.message + outcome.error_type
    assert "<U+202E>" in outcome.message
