"""Texts in which one word belongs to another cause, or which only one program prints."""

from __future__ import annotations

import pytest

from doctor.explain.places import Hint
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
    # What stands for a key was sent as it stands.
    ("`${OPENAI_API_KEY}` sent literally → 401 Unauthorized", "KVD106"),
    ("the literal string $OPENAI_API_KEY was sent", "KVD106"),
    ("Incorrect API key provided: ${OPENAI*****KEY}. You can find", "KVD106"),
    ("Incorrect API key provided: {env:OPENAI_API_KEY}.", "KVD106"),
    ("curl -H 'Authorization: Bearer $OPENAI_API_KEY'", "KVD106"),
    # A redirect turned the POST into a GET.
    ('{"error":{"message":"Invalid URL (GET /v1/chat/completions)"}}', "KVD207"),
    ("Cannot GET /v1/messages", "KVD207"),
    ("Invalid URL (POST /v1/chat/completions)", "KVD202"),
    ("bad response status code 404, body: <!DOCTYPE html><html lang=en>", "KVD203"),
    ("Authentication failed: your API key is missing or invalid.", "KVD111"),
    ("Invalid or missing API key", "KVD111"),
    ("Credit balance is too low", "KVD115"),
    ("stream disconnected before completion: You have no credits remaining.", "KVD115"),
    ("stream disconnected before completion: connection refused (os error 111)", "KVD311"),
    ("reqwest::connect: proxy(http://127.0.0.1:1081/) intercepts 'http://127.0.0.1:15789/'",
     "KVD302"),
    ("trying to retrieve the URL: <a href=\"http://localhost:37835/\">", "KVD302"),
    ("<h2>The requested URL could not be retrieved</h2>", "KVD307"),
    ("<!-- ERR_ACCESS_DENIED -->", "KVD307"),
    # Engines.
    ("'_OpNamespace' '_C' object has no attribute 'gptq_marlin_repack'", "KVD907"),
    ("exec: \"vllm serve openai/gpt-oss-20b\": no such file or directory", "KVD916"),
    ("exec: \"vllm\": executable file not found in $PATH", "KVD922"),
    ("VLLMException - No module named 'vllm'", "KVD506"),
    ("the rest of the memory reserved for KV Cache is -1.05GiB.", "KVD802"),
    ("# cuda blocks: 0, # CPU blocks: 4681", "KVD802"),
    ("torch.cuda.OutOfMemoryError: CUDA out of memory.", "KVD813"),
    ("Available KV cache memory: -2.14 GiB", "KVD802"),
    ("Assertion `index out of bounds: 0 <= tmp16 < 40960` failed.", "KVD910"),
    ("Error 803: system has unsupported display driver / cuda driver combination", "KVD811"),
    ("RuntimeError: GPUs with compute capability below 7.0 are not supported.", "KVD920"),
    ("Bfloat16 is only supported on GPUs with compute capability of at least 8.0. Your Tesla "
     "P100-PCIE-16GB GPU has compute capability 6.0.", "KVD920"),
    ("Bfloat16 is only supported on GPUs with compute capability of at least 8.0. Your Tesla T4 "
     "GPU has compute capability 7.5.", "KVD908"),
    ("OSError: /models/r1 does not appear to have a file named configuration_deepseek.py. Checkout "
     "'https://huggingface.co//models/r1/tree/None' for available files.", "KVD913"),
    ("Incorrect API key provided: https://****lETQ. You can find your API key at", "KVD112"),
    ("Incorrect API key provided: sk-or-v1****94f6. You can find your API key at", "KVD108"),
    ('http://172.16.37.200:3138 "GET http://0.0.0.0:25600/get_model_info HTTP/1.1" 403 3582',
     "KVD302"),
    ("Hostname our-server.example.com not verified:", "KVD322"),
    ("InvalidRequestError: The model `gpt-3.5` does not exist", "KVD502"),
    ("InvalidRequestError: The model `gpt-3.5-turbo-0301` does not exist", "KVD501"),
    ("Incorrect API key provided: OPENAI_A**_KEY. You can find your API key at", "KVD106"),
    ("ProxyError('Unable to connect to proxy', OSError('Tunnel connection failed: 407 Proxy "
     "Authentication Required'))", "KVD307"),
    ("ProxyError('Unable to connect to proxy', NewConnectionError('refused'))", "KVD301"),
    ('"proxy.corp.example:8080" cannot be parsed as a URL', "KVD206"),
    ("max_tokens must be at least1, got -736. (parameter=max_tokens, value=-736)", "KVD602"),
    ("requests.exceptions.HTTPError: 401 Client Error: Unauthorized for url: "
     "https://huggingface.co/meta-llama/M/resolve/main/config.json", "KVD913"),
    ("torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 448.00 MiB. GPU 0 has a "
     "total capacty of 79.11 GiB of which 391.12 MiB is free. Process 247516 has 50.52 GiB memory "
     "in use. Process 477367 has 28.19 GiB memory in use. Of the allocated memory 27.48 GiB is "
     "allocated by PyTorch", "KVD805"),
    ("CUDA out of memory. Tried to allocate 160.00 MiB (GPU 0; 79.35 GiB total capacity; 78.58 GiB "
     "already allocated; 145.19 MiB free; 78.58 GiB reserved in total by PyTorch)", "KVD806"),
    ("ministral-3b is not a valid model ID", "KVD502"),
    ("mistralai/ministral-3b is not a valid model ID", "KVD501"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "code"), TEXTS)
