"""What addresses, keys and ids in the logs of any program say by themselves."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from doctor.explain.context import seen_here
from doctor.explain.rank import in_context, rank
from doctor.explain.read import Seen, symptoms_in
from doctor.facts.machine import Environment
from doctor.secrets import Redactor

BLOCKED = (
    "Cross-Origin Request Blocked: The Same Origin Policy disallows reading the remote resource at"
    " {}. (Reason: CORS header ‘Access-Control-Allow-Origin’ missing). Status code: {}."
)
PRINTED = """Request: {url} {{
    "model": "gemini-2.0-flash",
    "messages": [
        {{
            "role": "user",
            "content": "hi"
        }}
    ],
    "presence_penalty": 0,
    "frequency_penalty": 0,
    "stream": true,
    "temperature": 0.5,
    "top_p": 0.5
}}

Some error has occurred. Statuscode: 404"""
GOOGLE = "https://generativelanguage.googleapis.com/v1beta/openai"
NODE = "url: '{}',\n  statusCode: 404,\n  responseBody: '404 page not found'"
OPENAI_SAYS = (
    "Incorrect API key provided: {}. You can find your API key at"
    " https://platform.openai.com/account/api-keys."
)
DUMPED = """POST http://engine.example:8000/v1/chat/completions
  request headers: {}
