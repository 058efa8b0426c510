"""Texts in which nothing is wrong, or something else is: no cause, or none about an API for models.

The lines are those of real programs and documents: vLLM, Ollama, LiteLLM, new-api, nginx, npm, pip,
git, docker, pytest, Claude Code's list of changes, OpenAI's list of codes.
"""

from __future__ import annotations

import json

import pytest

from doctor.explain.answer import answer
from doctor.explain.rank import rank
from doctor.explain.read import symptoms_in

CHUNK = '{"id":"c1","object":"chat.completion.chunk","choices":[%s]%s}'
SAID = CHUNK % ('{"index":0,"delta":{"content":"404 not found"},"finish_reason":null}', "")
USED = CHUNK % ("", ',"usage":{"prompt_tokens":9,"completion_tokens":12,"total_tokens":21}')
STREAM = f"data: {SAID}\n\ndata: {SAID}\n\ndata: {USED}\n\ndata: [DONE]"

CALM = [
    ("a list of files", "-rw-r--r-- 1 root root  429 Jan  1 00:00 a.py"),
    ("a change's statistics", " src/errors/not_found.py | 404 ++++++++++++"),
    ("ping", "64 bytes from 1.1.1.1: icmp_seq=1 ttl=57 time=404 ms"),
    ("an order", "order 401 shipped to customer 403 at 10:04:04 by truck"),
    ("commits", "a1b2c3d Fix 404 when model is not found (#401)\nd4e5f6a Handle rate limit 429"),
    ("commits of the usual form", "* fix: handle 401 unauthorized (#1234)\n* feat: retry on 429"),
    ("changes", '- Fixed "API key not found" error when using apiKeyHelper\n'
                "- Windows: improved message for a 404 model not found"),
    ("what grep finds", "src/errors.py:23:  raise AuthError('Incorrect API key provided')"),
    ("JavaScript", '  if (res.status === 401) throw new Error("Unauthorized: invalid api key");'),
    ("Python", 'except openai.RateLimitError:\n    logger.warning("rate limit exceeded, waiting")'),
    ("a comparison", "    predicate=lambda r: r.status_code == 429,"),
    ("imports", "import * as ResponsesAPI from '../responses/responses';"),
    ("a difference", '-    raise ValueError("api key missing")\n+    raise Missing("no key")'),
    ("a guide's table", "| Code | Meaning |\n|---|---|\n| 401 | Invalid API key |"),
    ("a guide's sentence", "If the server returns 429 Too Many Requests, wait and try again."),
    ("a Chinese guide", "如果提示“无可用渠道”，说明当前分组下没有该模型。"),
    ("an offer", "While you can provide an `api_key` keyword argument, we recommend a .env file."),
    ("features", "- **Scalable**: Higher rate limits with billing account\n* Connection Timeouts"),
    ("a comment", 'client = make(api_key="sk-made-up"   # Optional: API key for authentication\n)'),
    ("a comment of a shell", "lite config get base_url    # print the stored value"),
    ("tests that passed", "tests/test_api.py::test_rate_limit_429 PASSED\n"
                          "tests/test_api.py::test_invalid_api_key PASSED"),
    ("a browser's icon", 'INFO:     172.17.0.1:5 - "GET /favicon.ico HTTP/1.1" 404 Not Found\n'
                         'INFO:     172.17.0.1:6 - "POST /v1/chat/completions HTTP/1.1" 200 OK'),
    ("nginx", '1.2.3.4 - - [10/Oct/2024:13:55:36 +0000] "GET /static/a.js HTTP/1.1" 404 153 "-"'),
    ("Ollama", '[GIN] 2025/01/15 - 10:01:14 | 200 |  503.1µs |  127.0.0.1 | GET      "/api/tags"\n'
               '[GIN] 2025/01/15 - 10:01:15 | 404 |  401ms |  127.0.0.1 | GET      "/favicon.ico"'),
    ("new-api", '[INFO] 2025/01/15 - 10:01:00 | record consume log: userId=1,'
                ' params={"prompt_tokens":429,"completion_tokens":401,"quota":404}'),
    ("an answer about errors",
     '{"id":"c1","choices":[{"index":0,"message":{"role":"assistant","content":"401 Unauthorized'
     ' means your API key is invalid"},"finish_reason":"stop"}]}'),
    ("limits in headers", "< HTTP/2 200\n< x-ratelimit-limit-requests: 500"),
    ("Claude Code at work", '● The `handle` function throws "API key not found" without a key.\n'
                            "  ⎿  Read 404 lines"),
    ("a log that was cut", "日志输出被截断，完整内容见 /tmp/x.log"),
]  # fmt: skip

