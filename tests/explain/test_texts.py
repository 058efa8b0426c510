"""The texts that people paste lead to their cause, whatever the language of the program."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doctor.codes import SLUGS
from doctor.explain.rank import in_context, rank
from doctor.explain.read import symptoms_in
from doctor.explain.texts import dictionary

# Text → the codes that may come first. Sources: facts/gateway-clients.md, facts/peers.md §3.
TEXTS = [
    # keys
    (r"httpx.LocalProtocolError: Illegal header value b'Bearer sk-ab\n'", {"KVD102"}),
    ("httpx.LocalProtocolError: Illegal header value b'Bearer '", {"KVD101"}),
    (r"'ascii' codec can't encode character '\u200b' in position 58", {"KVD104"}),
    (r"'ascii' codec can't encode character '\u201d' in position 58", {"KVD103"}),
    ("Cannot convert argument to a ByteString because the character at index 7 has a value of "
     "8220 which is greater than 255.", {"KVD103"}),
    ('net/http: invalid header field value for "Authorization"', {"KVD102"}),
    ("Unexpected char 0x0a at 58 in Authorization value", {"KVD102"}),
    ("Missing environment variable: `TAOTOKEN_API_KEY`.", {"KVD109"}),
    ("The api_key client option must be set either by passing api_key", {"KVD101"}),
    ("未提供令牌 (request id: 20260101)", {"KVD101"}),
    ("该令牌额度已用尽 TokenStatusExhausted[sk-abc***xyz]", {"KVD111"}),
    ("用户额度不足, 剩余额度: ＄0.00", {"KVD115"}),
    ("该令牌无权访问模型 gpt-4o", {"KVD115"}),
    # addresses
    ("Invalid URL (POST /api/v1/chat/completions/chat/completions)", {"KVD204"}),
    ('POST /v1/v1/messages?beta=true HTTP/1.1" 404', {"KVD209"}),
    ("Request URL is missing an 'http://' or 'https://' protocol.", {"KVD206"}),
    ("connect ECONNREFUSED ::1:11434", {"KVD213"}),
    ('Post "http://localhost:8000": dial tcp [::1]:8000: connect: connection refused', {"KVD213"}),
    ("unexpected status 404 Not Found: 404, url: https://relay.example/v1/responses", {"KVD214"}),
    # the network
    ("connect ECONNREFUSED 127.0.0.1:7890", {"KVD301"}),
    ("ProxyError('Unable to connect to proxy', NewConnectionError(", {"KVD301"}),
    ("connect ECONNREFUSED 127.0.0.1:15721", {"KVD308"}),
    ("CC Switch local proxy failed while handling Codex endpoint /responses.", {"KVD308"}),
    ("Using SOCKS proxy, but the 'socksio' package is not installed.", {"KVD303"}),
    ("ValueError: Unknown scheme for proxy URL URL('socks://127.0.0.1:7890')", {"KVD304"}),
    ("[SSL: WRONG_VERSION_NUMBER] wrong version number (_ssl.c:1006)", {"KVD207"}),
    ("http: server gave HTTP response to HTTPS client", {"KVD207"}),
    ("x509: certificate signed by unknown authority", {"KVD320"}),
    ("javax.net.ssl.SSLHandshakeException: PKIX path building failed", {"KVD320"}),
    ("invalid peer certificate: UnknownIssuer", {"KVD320"}),
    ("Error: getaddrinfo ENOTFOUND taotokn.net", {"KVD310"}),
    ("java.net.UnknownHostException: taotokn.net", {"KVD310"}),
    ("HTTP/1.1 407 Proxy Authentication Required", {"KVD307"}),
    ("503 Server Error: Service Unavailable for url: http://localhost:11434/v1/models", {"KVD302"}),
    ("您已达到请求数限制：1分钟内最多请求5次", {"KVD331"}),
    # answers
    ("AttributeError: 'str' object has no attribute 'choices'", {"KVD201"}),
    ("Unexpected token '<', \"<!doctype \"... is not valid JSON", {"KVD201"}),
    ("invalid character '<' looking for beginning of value", {"KVD201"}),
    ("Unexpected character ('<' (code 60)): expected a valid value", {"KVD201"}),
    ("TypeError: Cannot read properties of undefined (reading 'choices')", {"KVD510", "KVD511"}),
    ("undefined is not an object (evaluating 'r.choices')", {"KVD510", "KVD511"}),
    ("TypeError: 'NoneType' object is not subscriptable", {"KVD511"}),
    ("KeyError: 'choices'", {"KVD511"}),
    ("IndexError: list index out of range", {"KVD512"}),
    ("TypeError: Cannot read properties of undefined (reading 'delta')", {"KVD512"}),
    ("stream disconnected before completion: stream closed before response.completed", {"KVD515"}),
    # models and budgets
    ("The model `Tiny` does not exist. Valid aliases: tiny.", {"KVD501"}),
    ("分组 default 下模型 gpt-5 无可用渠道（distributor）", {"KVD505"}),
    ("max_tokens=4096 cannot be greater than max_model_len=2048.", {"KVD601"}),
    ("`thinking.budget_tokens` must be less than `max_tokens`", {"KVD605"}),
    ("max_tokens (4000) must be greater than thinking budget (8192)", {"KVD605"}),
    ("thinking.enabled.budget_tokens: Input should be greater than or equal to 1024", {"KVD516"}),
    ("The thinking budget (52428) is invalid.", {"KVD516"}),
    ("max_tokens must be at least 1, got -186.", {"KVD602"}),
    ("max_tokens_to_sample: -223", {"KVD606"}),
    ('{"model": "a", "max_tokens": -30, "messages": []}', {"KVD606"}),
    ("Invalid 'max_tokens': integer below minimum value. Expected a value >= 1, but got -9"
     " instead.", {"KVD606"}),
    ("-2473 is less than the minimum of 1 - 'max_tokens'", {"KVD606"}),
    ("Conversation has exceeded model's context window", {"KVD602"}),
    ("Codex ran out of room in the model's context window. Start a new thread or clear earlier"
     " history before retrying.", {"KVD602"}),
    ("API Error: The model has reached its context window limit.", {"KVD602"}),
    ("Context limit reached · /compact or /clear to continue", {"KVD602"}),
    ("Error during compaction: Error: Conversation too long. Press esc twice to go up a few"
     " messages and try again.", {"KVD602"}),
    ("prompt exceeds model context window: 370053 > 131072", {"KVD602"}),
    ("token count 203783 exceeds model max context 202752", {"KVD602"}),
    ("invalid params, context window exceeds limit (2013)", {"KVD602"}),
    ("prompt token count of 93854 exceeds the limit of 90000", {"KVD602"}),
    ("Context overflow: prompt too large for the model.", {"KVD602"}),
    ("n_keep: 17,107 >= n_ctx: 4,096", {"KVD602"}),
    ("litellm.ContextWindowExceededError: too much", {"KVD602"}),
    ("超出最大上下文长度, 请清理对话并重试", {"KVD602"}),
    ("对话内容过长，请新建对话", {"KVD602"}),
    ("This model's maximum context length is 6900 tokens. However, you requested 7322 tokens "
     "(6298 in the messages, 1024 in the completion).", {"KVD602"}),
    ("Input prompt (2501 tokens) is too long and exceeds limit of 2048", {"KVD608"}),
    ('"auto" tool choice requires --enable-auto-tool-choice', {"KVD911"}),
    # logins
    ("⚠ Both ANTHROPIC_AUTH_TOKEN and ANTHROPIC_API_KEY set · auth may not work", {"KVD401"}),
    ("Auth conflict: Both a token (ANTHROPIC_AUTH_TOKEN) and an API key (ANTHROPIC_API_KEY) are "
     "set.", {"KVD401"}),
    ("OAuth token has expired. Please obtain a new token", {"KVD406"}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "codes"), TEXTS, ids=[text[:40] for text, _codes in TEXTS])
def test_a_text_leads_to_its_cause(text: str, codes: set[str]) -> None:
    ranked = rank(symptoms_in([text]), {})

    assert ranked, "the text is not known"
    assert ranked[0].cause.code in codes


@pytest.mark.parametrize(
    "text", ['"max_tokens": -1', "max_tokens=-2", "消息过长", "输入队列已满", "context limit: 8192"]
)
def test_what_only_looks_like_a_budget_is_none(text: str) -> None:
    assert symptoms_in([text]) == ()


def test_every_cause_is_a_code_that_exists() -> None:
    codes = {cause.code for entry in dictionary() if isinstance(entry.causes, tuple)
             for cause in entry.causes}  # fmt: skip

    assert codes <= set(SLUGS)


def test_a_general_text_is_silent_beside_the_exception_that_caused_it() -> None:
    log = ["openai.APIConnectionError: Connection error.", r"Illegal header value b'Bearer sk-a\n'"]

    assert [seen.line for seen in symptoms_in(log)] == [2]


def test_what_the_settings_show_comes_first() -> None:
    seen = symptoms_in(["requests.exceptions.HTTPError: 401 Client Error: Unauthorized for url"])
    here = {"KVD103": ".env:1"}

    ranked = rank(in_context(seen, here), here)

    assert (ranked[0].cause.code, ranked[0].here) == ("KVD103", ".env:1")


@given(st.text(max_size=400))
def test_any_text_can_be_read_and_steers_nothing(text: str) -> None:
    for seen in symptoms_in(text.splitlines()):
        assert seen.text.isprintable()
