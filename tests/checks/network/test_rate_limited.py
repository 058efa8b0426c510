"""KVD331: too many requests."""

from __future__ import annotations

import pytest

from doctor import facts
from doctor.facts.answers import OutcomeKind
from tests.checks.network.world import Given, examine, one, reply, roots, variables

K = OutcomeKind


def failed(message: str = "", kind: K = K.UPSTREAM_UNREACHABLE, **more: object) -> Given:
    return {facts.COMPLETION: reply(kind, message, **{"status": 502, **more})}


@pytest.mark.parametrize(
    ("message", "more", "words"),
    [
        ("", {}, "per address"),
        ("您已达到请求数限制：1分钟内最多请求60次", {"body": "{…}"}, "this user and model"),
        ("当前分组上游负载已饱和，请稍后再试", {"body": "{…}"}, "provider behind the gateway"),
        ("Rate limit reached: 30000 tokens per min", {"body": "{…}"}, "limit of tokens"),
        ("slow down", {"body": "{…}", "retry_after": "12"}, "Come back in 12 s"),
        (
            "slow down",
            {"body": "{…}", "retry_after": "Wed, 21 Oct 2026 07:28:00 GMT"},
            "Come back at Wed, 21 Oct 2026",
        ),
    ],
)
def test_whose_limit_it_is_and_when_to_come_back(
    message: str, more: dict[str, object], words: str
) -> None:
    given = failed(message, K.RATE_LIMITED, status=429, **more)
    findings = examine(variables(), given)
    assert roots(findings) == ["KVD331"]
    assert words in one(findings, "KVD331").explanation


def test_an_exhausted_quota_is_no_rate_limit() -> None:
    given = failed("insufficient_quota", K.QUOTA, status=429)
    assert examine(variables(), given) == ()
