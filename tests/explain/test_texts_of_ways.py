"""Keys, addresses and proxies as new reports word them: what several lines, or one, tell."""

from __future__ import annotations

import json

import pytest

from doctor.explain.rank import in_context, rank
from doctor.explain.read import symptoms_in

BEARER = {"type": "error", "error": {"type": "authentication_error",
          "message": "Invalid bearer token"}, "request_id": "req_011made0up"}  # fmt: skip
OPENAI = ("Incorrect API key provided: {key}. You can find your API key at "
          "https://platform.openai.com/account/api-keys.")  # fmt: skip
NO_MODEL = {"error": {"message": "No endpoints found for maker/model:free.", "code": 404}}
LITELLM = """POST Request Sent from LiteLLM:
curl -X POST \\
https://{host}/ai/v1/messages \\
-H 'x-api-key: te****cd' -H 'anthropic-version: 2023-06-01' \\
-d '{{'model': 'made-up'}}'
litellm.AuthenticationError: AnthropicException - 401 Authentication error"""
CURL_V = """> POST /v1/messages HTTP/1.1
> Host: relay.example.com
> x-api-key: made-up
>
< HTTP/1.1 401 Unauthorized"""
AT_ROOT = "POST http://192.168.1.20:8787/chat/completions 401\nAIConfigError: Unauthorized"
LISTED = "\n$ curl -s -w '%{http_code}' -H \"Authorization: Bearer $KEY\" $BASE/models\n200"
SCUTIL = """<dictionary> {
  HTTPEnable : 1
  HTTPPort : 10080
  HTTPProxy : 127.0.0.1
}"""
REGISTRY = """    ProxyEnable    REG_DWORD    0x1
    ProxyServer    REG_SZ    127.0.0.1:7897"""
NETWORKSETUP = "Enabled: Yes\nServer: 127.0.0.1\nPort: 6152\nAuthenticated Proxy Enabled: 0"
GSETTINGS = """org.gnome.system.proxy mode 'manual'
org.gnome.system.proxy.http host '127.0.0.1'
org.gnome.system.proxy.http port 2080"""
ANSWERED_502 = "unexpected status 502 Bad Gateway, url: http://127.0.0.1:15721/v1/responses"
REFUSED = "error sending request for url (https://a.example/v1): Connection refused (os error 61)"

