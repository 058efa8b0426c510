from __future__ import annotations

import pytest

from checks.credentials.quota_or_permission import quota_or_permission
from doctor import facts
from doctor.connection import Protocol
from doctor.facts.answers import OutcomeKind, TokenState
from doctor.models import Finding, Hop, Severity
from tests.checks.credentials.world import HEALTHY, KEY, REFUSED, Given, answers, keys
from tests.kit import connection, run_check

Q, P = OutcomeKind.QUOTA, OutcomeKind.PERMISSION


def found(given: Given, key: str = KEY) -> tuple[Finding, ...]:
    return run_check(quota_or_permission, connection(key=key), given).findings


@pytest.mark.parametrize(
    ("kind", "message", "code", "title"),
    [
        (Q, "用户额度不足, 剩余额度: ＄0.00", "insufficient_user_quota", "The balance at"),
        (Q, "You exceeded your current quota", "insufficient_quota", "The balance at"),
        (Q, "预扣费额度失败, 用户剩余额度: ＄0.01", "", "The balance at"),
        (
            Q,
            "token quota is not enough, token remain quota: ＄0.02, need quota: ＄0.10",
            "pre_consume_token_quota_failed",
            "The quota of the key is used up",
        ),
        (P, "您的 IP 不在令牌允许访问的列表中", "access_denied", "does not take this key from"),
        (P, "您的IP不在令牌允许访问的列表中", "", "does not take this key from"),
        (P, "该令牌只能在指定网段使用：10.0.0.0/8", "", "does not take this key from"),
        (P, "用户已被封禁", "", "The account behind the key is blocked"),
        (P, "无权访问 vip 分组", "", "The key's group is not allowed"),
        (P, "This token has no access to model qwen3-8b", "", "may not use the model qwen3-8b"),
        (P, "该令牌无权访问模型 qwen3-8b", "", "may not use the model qwen3-8b"),
        (P, "Country, region, or territory not supported", "", "does not serve this country"),
        (P, "User location is not supported for the API use.", "", "does not serve this country"),
        (P, "default,vip分组已被禁用", "", "The key's group is not allowed"),
        (P, "this group only allows Claude Code clients", "", "certain programs only"),
        (P, "Forbidden", "", "knows the key and refuses the request (403)"),
        (Q, "", "", "The balance at"),
    ],
)
def test_what_refuses_is_told_by_text_and_code(
    kind: OutcomeKind, message: str, code: str, title: str
) -> None:
    (finding,) = found(answers(kind, message, error_code=code))
    assert title in finding.title
    assert finding.hop is Hop.GATEWAY
    assert finding.changes == ()
    assert message in finding.explanation


def test_the_program_that_a_gateway_wants_may_pass_where_the_doctor_does_not() -> None:
    given = answers(P, "this group only allows Claude Code clients")
    target = connection(client="claude-code", protocol=Protocol.ANTHROPIC_MESSAGES)
    (finding,) = run_check(quota_or_permission, target, given).findings
    assert finding.severity is Severity.WARNING
    assert "own requests may pass" in finding.explanation


def test_what_is_left_is_told() -> None:
    state = TokenState("GET /api/usage/token/", available=1234.0)
    (finding,) = found({**answers(Q, "令牌额度不足"), facts.TOKEN_STATE: state})
    assert "1,234 quota units left" in [e.value for e in finding.evidence]


@pytest.mark.parametrize("behind", ["-7", "-shop", "-3-7"])
def test_a_part_behind_the_key_is_taken_off(behind: str) -> None:
    (finding,) = found(answers(P, "普通用户不支持指定渠道"), KEY + behind)
    assert keys(list(finding.changes)) == [KEY]


@pytest.mark.parametrize("given", [HEALTHY, REFUSED, {}, answers(OutcomeKind.RATE_LIMITED)])
def test_other_answers_are_none_of_its_business(given: Given) -> None:
    assert found(given) == ()
