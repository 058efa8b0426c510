"""The SDKs for JavaScript: what they make of the variables of the shell."""

from __future__ import annotations

from types import ModuleType

import pytest

from doctor.clients import anthropic_node, openai_node
from doctor.clients.machine import Machine
from doctor.clients.prediction import Prediction, predict
from doctor.connection import OriginKind
from doctor.facts.machine import Environment
from doctor.settings.places import Places

KEY, TOKEN = "sk-made-up-key-000000", "sk-made-up-token-0000"
HOST = "http://127.0.0.1:8000"
OPENAI, ANTHROPIC = "/chat/completions", "/v1/messages"


def environment(**variables: str) -> Environment:
    return Environment(variables, "linux", home="/home/mu", cwd="/home/mu/app")


def sent(module: ModuleType, **variables: str) -> Prediction:
    here = environment(**variables)
    machine = Machine.of(here, Places.of(here))
    [candidate] = module.find(machine, always=True).candidates
    return predict(candidate.connection, here)


def openai(base: str, key: str = KEY, **more: str) -> Prediction:
    return sent(openai_node, OPENAI_BASE_URL=base, OPENAI_API_KEY=key, **more)


def anthropic(base: str, **more: str) -> Prediction:
    return sent(anthropic_node, **{"ANTHROPIC_BASE_URL": base, "ANTHROPIC_API_KEY": KEY, **more})


@pytest.mark.parametrize(
    ("base", "of_openai", "of_anthropic"),
    [
        ("/v1", f"/v1{OPENAI}", f"/v1{ANTHROPIC}"),
        ("/v1/", f"/v1{OPENAI}", f"/v1{ANTHROPIC}"),
        ("//api", f"//api{OPENAI}", f"//api{ANTHROPIC}"),
        ("/api?utm=x y", f"/api{OPENAI}?utm=x%20y", "/api?utm=x%20y%2Fv1%2Fmessages"),
        ("/api?", f"/api{OPENAI}", "/api?%2Fv1%2Fmessages="),
        ("/api?b=2&b=3&a=~", f"/api{OPENAI}?a=%7E&b=2&b=3", "/api?b=3&a=~%2Fv1%2Fmessages"),
        ("/api?x=1#f", f"/api{OPENAI}?x=1", "/api?x=1"),
        ("/api#x", "/api", "/api"),
        ("/a\npi \n", f"/api{OPENAI}", f"/api{ANTHROPIC}"),
        ("/接口", f"/%E6%8E%A5%E5%8F%A3{OPENAI}", f"/%E6%8E%A5%E5%8F%A3{ANTHROPIC}"),
    ],
)
def test_where_the_request_goes(base: str, of_openai: str, of_anthropic: str) -> None:
    assert openai(HOST + base).url == HOST + of_openai
    assert anthropic(HOST + base).url == HOST + of_anthropic


@pytest.mark.parametrize(
    "base", ["127.0.0.1:8000", '"http://a"', "http://a：/v1", "http://u:p@a/v1", "ftp://a"]
)
def test_what_no_request_is_made_with(base: str) -> None:
    for prediction in (openai(base), anthropic(base)):
        assert prediction.url is None
        assert prediction.refusal


@pytest.mark.parametrize("key", [f"{KEY}\n", f" {KEY}", f"\ufeff{KEY}\u00a0"])
def test_blanks_around_a_key_are_taken_off(key: str) -> None:
    header = openai(HOST, key).auth["authorization"]

    assert header is not None
    assert header.reveal() == f"Bearer {KEY}"


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("sk-你的Key", "the character at index 10 has a value of 20320"),
        (f"{KEY}\u200bx", "greater than 255"),
        ("sk\nmade-up", "invalid header value"),
        ("sk\x01made-up", "invalid authorization header"),
        ("  ", "Missing credentials"),
        ("", "Missing credentials"),
    ],
)
def test_a_key_that_is_refused(key: str, words: str) -> None:
    prediction = openai(HOST, key)

    assert prediction.url is None
    assert prediction.refusal is not None
    assert words in prediction.refusal
    assert not key.strip() or key not in prediction.refusal


def test_of_both_anthropic_takes_the_key_and_sends_it_as_bearer() -> None:
    auth = anthropic(HOST, ANTHROPIC_AUTH_TOKEN=TOKEN).auth

    assert {name: value.reveal() for name, value in auth.items() if value} == {
        "authorization": f"Bearer {KEY}"
    }


def test_an_empty_base_is_the_vendors_own() -> None:
    assert openai(" ").url == f"https://api.openai.com/v1{OPENAI}"


def test_headers_of_the_user_replace_the_key() -> None:
    lines = "X-Team: made-up\nnothing\nAuthorization: Bearer other"

    prediction = openai(HOST, OPENAI_CUSTOM_HEADERS=lines)

    header = prediction.auth["authorization"]
    assert header is not None
    assert header.reveal() == "Bearer other"
    assert {name: value.reveal() for name, value in prediction.headers.items()} == {
        "x-team": "made-up"
    }


@pytest.mark.parametrize(
    ("switch", "proxy"), [({}, None), ({"NODE_USE_ENV_PROXY": "1"}, "http://127.0.0.1:9")]
)
def test_proxy_variables_count_only_where_node_is_told_so(
    switch: dict[str, str], proxy: str | None
) -> None:
    assert openai(HOST, HTTP_PROXY="http://127.0.0.1:9", **switch).proxy == proxy


def test_they_make_no_target_of_their_own_accord() -> None:
    here = environment(OPENAI_API_KEY=KEY, ANTHROPIC_API_KEY=KEY)
    machine = Machine.of(here, Places.of(here))

    for module in (openai_node, anthropic_node):
        assert module.find(machine, always=False).candidates == []


def test_nothing_at_all_is_the_vendors_address_without_a_key() -> None:
    here = environment()
    machine = Machine.of(here, Places.of(here))

    [candidate] = openai_node.find(machine, always=True).candidates

    assert candidate.connection.key is None
    assert candidate.connection.base_url.origin.kind is OriginKind.DEFAULT
