from __future__ import annotations

import pytest

from checks.credentials.key_in_wrong_header import key_in_wrong_header
from doctor.connection import AuthHeader, Connection, Protocol, SettingName
from doctor.facts.answers import OutcomeKind
from doctor.models import Confidence, Finding, Severity
from tests.checks.credentials.world import HEALTHY, REFUSED, Given, answers, product
from tests.kit import connection, run_check

MISSING = answers(OutcomeKind.KEY_MISSING, "No api key passed in.")


def found(target: Connection, given: Given) -> tuple[Finding, ...]:
    return run_check(key_in_wrong_header, target, given).findings


def claude(
    base: str = "http://10.0.0.5:8000", auth: AuthHeader = AuthHeader.X_API_KEY
) -> Connection:
    return connection(base, client="anthropic-sdk", protocol=Protocol.ANTHROPIC_MESSAGES, auth=auth)


def test_vllm_takes_bearer_alone() -> None:
    (finding,) = found(claude(), {**REFUSED, **product("vllm")})
    assert finding.title == "10.0.0.5 takes no key from x-api-key"
    (change,) = finding.changes
    assert (change.setting, change.value) == (SettingName.AUTH, AuthHeader.BEARER)
    assert not change.guess
    assert finding.explains == ("KVD111",)


def test_new_api_takes_x_api_key_on_messages_only() -> None:
    chat = connection(auth=AuthHeader.X_API_KEY)
    (finding,) = found(chat, {**REFUSED, **product("new-api")})
    assert "/v1/chat/completions" in finding.explanation
    assert found(claude("https://gateway.example"), {**REFUSED, **product("new-api")}) == ()


@pytest.mark.parametrize("auth", [AuthHeader.BEARER, AuthHeader.X_API_KEY])
def test_a_key_that_was_sent_and_did_not_arrive(auth: AuthHeader) -> None:
    (finding,) = found(connection(auth=auth), MISSING)
    (change,) = finding.changes
    assert change.value is not auth
    assert change.guess
    assert "likely" in finding.title


def test_an_answer_that_asks_for_the_other_header() -> None:
    (finding,) = found(connection(), answers(OutcomeKind.KEY_REFUSED, "missing x-api-key header"))
    assert finding.changes[0].value is AuthHeader.X_API_KEY


def test_a_mere_suspicion_is_marked_as_one_and_explains_nothing() -> None:
    (finding,) = found(claude(), REFUSED)
    assert (finding.severity, finding.confidence) == (Severity.INFO, Confidence.LOW)
    assert finding.explains == ()


@pytest.mark.parametrize(
    ("target", "given"),
    [
        (connection(), REFUSED),
        (connection(), {**REFUSED, **product("vllm")}),
        (connection(), HEALTHY),
        (claude(), HEALTHY),
        (claude("https://api.anthropic.com"), REFUSED),
        (connection(), {}),
        (connection(key=None), MISSING),
        (connection(key=""), MISSING),
    ],
)
def test_the_header_is_not_blamed_without_a_sign(target: Connection, given: Given) -> None:
    assert found(target, given) == ()