TEXTS = [
    ("a key of OpenRouter at OpenAI", OPENAI.format(key="sk-or-v1****94e4"), "KVD108"),
    ("a key of Groq at OpenAI", OPENAI.format(key="gsk_made****up"), "KVD108"),
    ("a key of xAI at xAI", "Incorrect API key provided: xai-ma***up. You can obtain an API key "
     "from https://console.x.ai.", "KVD111"),
    ("a key as a bearer token at Anthropic", f"401 Unauthorized {json.dumps(BEARER)}", "KVD114"),
    ("the same by the address", "POST https://api.anthropic.com/v1/messages: 401 Invalid bearer "
     "token", "KVD114"),
    ("Claude Code's token is refused", f"API Error: 401 {json.dumps(BEARER)}", "KVD111"),
    ("LiteLLM sent x-api-key elsewhere", LITELLM.format(host="gateway.example.com"), "KVD114"),
    ("curl sent x-api-key elsewhere", CURL_V, "KVD114"),
    ("x-api-key is right at Anthropic", LITELLM.format(host="api.anthropic.com"), "KVD111"),
    ("x-api-key is right at DeepSeek", LITELLM.format(host="api.deepseek.com"), "KVD111"),
    ("a program takes an unknown model for a missing key",
     f"API Key Missing: API error: {json.dumps(NO_MODEL)}. Set OPENROUTER_API_KEY.", "KVD501"),
    ("a missing path says nothing of the key",
     'No API key found: {"detail": "Not Found"}', "KVD101"),
    ("two slashes and a body that is no JSON",
     "POST http://localhost:11434//api/chat\njson.decoder.JSONDecodeError: Expecting value: line 1 "
     "column 1 (char 0)", "KVD217"),
    ("two slashes and a redirect in curl", "> POST //api/chat HTTP/1.1\n>\n< HTTP/1.1 301 Moved "
     "Permanently\n< Location: /api/chat", "KVD217"),
    ("the version twice in a quoted path",
     "Unknown request URL: POST /openai/v1/v1/chat/completions. Please check", "KVD203"),
    ("Groq got the bare base", '{"error":{"message":"Unknown request URL: POST /openai/v1. Please '
     'check the URL for typos","code":"unknown_url"}}', "KVD209"),
    ("new-api got the bare base", "Invalid URL (POST /v1)", "KVD209"),
    ("Express got the bare base", "<pre>Cannot POST /v1</pre>", "KVD209"),
    ("a server's own log has the bare base", '"POST /v1 HTTP/1.1" 404 Not Found', "KVD209"),
    ("a look with a browser is no wrong base", '"GET /v1 HTTP/1.1" 404 Not Found', "KVD201"),
    ("Cursor keeps out of private networks", '{"error":{"type":"client","reason":"ssrf_blocked",'
     '"message":"connection to private IP is blocked","retryable":false}}', "KVD208"),
    ("so does Cursor in other words",
     "Provider returned error: Access to private networks is forbidden", "KVD208"),
    ("so does Bifrost", "connection to private IP 192.168.1.9 is not allowed", "KVD208"),
    ("so does OpenClaw", "blocked URL fetch reason=Blocked hostname or private/internal/special-use"
     " IP address", "KVD208"),
    ("401 at the root", AT_ROOT, "KVD111"),
    ("401 at the root, and the list comes", AT_ROOT + LISTED, "KVD201"),
    ("DeepSeek serves at its root", AT_ROOT.replace("http://192.168.1.20:8787",
     "https://api.deepseek.com") + LISTED, "KVD111"),
    ("Go names one of those it tried", 'Post "http://localhost:11434/api/chat": dial tcp '
     "[::1]:11434: connect: connection refused", "KVD213"),
    ("a gateway's own localhost", 'do request failed: Post "http://localhost:11434/api/chat": dial '
     "tcp [::1]:11434: connect: connection refused", "KVD208"),
    ("::1 in the address itself", 'Post "http://[::1]:8000/v1": dial tcp [::1]:8000: connect: '
     "connection refused", "KVD213"),
    ("Node tried ::1 alone", "connect ECONNREFUSED ::1:11434", "KVD213"),
    ("hyper did not reach the proxy",
     "tunnel error: failed to create underlying connection: tcp connect error", "KVD301"),
    ("okhttp has no name for the proxy", "java.io.IOException: Failed to authenticate with proxy\n"
     "\tat okhttp3.internal.connection.RealConnection.createTunnel(RealConnection.java:418)",
     "KVD307"),
    ("nor has hyper", "error sending request: tunnel error: proxy authorization required",
     "KVD307"),
    ("nor undici", "TypeError: fetch failed\n  [cause]: RequestAbortedError: Proxy response (407) "
     "!== 200 when HTTP Tunneling", "KVD307"),
    ("nor the JDK", "java.io.IOException: Tunnel failed, got: 407", "KVD307"),
    ("nor PySocks", "SOCKS5AuthError: SOCKS5 authentication failed", "KVD307"),
    ("okhttp's proxy refuses", "Unexpected response code for CONNECT: 403", "KVD307"),
    ("Teleport's own proxy refused the connection", "failed to authenticate with proxy "
     "teleport.example.com:3023\n\tdial tcp 10.222.0.8:3023: connect: connection refused",
     "KVD311"),
    ("macOS names a proxy that refuses", f"{SCUTIL}\n{REFUSED}", "KVD301"),
    ("networksetup names it", f"{NETWORKSETUP}\n{REFUSED}", "KVD301"),
    ("GNOME names it", f"{GSETTINGS}\n{REFUSED}", "KVD301"),
    ("Windows' proxy takes loopback", f"{REGISTRY}\n{ANSWERED_502}", "KVD302"),
    ("httpx does not read the system's exceptions", f"{REGISTRY}\n ProxyOverride REG_SZ 127.*;"
     f"<local>\n{ANSWERED_502}", "KVD302"),
    ("a proxy that is on and nothing else", REGISTRY, "KVD306"),
    ("another port refused", f"{SCUTIL}\nconnect ECONNREFUSED 127.0.0.1:8000", "KVD311"),
]  # fmt: skip
NAMES = [
    "SSL: no alternative certificate subject name matches target host name 'a.example'",
    "subjectAltName does not match a.example",
    "SSL: certificate subject name 'b.example' does not match target host name 'a.example'",
    "schannel: SNI or certificate check failed: SEC_E_WRONG_PRINCIPAL (0x80090322)",
    "Error [ERR_TLS_CERT_ALTNAME_INVALID]: Hostname/IP does not match certificate's altnames",
    "x509: certificate is valid for b.example, not a.example",
    "certificate verify failed: Hostname mismatch, certificate is not valid for 'a.example'.",
    "java.security.cert.CertificateException: No subject alternative names matching IP address "
    "10.0.0.1 found",
    "java.security.cert.CertificateException: No name matching a.example found",
    "invalid peer certificate: NotValidForName",
    "invalid peer certificate: certificate not valid for name \"a.example\"",
    "no certificate subject alternative name matches requested host name 'a.example'.",
]  # fmt: skip


def _first(text: str) -> str:
    ranked = rank(symptoms_in(text.splitlines()), {})
    return ranked[0].cause.code if ranked else "nothing"


