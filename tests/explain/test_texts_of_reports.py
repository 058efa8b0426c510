"""Texts in which one word belongs to another cause, or which only one program prints."""

from __future__ import annotations

import pytest

from doctor.explain.rank import in_context, rank
from doctor.explain.read import symptoms_in

TEXTS = [
    # "FileNotFoundError" holds the letters of ENOTFOUND.
    ("FileNotFoundError: [Errno 2] No such file or directory", "KVD321"),
    ("Error: getaddrinfo ENOTFOUND taotokn.net", "KVD310"),
    # In Firefox the property is undefined, not the answer.
    ("TypeError: t.choices is undefined", "KVD511"),
    ('TypeError: can\'t access property "choices", t is undefined', "KVD510"),
    ("POST https://relay.example.com/v1//chat/completions 404 Not Found", "KVD217"),
    ("Invalid URL (POST //v1/chat/completions)", "KVD217"),
    ("OSError: [Errno 111] Connect call failed ('127.0.0.1', 8000)", "KVD311"),
    ("OSError: [Errno 111] Connect call failed ('::1', 8000, 0, 0)", "KVD213"),
    ("openai.InternalServerError: Error code: 502", "KVD330"),
    ("input length and `max_tokens` exceed context limit: 190000 + 21333 > 200000", "KVD602"),
    ("max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens", "KVD601"),
    ("Range of max_tokens should be [1, 8192]", "KVD601"),
    ("Range of input length should be [1, 129024]", "KVD602"),
    (
        "ValueError: max_num_batched_tokens (2048) is smaller than max_model_len (32768).",
        "KVD608",
    ),
    ("{'code': 'DeploymentNotFound', 'message': 'The API deployment does not exist.'}", "KVD501"),
    ("There are no healthy deployments for this model: gpt-4o.", "KVD501"),
    ("models/gemini-pro is not found for API version v1beta", "KVD501"),
    ("Project `x` does not have access to model `gpt-4o`", "KVD115"),
    ("Error: OPENAI_API_KEY is not set", "KVD101"),
    ("KeyError: 'OPENAI_API_KEY'", "KVD101"),
    ("KeyError: 'choices'", "KVD511"),
    ("{'message': \"Incorrect API key provided: 'sk-te*****abcd'.\"}", "KVD103"),
    ("Incorrect API key provided: your-api*****here. You can find", "KVD106"),
    ("Incorrect API key provided: undefined. You can find", "KVD101"),
    ("Incorrect API key provided: Bearer s*****abcd. You can find", "KVD105"),
    ("Incorrect API key provided: sk-te*****abcd. You can find", "KVD111"),
    ("Did not find openai_api_key, please add an environment variable", "KVD101"),
    ("docker: invalid env file (.env): variable 'export A_KEY' contains whitespaces", "KVD116"),
    ("curl: (56) Received HTTP code 407 from proxy after CONNECT", "KVD307"),
    ("OSError: Tunnel connection failed: 403 Forbidden", "KVD307"),
    ("ValueError: check_hostname requires server_hostname", "KVD304"),
    ("Hostname/IP does not match certificate's altnames: Host: a.example.", "KVD322"),
    ("The remote certificate is invalid because of errors in the chain: UntrustedRoot", "KVD320"),
    ("SSL_ERROR_RX_RECORD_TOO_LONG", "KVD207"),
    ("ssl.SSLError: [X509] PEM lib (_ssl.c:4293)", "KVD321"),
    ("InvalidSchema: No connection adapters were found for 'htps://a.example/v1'", "KVD206"),
    ("AxiosError: Unsupported protocol relay.example.com:", "KVD206"),
    ('404 page not found: POST "https://relay.example.com/v1/responses"', "KVD214"),
    ("405 Method Not Allowed: POST https://relay.example.com/chat/completions", "KVD201"),
    ("POST https://relay.example.com/chat/completions 404", "KVD201"),
    ("404 Client Error: Not Found for url: https://relay.example.com/chat/completions", "KVD201"),
    ("Invalid URL (POST /v1/?utm_source=xchat/completions)", "KVD205"),
    ("AttributeError: 'NoneType' object has no attribute 'content'", "KVD512"),
    ("ValueError: No content in response. finish_reason=length", "KVD605"),
    ("Error: completion failed: choices is empty", "KVD510"),
    # Names and symbols before what failed, as other languages and gateways write it.
    ("Unexpected char 0x0a at 80 in Authorization value", "KVD102"),
    ("requests.exceptions.InvalidHeader: Invalid leading whitespace, reserved character(s), or "
     "return character(s) in header value: ' xxx'", "KVD102"),
    ("TypeError: Header 'Authorization' has invalid value: 'Bearer sk-a", "KVD102"),
    ("Error communicating with OpenAI: Please check proxy URL. It is malformed and could be "
     "missing the host.", "KVD304"),
    ("The proxy scheme \"socks://a\" is not supported.", "KVD304"),
    ("HTTPConnectionPool(host='localhost', port=11434): Max retries exceeded (Caused by "
     "NewConnectionError(': [WinError 10061] No connection could be made because the target "
     "machine actively refused it'))", "KVD311"),
    ("Error: could not connect to ollama app, is it running?", "KVD311"),
    ("Unexpected  token < in JSON at position 0", "KVD201"),
    ("error, status code: 403, message: invalid character '<' looking for beginning of value",
     "KVD201"),
    ("Invalid response object from API: '404 Not Found' (HTTP response code was 404)", "KVD201"),
    ("POST https://dashscope.aliyuncs.com/compatible-mode/v1/api/v1/services/aigc 404", "KVD209"),
    ("POST https://api.openai.com/chat/completions 404", "KVD201"),
    ("POST https://generativelanguage.googleapis.com/v1/chat/completions 404", "KVD211"),
    ("404 Model Not Found", "KVD501"),
    ("Model deepseek-v3 not exist.", "KVD501"),
    ("Provider 'Qwen/Qwen3' not found", "KVD501"),
    ("response has no choices", "KVD510"),
    ("TypeError: Received response with null value for `choices`.", "KVD510"),
    ("failed to deserialize api response: error:missing field `status`", "KVD510"),
    ("TypeError: Cannot read properties of undefined (reading 'index')", "KVD512"),
    ("openai.LengthFinishReasonError: Could not parse response content as the length limit was "
     "reached", "KVD514"),
    ("stream error: exceeded retry limit, last status: 401 Unauthorized", "KVD111"),
    ("Missing scopes: api.responses.write.", "KVD403"),
    ("Missing scopes: model.request", "KVD115"),
    ("Both a token (ANTHROPIC_AUTH_TOKEN) and an API key (/login managed key) are set.", "KVD402"),
    ("Both a token (ANTHROPIC_AUTH_TOKEN) and an API key (DOGE_API_KEY) are set.", "KVD401"),
    ("Invalid API key \u00b7 Please run /login", "KVD101"),
    ("令牌已过期或验证不正确", "KVD111"),
    ("余额不足或无可用资源包", "KVD115"),
    ("当前分组 default 下对于模型 gpt-4o 无可用渠道", "KVD505"),
    ("未配置 API Key", "KVD101"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code"), TEXTS)
def test_first_cause_of_a_text(text: str, code: str) -> None:
    assert rank(symptoms_in([text]), {})[0].cause.code == code


def test_a_full_url_has_no_doubled_slash() -> None:
    seen = symptoms_in(["GET https://models.example.com/v1/models 404 Not Found"])
    assert "KVD217" not in [cause.code for one in seen for cause in one.causes[:1]]


def test_a_refusal_in_a_container_is_its_own_localhost() -> None:
    here = {"KVD208": "OPENAI_BASE_URL, environment"}
    seen = in_context(symptoms_in(["[Errno 111] Connect call failed ('127.0.0.1', 8000)"]), here)
    assert rank(seen, here)[0].cause.code == "KVD208"


def test_the_port_of_a_local_router_names_it() -> None:
    here = {"KVD308": "ANTHROPIC_BASE_URL, environment"}
    seen = in_context(symptoms_in(["Connection refused, a proxy may be blocking it"]), here)
    assert rank(seen, here)[0].cause.code == "KVD308"