def test_first_cause_of_a_text(text: str, code: str) -> None:
    assert rank(symptoms_in([text]), {})[0].cause.code == code


def test_an_error_of_node_is_put_together_from_its_lines() -> None:
    def printed(address: str, port: int) -> list[str]:
        return [
            "TypeError: fetch failed",
            "  [cause]: Error: connect",
            "    errno: -111,",
            "    code: 'ECONNREFUSED',",
            "    syscall: 'connect',",
            f"    address: '{address}',",
            f"    port: {port}",
        ]

    def first(address: str, port: int) -> str:
        return rank(symptoms_in(printed(address, port)), {})[0].cause.code

    assert first("::1", 11434) == "KVD213"
    assert first("127.0.0.1", 7890) == "KVD301"
    assert first("127.0.0.1", 8000) == "KVD311"


def test_the_counters_of_a_prefix_cache_mean_something_together() -> None:
    queries, hits = "vllm:prefix_cache_queries_total 10608", "vllm:prefix_cache_hits_total 0"
    block = "Setting attention block size to 8320 tokens to ensure that"

    def first(*lines: str) -> str | None:
        ranked = rank(symptoms_in(lines), {})
        return ranked[0].cause.code if ranked else None

    assert first(queries, hits) == "KVD708"
    assert first(block, queries, hits) == "KVD708"
    assert "8,320" in str(rank(symptoms_in([block, queries, hits]), {})[0].cause.tell_apart)
    assert first(block) is None
    assert first(queries, "vllm:prefix_cache_hits_total 512") is None
    assert first("vllm:prefix_cache_queries_total 16", hits) is None


def test_a_long_block_and_answers_of_which_nothing_was_cached() -> None:
    block = "Setting attention block size to 2096 tokens to ensure that"
    usage = '"usage": {{"prompt_tokens": {}, "prompt_tokens_details": {{"cached_tokens": {}}}}}'
    load = "Engine 000: Avg prompt throughput: {} tokens/s, Prefix cache hit rate: {}%"

    def first(*lines: str) -> str | None:
        ranked = rank(symptoms_in(lines), {})
        return ranked[0].cause.code if ranked else None

    assert first(block, usage.format(698, 0)) == "KVD708"
    assert first(block, load.format(209.4, 0.0)) == "KVD708"
    # A longer prompt, a hit, no answer at all, the usual block: nothing to say.
    assert first(block, usage.format(6980, 0)) is None
    assert first(block, load.format(209.4, 31.0)) is None
    assert first(block, load.format(0.0, 0.0)) is None
    assert first(block.replace("2096", "16"), load.format(209.4, 0.0)) is None
    assert first(load.format(209.4, 0.0)) is None


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("API Error: 403 Invalid Token", "KVD405"),
        ("401 Unauthorized: Incorrect API key provided: 01234567***0123.", "KVD108"),
        ("Credit balance is too low", "KVD402"),
        ("Invalid API key \u00b7 Fix external API key", "KVD405"),
        ("stream disconnected before completion: You have no credits remaining.", "KVD403"),
    ],
)
def test_a_login_here_decides_what_a_refusal_means(text: str, code: str) -> None:
    here = {code: "~/.made-up"}
    assert rank(in_context(symptoms_in([text]), here), here)[0].cause.code == code


