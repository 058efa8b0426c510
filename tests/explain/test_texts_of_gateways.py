"""What gateways, their fronts and translating servers say; texts as they were reported."""

from __future__ import annotations

import pytest

from doctor.explain.rank import rank
from doctor.explain.read import symptoms_in

CLOUDFLARE = """<!DOCTYPE html>
<html class="no-js" lang="en-US">
<head><title>Attention Required! | Cloudflare</title></head>
<body><h1 data-translate="block_headline">Sorry, you have been blocked</h1></body></html>"""
NGINX_413 = """<html>
<head><title>413 Request Entity Too Large</title></head>
<body><center><h1>413 Request Entity Too Large</h1></center><hr><center>nginx/1.18.0</center>
</body></html>"""
HISTORY = "An assistant message with 'tool_calls' must be followed by tool messages"
FRAMED = """│ Failed to login. request to https://a.example/token failed, reason: self-signed     │
│ certificate in certificate chain                                                    │"""
BEHIND_THE_URL = "unexpected status 404 Not Found: 404 page not found, url: {}"

FRONTS = [
    (f"403 {CLOUDFLARE}", "KVD210"),
    ("openai.PermissionDeniedError: Your request was blocked.", "KVD210"),
    ('HTTP 403, body: "error code: 1010"', "KVD210"),
    ("403 Client Error: 您的访问被阻断", "KVD210"),
    ("A timeout occurred Error code 524", "KVD330"),
    ("relay.example.com | 523: Origin is unreachable", "KVD330"),
    ("HTTP 525 (SSL handshake failed)", "KVD330"),
    ("Failed to connect to api.example.com: Request failed with status code 503", "KVD330"),
    (NGINX_413, "KVD602"),
    ("413 Request body too large for deepseek-r1 model. Max size: 4000 tokens.", "KVD602"),
]
DIALECTS = [
    ("messages.1.content.0: Invalid `signature` in `thinking` block", "KVD516"),
    ("messages.7.content.0.thinking.signature: Field required", "KVD516"),
    (f"400 {HISTORY} responding to each 'tool_call_id'.", "KVD516"),
    ("messages.2: `tool_use` ids were found without `tool_result` blocks", "KVD516"),
    ("ValidationException: invalid beta flag", "KVD516"),
    ("No endpoints found that support cache control", "KVD516"),
    ("messages[0].role: unknown variant `developer`, expected one of `system`", "KVD516"),
    ("context_management: Extra inputs are not permitted", "KVD516"),
]
PERMISSIONS = [
    ("No available accounts: this group only allows Claude Code clients", "KVD115"),
    ("请求非法 接口仅可用于Claude Code客户端", "KVD115"),
    ("default,vip分组已被禁用", "KVD115"),
    ("Prompt tokens limit exceeded: 230799 > 91442. To increase, visit the console", "KVD115"),
    ("Your account has reached the set inference limit for the model", "KVD115"),
    ("Failed to connect to api.anthropic.com: ERR_BAD_REQUEST", "KVD115"),
    ("PermissionDeniedError: 403 status code (no body)", "KVD115"),
    ('{"error":"API key 无效或已停用","code":"api_key_invalid"}', "KVD111"),
]
PROGRAMS = [
    ("error sending request for url (http://127.0.0.1:15721/v1/responses)", "KVD308"),
    ("error sending request for url (http://127.0.0.1:8000/v1/responses)", "KVD311"),
    ("Unable to connect to API (ECONNRESET)", "KVD313"),
    ("stream disconnected before completion: error decoding response body", "KVD515"),
    ("Client.__init__() got an unexpected keyword argument 'proxies'", "KVD408"),
    ("Cannot read properties of undefined (reading 'default') api_error", "KVD308"),
    ("AttributeError: 'str' object has no attribute 'dict'", "KVD201"),
    ("Credentials validation failed with status code 404", "KVD201"),
    ("Credentials validation failed with status code 401", "KVD111"),
    ("Credentials validation failed with status code 429", "KVD331"),
    ("Credentials validation failed with status code 502", "KVD330"),
    ("Invalid URL (POST /v1/images/generations/chat/completions)", "KVD204"),
    (f"{BEHIND_THE_URL.format('https://api.minimaxi.com/v1/responses')})", "KVD214"),
    ("FetchError: certificate signature failure, code: CERT_SIGNATURE_FAILURE", "KVD320"),
    (FRAMED, "KVD320"),
    ("Please provide a valid OpenAI model name in: o1, o1-pro", "KVD506"),
    ("Failed to parse config file: TOML parse error at line 21", "KVD409"),
    ("Cannot use 'in' operator to search for 'reasoning' in undefined", "KVD512"),
    ("error: missing Anthropic credentials", "KVD101"),
]


@pytest.mark.parametrize(("text", "code"), [*FRONTS, *DIALECTS, *PERMISSIONS, *PROGRAMS])
def test_first_cause(text: str, code: str) -> None:
    assert rank(symptoms_in(text.splitlines()), {})[0].cause.code == code


# LangChain prints the address of such a page below every 404.
def test_the_name_of_a_help_page_is_no_error() -> None:
    text = "Troubleshooting URL: https://docs.example/errors/MODEL_NOT_FOUND/"
    assert not symptoms_in([text])


@pytest.mark.parametrize(
    "text",
    [
        '10.0.0.7 "POST /v1/chat/completions HTTP/1.1" 200 413 "-" "OpenAI/Python 3.57.0"',
        "< server: cloudflare",
        '"tools": [{"name": "read", "input_schema": {"type": "object"}}]',
        "tokens used 1,524",
        "INFO service=config path=opencode.json loading",
        "请求成功，返回内容长度 512",
    ],
)
def test_lines_of_a_sound_run_mean_nothing(text: str) -> None:
    assert not symptoms_in([text])
