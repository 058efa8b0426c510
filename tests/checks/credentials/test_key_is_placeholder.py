from __future__ import annotations

import dataclasses

import pytest

from checks.credentials.key_is_placeholder import key_is_placeholder
from doctor.connection import Connection, OriginKind
from doctor.facts.answers import OutcomeKind
from doctor.facts.machine import Environment
from doctor.models import Finding
from tests.checks.credentials.world import (
    HEALTHY,
    KEY,
    NOT_SENT,
    REFUSED,
    Given,
    answers,
    keys,
    models_list,
    told,
    with_key,
)
from tests.kit import connection, environment, run_check

LOCAL = "http://localhost:8000/v1"


def found(
    target: Connection, given: Given = REFUSED, env: Environment | None = None
) -> tuple[Finding, ...]:
    return run_check(key_is_placeholder, target, given, env).findings


@pytest.mark.parametrize(
    "key",
    [
        "sk-你的Key",
        "你的API密钥",
        "your-api-key",
        "YOUR_OPENAI_API_KEY_HERE",
        "sk-your-taotoken-key",
        "yourapikey",
        "<key>",
        "[your key]",
        "{{ API_KEY }}",
        "${{ secrets.OPENAI_API_KEY }}",
        "sk-xxxx",
        "sk-ant-api03-xxxxxxxx",
        "xxxxxxxx",
        "changeme",
        "change-me",
        "insert-key-here",
        "TODO",
        "undefined",
        "sk-...",
        "sk-…",
        "sk-made...0up0",
        "sk-made*****0up0",
        "PROXY_MANAGED",
        '"your-api-key"',
        "Bearer your-api-key",
    ],
)
def test_samples_are_told_for_a_public_host_even_unasked(key: str) -> None:
    (finding,) = found(connection(key=key), {})
    assert (
        "gateway.example" in told((finding,))
        or "expand" in told((finding,))
        or ("shorten" in told((finding,)))
    )
    assert finding.changes == ()


@pytest.mark.parametrize("key", ["EMPTY", "none", "ollama", "lm-studio", "not-needed", "dummy"])
def test_words_for_no_key_are_told_only_where_one_is_asked_for(key: str) -> None:
    (finding,) = found(connection(LOCAL, key), REFUSED)
    assert "localhost asks for one" in finding.explanation
    for given in (HEALTHY, {}, NOT_SENT, answers(OutcomeKind.MODEL_UNKNOWN)):
        assert found(connection(LOCAL, key), given) == ()
    assert found(connection(key=key), {}) == ()


@pytest.mark.parametrize("key", ["sk-xxxx", "your-api-key", "${KEY_NAME}"])
def test_a_local_server_that_was_not_asked_may_take_any_text(key: str) -> None:
    assert found(connection(LOCAL, key), {}) == ()
    assert found(connection(LOCAL, key), HEALTHY) == ()


def test_a_sample_that_cannot_be_sent_is_told_for_a_local_server_too() -> None:
    assert len(found(connection(LOCAL, "sk-你的Key"), NOT_SENT)) == 1


def test_a_models_list_that_a_made_up_key_does_not_get_vouches_for_the_key() -> None:
    assert found(connection(key="EMPTY"), models_list("m")) == ()


def test_an_unexpanded_variable_that_is_set_is_taken_over() -> None:
    env = environment({"TAOTOKEN_API_KEY": KEY})
    (finding,) = found(connection(key="${TAOTOKEN_API_KEY}"), REFUSED, env)
    assert finding.title == "The key is the unexpanded variable TAOTOKEN_API_KEY"
    assert keys(list(finding.changes)) == [KEY]


def test_a_file_of_the_working_folder_cannot_ask_for_a_variable_of_the_user() -> None:
    env = environment({"OPENAI_API_KEY": KEY})
    target = with_key(
        connection(), "${OPENAI_API_KEY}", kind=OriginKind.FILE, path="app/.env", project=True
    )
    (finding,) = found(target, REFUSED, env)
    assert finding.changes == ()


def test_cc_switch_is_named() -> None:
    (finding,) = found(connection(key="PROXY_MANAGED"))
    assert "CC Switch" in finding.title
    local = connection("http://127.0.0.1:15721/v1", "PROXY_MANAGED")
    assert found(local, HEALTHY) == ()
    assert found(local, {}) == ()


@pytest.mark.parametrize(
    "key",
    [
        KEY,
        "sk-change-detection-0123456789abcdef0123",
        "sk-test-0123456789abcdefABCDEF0123456789abcd",
        "hf_madeupmadeupmadeup0123456789",
        "AIzaMADEUPmadeupMADEUPmadeupMADEUPmade",
        "0123456789abcdef0123456789abcdef.madeupmadeupmade",
    ],
)
def test_keys_are_no_placeholders(key: str) -> None:
    assert found(connection(key=key), REFUSED) == ()


def test_where_the_client_expands_another_form_it_is_named() -> None:
    target = dataclasses.replace(
        with_key(connection(), "${TAOTOKEN_API_KEY}", kind=OriginKind.FILE, path="config.yaml"),
        client="continue",
    )
    (finding,) = found(target, REFUSED)
    assert "Write ${{ secrets.TAOTOKEN_API_KEY }}." in finding.explanation
