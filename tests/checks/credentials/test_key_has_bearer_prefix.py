from __future__ import annotations

import pytest

from checks.credentials.key_has_bearer_prefix import key_has_bearer_prefix
from doctor.connection import AuthHeader
from doctor.models import Finding
from tests.checks.credentials.world import KEY, REFUSED, keys
from tests.kit import connection, run_check


def found(key: str, auth: AuthHeader = AuthHeader.BEARER) -> tuple[Finding, ...]:
    return run_check(key_has_bearer_prefix, connection(key=key, auth=auth), REFUSED).findings


@pytest.mark.parametrize(
    "ahead",
    [
        "Bearer ",
        "bearer ",
        "BEARER\t",
        "Bearer: ",
        "Bearer%20",
        "Bearer",
        "Bearer Bearer ",
        "Token ",
        "Authorization: Bearer ",
        "authorization=Bearer ",
        "x-api-key: ",
    ],
)
def test_the_words_of_the_header_are_taken_off(ahead: str) -> None:
    (finding,) = found(ahead + KEY)
    assert keys(list(finding.changes)) == [KEY]
    assert not finding.changes[0].guess


def test_what_is_sent_is_told() -> None:
    (finding,) = found("Bearer testkey0123456789abcdef")
    assert finding.title == 'The key begins with "Bearer"'
    assert '"Bearer Bearer …" is sent' in finding.explanation


def test_it_is_told_for_the_header_that_the_client_sends() -> None:
    (finding,) = found(f"Bearer {KEY}", AuthHeader.X_API_KEY)
    assert '"x-api-key: Bearer …"' in finding.explanation


@pytest.mark.parametrize("key", [KEY, "token-abc123", "bearer-of-news-0123456789", "Bearer", ""])
def test_a_key_that_only_resembles_one_passes(key: str) -> None:
    assert found(key) == ()