INFO: 10.0.0.7:5 - "POST /v1/chat/completions HTTP/1.1" 401 Unauthorized"""
AZURE = "Error code: 404 - {'error': {'code': '404', 'message': 'Resource not found'}}"
NOT_JSON = "HTTP 400: Failed to parse the request body as JSON: {} at line 1 column {}"


def first(text: str) -> str:
    codes = causes(text)
    return codes[0] if codes else ""


def causes(text: str) -> tuple[str, ...]:
    lines = Redactor()(text).splitlines()
    return tuple(each.cause.code for each in rank(symptoms_in(lines), {}))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (BLOCKED.format("https://api.perplexity.ai/v1/models", 404), "KVD216"),
        ("https://relay.example.com/chat/completions returned 404", "KVD201"),
        ("Request to https://api.openai.com/chat/completions failed with 404", "KVD201"),
        ("fetch https://api.groq.com/v1/chat/completions: 404", "KVD202"),
        (NODE.format("http://ollama.example:11434/chat"), "KVD202"),
        (NODE.format("https://ollama.example.com/generate"), "KVD202"),
        (NODE.format("http://127.0.0.1:11434/chat/completions"), "KVD201"),
        (PRINTED.format(url=GOOGLE + "/"), "KVD209"),
        (f"POST {GOOGLE} 404", "KVD209"),
        ("POST https://relay.example.com/v3/openai 404 (Not Found)", "KVD209"),
        (AZURE, "KVD202"),
    ],
)
def test_an_address_that_got_404(text: str, code: str) -> None:
    assert first(text) == code


@pytest.mark.parametrize(
    "text",
    [
        BLOCKED.format("https://api.perplexity.ai/v1/models", 200),
        "GET https://relay.example.com/v1/models returned 200",
    ],
)
def test_an_address_that_was_answered_has_no_wrong_version(text: str) -> None:
    assert not {"KVD201", "KVD216", "KVD209"} & set(causes(text))


def test_a_404_that_speaks_of_the_model_is_none_of_the_path() -> None:
    text = "https://api.example.com/v1/chat/completions failed with 404: model 'x-1' not found"
    assert first(text) == "KVD501"


def test_a_page_named_chat_elsewhere_is_not_ollamas() -> None:
    assert "KVD202" not in causes(NODE.format("https://relay.example.com/chat"))[:1]


def test_a_get_of_the_base_is_no_client_that_adds_nothing() -> None:
    assert first("GET https://relay.example.com/v3/openai 404") != "KVD209"


@pytest.mark.parametrize(
    "key", ["AQ.Ab8RN*****************************UtAA", "AIzaSy****abcd", "xai-abc****wxyz"]
)
def test_another_providers_key_at_openai(key: str) -> None:
    assert first(OPENAI_SAYS.format(key)) == "KVD108"


def test_an_openai_key_at_openai_is_refused_as_such() -> None:
    assert first(OPENAI_SAYS.format("sk-proj-abc****wxyz")) == "KVD111"


@pytest.mark.parametrize(
    "text",
    [
        "Set the environment variable SK-OR-V1-0123456789ABCDEF0123456789ABCDEF and re-run",
        "Missing environment variable: `sk-proj-made0up0made0up0made0up0`.",
        "Environment variable 'gsk_made0up0made0up0made0up0' is not set",
        "env var: AIzaMade0up0made0up0made0up0made0up0made not found",
        "未设置环境变量：sk-made0up0made0up0made0up0made0up0",
    ],
)
def test_a_key_where_the_name_of_a_variable_is_due(text: str) -> None:
    assert first(text) == "KVD109"
    # The key itself, in capitals or not, is not printed again.
    assert "0123456789ABCDEF0123" not in "".join(one.text for one in _seen(text))


@pytest.mark.parametrize(
    "text",
    [
        "Set the environment variable OPENAI_API_KEY and re-run",
        "environment variable HF_HUB_ENABLE_HF_TRANSFER is set to 1",
        "Missing environment variable: `SK_LEARN_DATA_2024_HOME`",
    ],
)
def test_the_name_of_a_variable_is_no_key(text: str) -> None:
    meanings = [str(one.meaning) for one in _seen(text)]
    assert "a key stands where the name of a variable is due" not in meanings


@pytest.mark.parametrize(
    "headers",
    [
        '{"Content-Type"=>"application/json", "X-API-KEY"=>"made-up"}',
        "['X-API-KEY' => 'made-up']",
        "map[Content-Type:[application/json] X-Api-Key:[made-up]]",
        "[(b'x-api-key', b'made-up')]",
    ],
)
def test_a_dump_of_headers_in_any_language(headers: str) -> None:
    assert first(DUMPED.format(headers)) == "KVD114"


def test_a_dump_with_an_empty_header_says_nothing_of_it() -> None:
    assert first(DUMPED.format("map[X-Api-Key:[]]")) != "KVD114"


@pytest.mark.parametrize(
    "text",
    [
        "openrouter/google/gemini-2.5-flash is not a valid model ID",
        "The model `hosted_vllm/qwen3-8b` does not exist.",
        "model 'ollama_chat/llama3' not found",
    ],
)
def test_a_routers_name_before_the_id(text: str) -> None:
    assert first(text) == "KVD506"


@pytest.mark.parametrize(
    "text",
    [
        "The model `openai/gpt-oss-20b` does not exist.",
        "openrouter/auto is not a valid model ID",
        "The model `deepseek/deepseek-v4-flash` does not exist.",
    ],
)
def test_a_vendor_before_the_id_is_no_router(text: str) -> None:
    assert "KVD506" not in causes(text)


def test_a_request_that_arrives_cut_off_is_no_web_page() -> None:
    assert first(NOT_JSON.format("expected value", 1)) == "KVD102"
    assert "KVD102" not in causes(NOT_JSON.format("trailing comma", 40))
    assert first("Error: expected value at line 1 column 1") == "KVD201"


@pytest.mark.parametrize(("slash", "code"), [("/", "KVD217"), ("", "KVD202")])
def test_the_slash_in_a_file_of_azures_own_client_is_seen(
    tmp_path: Path, slash: str, code: str
) -> None:
    text = f"azure:\n  base_url: https://r.openai.azure.com{slash}\n  api_version: 2024-10-21\n"
    (tmp_path / "agent.yaml").write_text(text + "  azure_deployment: made-up\n", "utf-8")
    machine = Environment({"HOME": str(tmp_path)}, "linux", str(tmp_path), str(tmp_path))
    here = asyncio.run(seen_here(machine))
    seen = in_context(symptoms_in([AZURE]), here)
    assert rank(seen, here)[0].cause.code == code


def _seen(text: str) -> tuple[Seen, ...]:
    return symptoms_in(Redactor()(text).splitlines())


def test_a_colon_behind_the_address_is_not_its_own() -> None:
    text = "POST https://relay.example.com/v1/chat/completions: 404 Not Found"
    assert rank(_seen(text), {})[0].cause.code == "KVD202"


NO_ROUTE = '{"error":"Not Found","message":"Route %s not found","timestamp":"2026-02-15T08:27:50Z"}'


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Error: LLM API error: HTTP 404 Not Found: " + NO_ROUTE % "/api", "KVD209"),
        ("请求失败: " + NO_ROUTE % "/claude", "KVD209"),
        ("API Error: 404 " + NO_ROUTE % "/v1/messages?beta=true", "KVD202"),
        ("API Error: 404 " + NO_ROUTE % "/api/chat/completions", "KVD201"),
    ],
)
def test_a_server_that_names_the_route_it_lacks(text: str, code: str) -> None:
    assert rank(symptoms_in([text]), {})[0].cause.code == code


def test_a_route_that_a_browser_may_have_asked_for_is_no_clients() -> None:
    causes = rank(symptoms_in([NO_ROUTE % "/api"]), {})
    assert all(one.cause.code != "KVD209" for one in causes[:1])


@pytest.mark.parametrize(
    "shown",
    [
        "dummy_ap*_key",
        "sk-no-ke******ired",
        "ADD_YOUR*****HERE",
        "my-api-k*y",
        "api_key",
        "placehol***here",
    ],
)
def test_a_placeholder_is_known_by_what_its_mask_leaves(shown: str) -> None:
    text = f"Incorrect API key provided: {shown}. You can find your API key at https://…"
    assert rank(symptoms_in([text]), {})[0].cause.code == "KVD106"


def test_a_placeholder_of_which_deepseek_shows_the_end() -> None:
    text = "Authentication Fails, Your api key: ****_key is invalid"
    assert rank(symptoms_in([text]), {})[0].cause.code == "KVD106"


@pytest.mark.parametrize("shown", ["sk-proj-*****abcd", "sk-myap1*****abcd", "nokia123*****abcd"])
def test_a_masked_key_is_no_placeholder(shown: str) -> None:
    text = f"Incorrect API key provided: {shown}. You can find your API key at https://…"
    assert rank(symptoms_in([text]), {})[0].cause.code != "KVD106"
    other = "Authentication Fails, Your api key: ****ab3y is invalid"
    assert all(one.cause.code != "KVD106" for one in rank(symptoms_in([other]), {}))


def test_an_address_below_a_status_without_its_number() -> None:
    text = "Error [AI_APICallError]: Not Found\n  url: 'https://api.anthropic.com/messages',"
    assert rank(_seen(text), {})[0].cause.code in {"KVD201", "KVD209"}


@pytest.mark.parametrize("path", ["/v1/v1/messages", "/v1/openai/v1/messages", "//v1/messages"])
def test_no_symptom_is_told_without_a_cause(path: str) -> None:
    seen = _seen(f"POST https://relay.example.com{path}: 404 Not Found")
    assert seen
    assert all(one.causes for one in seen)
