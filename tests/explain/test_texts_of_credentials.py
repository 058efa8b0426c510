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
