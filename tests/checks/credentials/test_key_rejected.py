from __future__ import annotations

import pytest

from checks.credentials.key_rejected import key_rejected
from doctor import facts
from doctor.facts.answers import OutcomeKind, TokenState
from doctor.models import Finding, Hop
from tests.checks.credentials.world import (
    HEALTHY,
    KEY,
    REFUSED,
    Given,
    answers,
    keys,
    models_list,
    product,
    told,
)
from tests.kit import connection, run_check

SOURCE = "GET /api/usage/token/"


def found(key: str = KEY, given: Given = REFUSED) -> tuple[Finding, ...]:
    return run_check(key_rejected, connection(key=key), given).findings


def refused_with(message: str) -> Given:
    return answers(OutcomeKind.KEY_REFUSED, message)


def test_host_source_and_masked_key_are_named() -> None:
    (finding,) = found()
    assert finding.title == "gateway.example refuses the key"
    assert "sk-…0up0 from OPENAI_API_KEY" in finding.explanation
    assert "401 Invalid token" in finding.evidence[1].value
    assert finding.hop is Hop.GATEWAY
    assert KEY not in told((finding,))


@pytest.mark.parametrize(
    ("state", "said"),
    [
        (TokenState(SOURCE, expired=True, expires_at=1_760_000_000), "expired on 2025-10-09"),
        (TokenState(SOURCE, expired=False, exhausted=True, available=0.0), "quota is used up"),
        (TokenState(SOURCE, name="shop", expired=False, exhausted=False), "likely it is disabled"),
        (TokenState(SOURCE), "does not know it"),
    ],
)
def test_what_the_gateway_knows_decides(state: TokenState, said: str) -> None:
    (finding,) = found(given={**REFUSED, facts.TOKEN_STATE: state})
    assert said in finding.explanation


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("该令牌已过期", "has expired"),
        ("令牌 shop（#3）额度已用尽", "quota is used up"),
        ("该令牌状态不可用", "is disabled"),
        ("Invalid API key", "does not know it"),
    ],
)
def test_else_the_text_of_the_answer_decides(message: str, said: str) -> None:
    (finding,) = found(given=refused_with(message))
    assert said in finding.explanation


def test_a_key_cut_short_when_it_was_copied() -> None:
    (finding,) = found(KEY[:40], {**REFUSED, **product("new-api")})
    assert '37 characters behind "sk-"' in finding.explanation
    assert "likely" in finding.explanation
    (elsewhere,) = found(KEY[:40], {**REFUSED, **product("litellm")})
    assert "37 characters" not in elsewhere.explanation


def test_a_refusal_of_another_key_is_the_gateways_own() -> None:
    message = "Incorrect API key provided: sk-other*********wxyz."
    (finding,) = found(given=refused_with(message))
    assert "ends in wxyz" in finding.explanation
    (own,) = found(given=refused_with(f"Incorrect API key provided: sk-ma*****{KEY[-4:]}."))
    assert "does not know it" in own.explanation


def test_a_key_that_gets_the_models_list() -> None:
    (finding,) = found(given={**REFUSED, **models_list("m")})
    assert "list of models" in finding.explanation


@pytest.mark.parametrize(
    "slip", [KEY * 2, "sk-" + KEY, KEY + ",", KEY + ";", KEY + "."], ids=range(5)
)
def test_slips_of_copying_are_tried(slip: str) -> None:
    (finding,) = found(slip)
    assert KEY in keys(list(finding.changes))
    assert all(change.guess for change in finding.changes)


@pytest.mark.parametrize(
    "given",
    [
        HEALTHY,
        {},
        answers(OutcomeKind.KEY_MISSING),
        answers(OutcomeKind.QUOTA),
        answers(OutcomeKind.TRANSPORT),
    ],
)
def test_nothing_else_is_a_refusal(given: Given) -> None:
    assert found(given=given) == ()


@pytest.mark.parametrize("key", [f"{KEY}\n", f'"{KEY}"', "sk-你的Key", "EMPTY", ""])
def test_faults_of_shape_are_left_to_their_checks(key: str) -> None:
    assert found(key) == ()
