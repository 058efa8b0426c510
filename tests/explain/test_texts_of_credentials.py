"""A printed request with two credentials: whose they are decides what is wrong."""

from __future__ import annotations

import pytest

from doctor.explain.rank import rank
from doctor.explain.read import symptoms_in
from doctor.secrets import Redactor

TOKEN = "sk-ant-oat01-made-up-0123456789abcdef-AA"
REQUEST = """POST https://{host}/v1/messages
authorization: Bearer {bearer}
x-api-key: {key}
anthropic-version: 2023-06-01

401 Invalid API Key"""


def causes(bearer: str, key: str, host: str = "relay.example.com") -> tuple[str, ...]:
    text = Redactor()(REQUEST.format(bearer=bearer, key=key, host=host))
    return tuple(each.cause.code for each in rank(symptoms_in(text.splitlines()), {}))


def test_a_logins_token_beside_the_gateways_key() -> None:
    assert causes(TOKEN, "sk-made-up-key")[0] == "KVD407"


def test_two_different_keys() -> None:
    one, other = "sk-made-up-0123456789abcdefone1", "sk-made-up-0123456789abcdeftwo2"
    assert causes(one, other)[:2] == ("KVD110", "KVD401")


@pytest.mark.parametrize(
    ("bearer", "key", "host"),
    [
        ("sk-made-up-one", "sk-made-up-one", "relay.example.com"),
        ("sk-…", "sk-…", "relay.example.com"),
        (TOKEN, "sk-made-up-key", "api.anthropic.com"),
    ],
)
def test_what_is_the_same_masked_or_anthropics_own_says_nothing(
    bearer: str, key: str, host: str
) -> None:
    assert not {"KVD407", "KVD110"} & set(causes(bearer, key, host)[:1])


RELAYED = """{sent}
authorization: Bearer {bearer}
anthropic-beta: oauth-2025-04-20

{answer}"""
FOREIGN = "POST /anthropic/v1/messages"
REFUSAL = '401 {"error":{"message":"Invalid Authentication","type":"invalid_authentication_error"}}'


def relayed(sent: str = FOREIGN, bearer: str = TOKEN, answer: str = REFUSAL) -> tuple[str, ...]:
    text = Redactor()(RELAYED.format(sent=sent, bearer=bearer, answer=answer))
    return tuple(each.cause.code for each in rank(symptoms_in(text.splitlines()), {}))


@pytest.mark.parametrize(
    "sent",
    [
        FOREIGN,
        "POST https://relay.example.com/v1/messages",
        "> POST /v1/messages HTTP/1.1\n> Host: relay.example.com",
    ],
)
def test_a_logins_token_that_a_strange_server_refuses(sent: str) -> None:
    assert relayed(sent)[0] == "KVD407"


@pytest.mark.parametrize(
    ("sent", "bearer", "answer"),
    [
        ("POST https://api.anthropic.com/v1/messages", TOKEN, REFUSAL),
        ("POST /v1/messages", TOKEN, REFUSAL),
        # A proxy on this machine may take the token to Anthropic.
        ("POST http://127.0.0.1:4000/anthropic/v1/messages", TOKEN, REFUSAL),
        (FOREIGN, TOKEN, "401 OAuth token has expired"),
        (FOREIGN, TOKEN, "200 OK"),
        (FOREIGN, "sk-made-up-0123456789abcdefone1", REFUSAL),
    ],
)
def test_a_logins_token_where_it_may_belong(sent: str, bearer: str, answer: str) -> None:
    assert "KVD407" not in relayed(sent, bearer, answer)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Could not parse message into JSON: {", "KVD515"),
        ("OSError: It looks like the config file at '/m/x.Q4_K_S.gguf' is not a valid JSON file.",
         "KVD907"),
        ("The OpenAI API can only be accessed over HTTPS. You should access https://api.openai.com"
         " rather than the current URL.", "KVD207"),
        ("[worker_v1.py:270] Available memory: 0, total memory: 65452113920", "KVD802"),
    ],
)  # fmt: skip
def test_first_cause(text: str, code: str) -> None:
    assert rank(symptoms_in([text]), {})[0].cause.code == code