OTHERS = [
    ("npm", "npm ERR! 404 Not Found - GET https://registry.npmjs.org/claude-codee - Not found"),
    ("pip", "ERROR: HTTP error 404 while getting https://files.pythonhosted.org/packages/f.tar.gz"),
    ("git", "remote: Invalid username or token.\n"
            "fatal: Authentication failed for 'https://github.com/acme/private.git/'"),
    ("docker", "toomanyrequests: You have reached your pull rate limit."),
    ("kubectl", 'Error from server (NotFound): pods "vllm-0" not found'),
    ("helm", "Error: INSTALLATION FAILED: repo bitnami not found"),
    ("Go's proxy", "go: module x: reading https://proxy.golang.org/x/@v/list: 404 Not Found"),
    ("Ubuntu", "E: Failed to fetch http://archive.ubuntu.com/ubuntu/pool/x.deb  404  Not Found"),
    ("an image's build", "12.11 npm error The `npm ci` command needs a package-lock.json"),
    ("WeChat", '{"errcode":40001,"errmsg":"invalid credential, access_token is invalid"}'),
    ("GitHub", "export GITHUB_API_URL=https://api.github.com\ngh: Not Found (HTTP 404)"),
    ("MongoDB", "MongoServerError: bad auth : authentication failed"),
    ("S3", "botocore.exceptions.ClientError: An error occurred (403) when calling the HeadObject"
           " operation: Forbidden"),
    ("webpack", "Module not found: Error: Can't resolve './Foo' in '/app/src'"),
    ("an index", 'Traceback (most recent call last):\n  File "s.py", line 9, in <module>\n'
                 "    print(nums[i])\n          ~~~~^^^\nIndexError: list index out of range"),
    ("a row", '  File "/app/views.py", line 31, in get\n    user = cursor.fetchone()[0]\n'
                         "TypeError: 'NoneType' object is not subscriptable"),
    ("Java", "java.lang.ArrayIndexOutOfBoundsException: Index 5 out of bounds for length 5"),
    ("Go", "panic: runtime error: index out of range [5] with length 3"),
    ("a terminal without UTF-8", '  File "report.py", line 8, in <module>\n    print(name)\n'
     "UnicodeEncodeError: 'ascii' codec can't encode character '\\xe9' in position 3: ordinal"),
]  # fmt: skip

# What comes near them, and is a failure of a request.
TOLD = [
    ("429", "KVD331"),
    ("HTTP 429 from the gateway", "KVD331"),
    ("litellm.RateLimitError: RateLimitError: OpenAIException - rate limit", "KVD331"),
    ("Rate limit reached for gpt-4o in organization o on tokens per min: Limit 30000", "KVD331"),
    ("api error: status code 404, file client.py:404", "KVD201"),
    ('Error: Unknown provider: "# Optional"', "KVD107"),
    ("npm ERR! request to https://registry.npmjs.org/x failed: self-signed certificate", "KVD320"),
    ("psycopg2.OperationalError: translate host: Name or service not known", "KVD310"),
    ('  File "a.py", line 3, in <module>\n    print(chunk.choices[0].delta)\n'
     "IndexError: list index out of range", "KVD512"),
    ("panic: runtime error: index out of range [0] with length 0", "KVD512"),
    ("● API Error: 401 Unauthorized", "KVD111"),
    (f"{STREAM}\nTypeError: choices[0] is undefined", "KVD512"),
    ("botocore.exceptions.ClientError: An error occurred (403) when calling the InvokeModel"
     " operation: Forbidden", "KVD115"),
]  # fmt: skip


def _first(text: str) -> str:
    ranked = rank(symptoms_in(text.splitlines()), {})
    return ranked[0].cause.code if ranked else "nothing"


@pytest.mark.parametrize("text", [text for _what, text in CALM], ids=[what for what, _t in CALM])
def test_nothing_is_wrong(text: str) -> None:
    assert _first(text) == "nothing"


@pytest.mark.parametrize(
    "text", [text for _what, text in OTHERS], ids=[what for what, _t in OTHERS]
)
def test_no_model_was_asked(text: str) -> None:
    assert _first(text) == "nothing"


@pytest.mark.parametrize(("text", "code"), TOLD)
def test_what_comes_near(text: str, code: str) -> None:
    assert _first(text) == code


GUIDE = "\n".join(
    f"## {title}\n\nThe gateway says `{error}` where it is so.\n\nSee the console.\n"
    for title, error in (
        ("Keys", "Incorrect API key provided"),
        ("Models", "no available channel"),
        ("Limits", "429 Too Many Requests"),
        ("Paths", "404 page not found"),
        ("More", "502 Bad Gateway"),
    )
)


def test_a_guide_tells_of_no_failure() -> None:
    assert answer([line.encode() for line in GUIDE.splitlines()], {}).seen == ()


def test_somebody_who_asks_in_its_form_does() -> None:
    asked = f"{GUIDE}\nI get 404 page not found with the base URL above."
    assert answer([line.encode() for line in asked.splitlines()], {}).seen


def test_an_address_of_another_api_is_not_judged() -> None:
    code = b'const api = axios.create({ baseURL: "https://api.example.com/v1/messages" });'
    assert answer([code], {}).seen == ()


def test_a_source_tells_of_no_failure() -> None:
    source = "import os\n\n\ndef ask(key):\n    '''Ask.'''\n" + "".join(
        f"    value{n} = os.environ.get('OPENAI_API_KEY')\n    if not value{n}:\n"
        "        message = 'OPENAI_API_KEY is not set'\n        return message\n"
        for n in range(6)
    )
    assert symptoms_in(source.splitlines()) == ()


def test_what_was_passed_is_no_test_that_passed() -> None:
    text = "litellm.BadRequestError: LLM Provider NOT provided. You passed model=maker/model-1"
    assert rank(symptoms_in([text]), {})[0].cause.code == "KVD506"


PRINTED = json.dumps(
    {
        "method": "POST",
        "headers": {f"x-header-{number}": "value" for number in range(20)},
        "response": {"status": 404, "error": {"message": "The model `a-1` does not exist"}},
    },
    indent=2,
)
SCRIPT = "\n".join(("from openai import OpenAI", *(f"part_{n} = 'a'" for n in range(24))))


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (PRINTED, "KVD501"),
        (f"{SCRIPT}\nError code: 401 - Unauthorized", "KVD111"),
        (f"{SCRIPT}\n401 Unauthorized", "KVD111"),
        (f"{SCRIPT}\nError [AI_APICallError]: Unauthorized", "KVD111"),
    ],
)
def test_an_error_beside_much_of_a_source_is_told(text: str, code: str) -> None:
    assert rank(symptoms_in(text.splitlines()), {})[0].cause.code == code


def test_a_source_alone_means_nothing() -> None:
    assert not symptoms_in([*SCRIPT.splitlines(), "x = 'Incorrect API key provided: 401'"])