def _all(text: str) -> set[str]:
    return {one.cause.code for one in rank(symptoms_in(text.splitlines()), {})}


@pytest.mark.parametrize(("text", "code"), [row[1:] for row in TEXTS], ids=[r[0] for r in TEXTS])
def test_first_cause(text: str, code: str) -> None:
    assert _first(text) == code


@pytest.mark.parametrize("text", NAMES)
def test_a_certificate_of_another_name(text: str) -> None:
    assert _first(text) == "KVD322"


def test_a_quote_in_a_file_is_no_cause_where_the_server_shows_the_key_without() -> None:
    here = {"KVD103": ".env:3"}
    seen = symptoms_in([OPENAI.format(key="sk-or-v1****94e4")])

    assert rank(in_context(seen, here), here)[0].cause.code == "KVD108"


def test_a_path_without_a_version_is_named_beside_the_key() -> None:
    assert "KVD201" in _all(AT_ROOT)


def test_a_key_in_both_headers_is_in_no_wrong_one() -> None:
    assert _first(CURL_V.replace(">\n", "> authorization: Bearer made-up\n>\n")) == "KVD111"


@pytest.mark.parametrize(
    "text",
    [
        SCUTIL.replace("HTTPEnable : 1", "HTTPEnable : 0"),
        REGISTRY.replace("0x1", "0x0"),
        GSETTINGS.replace("manual", "none"),
        "POST http://localhost:11434//api/chat HTTP/1.1 200 OK",
        "-H 'x-api-key: te****cd' https://relay.example.com/v1/messages\n200 OK",
        "Enabled: Yes",
    ],
)
def test_what_is_off_or_answered_means_nothing(text: str) -> None:
    assert not symptoms_in(text.splitlines())


RUN = "docker run -d -p 3000:8080 {} --name chat ghcr.io/made/up:main"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (RUN.format("-e OPENAI_API_BASE_URL=http://localhost:8000/v1"), "KVD208"),
        (RUN.format('-e "OLLAMA_BASE_URL=http://127.0.0.1:11434"'), "KVD208"),
        ("$ sudo podman run \\\n  --env VLLM_BASE_URL=http://[::1]:8000/v1 \\\n  img\nIt's up.",
         "KVD208"),
        (RUN.format("-e HTTPS_PROXY=http://127.0.0.1:7890"), "KVD301"),
        (RUN.format("-e OPENAI_BASE_URL=http://localhost:8000/v1")
         + "\nError: connect ECONNREFUSED 127.0.0.1:8000", "KVD208"),
    ],
)  # fmt: skip
def test_a_container_that_is_sent_to_itself(text: str, code: str) -> None:
    assert rank(symptoms_in(text.splitlines()), {})[0].cause.code == code


@pytest.mark.parametrize(
    "options",
    [
        "--network host -e OPENAI_BASE_URL=http://localhost:8000/v1",
        "--net=container:vllm -e OPENAI_BASE_URL=http://localhost:8000/v1",
        "-e OPENAI_BASE_URL=http://host.docker.internal:8000/v1",
        "-e OPENAI_BASE_URL=http://vllm:8000/v1",
        "-e APP_BASE_URL=http://localhost:9000",  # the program's own address
        "-e OPENAI_BASE_URL=http://localhost:8080/v1",  # served in the same container
        "-e MADE_BASE_URL=http://localhost:8000 -e DATABASE_URL=http://localhost:5432",
        "-e OPENAI_BASE_URL=$BASE",
    ],
)
def test_a_container_that_is_sent_elsewhere_means_nothing(options: str) -> None:
    assert not symptoms_in([RUN.format(options)])


def test_an_image_that_brings_the_server_means_nothing() -> None:
    line = "docker run -e OLLAMA_BASE_URL=http://localhost:11434 ghcr.io/made/up:ollama"
    assert not symptoms_in([line])


CODEX_502 = "unexpected status 502 Bad Gateway: {body}, url: {base}/v1/responses"


@pytest.mark.parametrize("body", ["", "Unknown error"])
def test_a_near_address_that_answers_codex_without_a_word(body: str) -> None:
    text = CODEX_502.format(body=body, base="http://127.0.0.1:15721")
    assert [one.cause.code for one in rank(symptoms_in([text]), {})][:2] == ["KVD302", "KVD306"]


@pytest.mark.parametrize(
    ("body", "base"),
    [
        ("", "https://relay.example.com"),
        ('{"error":{"message":"upstream failed"}}', "http://127.0.0.1:15721"),
    ],
)
def test_a_server_elsewhere_and_an_error_of_the_local_one_are_no_proxys(
    body: str, base: str
) -> None:
    found = rank(symptoms_in([CODEX_502.format(body=body, base=base)]), {})
    assert found[0].cause.code not in ("KVD302", "KVD306")