LOW_CREDIT = "Your credit balance is too low to access the Anthropic API."


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ('{"error": "worker_error",\n "message": "Claude failed: Credit balance is too low"}',
         "KVD402"),
        (f"API Error: 400 {LOW_CREDIT}", "KVD402"),
        # To a program of one's own the login of Claude Code is nothing.
        (f'400 {{"type": "error", "error": {{"message": "{LOW_CREDIT}"}}}}', "KVD115"),
        (f"anthropic.BadRequestError: {LOW_CREDIT}", "KVD115"),
    ],
)  # fmt: skip
def test_a_login_here_says_something_to_claude_code_alone(text: str, code: str) -> None:
    here = {"KVD402": "~/.made-up"}
    assert rank(in_context(symptoms_in(text.splitlines()), here), here)[0].cause.code == code


@pytest.mark.parametrize(
    "text",
    [
        'curl https://a.example/v1/models -H "Authorization: Bearer $OPENAI_API_KEY"',
        "Authorization: Bearer ${{ secrets.KEY }}",
        "api_key: ${OPENAI_API_KEY}",
    ],
)
def test_a_reference_that_is_filled_in_is_no_fault(text: str) -> None:
    assert "KVD106" not in [cause.code for one in symptoms_in([text]) for cause in one.causes]


def test_a_full_url_has_no_doubled_slash() -> None:
    seen = symptoms_in(["GET https://models.example.com/v1/models 404 Not Found"])
    assert "KVD217" not in [cause.code for one in seen for cause in one.causes[:1]]


def test_a_refusal_in_a_container_is_its_own_localhost() -> None:
    here = {"KVD208": Hint("OPENAI_BASE_URL, environment")}
    refused = "HTTPConnectionPool(host='127.0.0.1', port=8000): Connection refused"
    seen = in_context(symptoms_in([refused]), here)
    assert rank(seen, here)[0].cause.code == "KVD208"


def test_a_container_alone_does_not_outweigh_a_server_that_is_not_there() -> None:
    here = {"KVD208": Hint("OPENAI_BASE_URL, environment")}
    seen = in_context(symptoms_in(["[Errno 111] Connect call failed ('127.0.0.1', 8000)"]), here)
    assert [one.cause.code for one in rank(seen, here)][:2] == ["KVD311", "KVD208"]


def test_a_compose_file_that_says_localhost_outweighs_a_server_that_is_not_there() -> None:
    here = {"KVD208": "docker-compose.yaml:5"}
    seen = in_context(symptoms_in(["[Errno 111] Connect call failed ('127.0.0.1', 8000)"]), here)
    assert rank(seen, here)[0].cause.code == "KVD208"


def test_a_text_that_hides_the_way_may_mean_what_is_seen_of_the_way() -> None:
    here = {"KVD302": "HTTP_PROXY", "KVD113": "~/.env"}
    seen = in_context(symptoms_in(["API Error (Connection error.)"]), here)
    codes = [one.cause.code for one in rank(seen, here)]
    assert codes[0] == "KVD302"
    assert "KVD113" not in codes


def test_a_proxy_without_a_scheme_counts_where_an_address_cannot_be_read() -> None:
    here = {"KVD304": Hint("http_proxy")}
    unread = symptoms_in(['"proxy.corp.example:8080" cannot be parsed as a URL'])
    assert rank(in_context(unread, here), here)[0].cause.code == "KVD304"
    # Most programs put the scheme in front.
    failed = in_context(symptoms_in(["API Error (Connection error.)"]), here)
    assert "KVD304" not in [one.cause.code for one in rank(failed, here)]


def test_the_port_of_a_local_router_names_it() -> None:
    here = {"KVD308": "ANTHROPIC_BASE_URL, environment"}
    seen = in_context(symptoms_in(["Connection refused, a proxy may be blocking it"]), here)
    assert rank(seen, here)[0].cause.code == "KVD308"
