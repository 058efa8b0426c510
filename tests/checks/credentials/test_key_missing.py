from __future__ import annotations

import dataclasses

import pytest

from checks.credentials.key_missing import key_missing
from doctor.connection import Connection, Origin, OriginKind, Setting, Shadowed
from doctor.facts.answers import OutcomeKind
from doctor.facts.machine import Environment
from doctor.models import Confidence, Finding, Status
from doctor.secrets import Secret
from tests.checks.credentials.world import HEALTHY, KEY, NOT_SENT, REFUSED, Given, answers, keys
from tests.kit import connection, environment, run_check

LOCAL = "http://localhost:1234/v1"


def found(
    target: Connection, given: Given | None = None, env: Environment | None = None
) -> tuple[Finding, ...]:
    return run_check(key_missing, target, given, env).findings


def test_an_empty_key_for_a_local_server_is_told_with_the_placeholder_to_use() -> None:
    (finding,) = found(connection(LOCAL, ""), NOT_SENT)
    assert finding.title == "OPENAI_API_KEY is set, but empty"
    assert "Illegal header value b'Bearer '" in finding.explanation
    assert keys(list(finding.changes)) == ["EMPTY"]
    assert all(change.guess for change in finding.changes)


def test_no_made_up_key_is_tried_on_a_public_host() -> None:
    (finding,) = found(connection(key=""), NOT_SENT)
    assert finding.changes == ()
    assert "gateway.example" in finding.explanation


@pytest.mark.parametrize("blank", [" ", "\n", " \r\n"])
def test_blanks_are_no_key(blank: str) -> None:
    (finding,) = found(connection(key=blank), NOT_SENT)
    assert finding.title == "OPENAI_API_KEY holds nothing but blanks"


def test_no_source_and_a_server_that_asks_for_one() -> None:
    (finding,) = found(connection(LOCAL, None), answers(OutcomeKind.KEY_MISSING, "no token"))
    assert finding.title == "No source holds a key for localhost"
    assert finding.confidence is Confidence.HIGH
    assert "no token" in finding.evidence[-1].value


def test_no_source_and_a_public_host_that_was_not_reached_is_likely_a_fault() -> None:
    (finding,) = found(connection(key=None))
    assert finding.confidence is Confidence.MEDIUM
    assert "likely" in finding.explanation


@pytest.mark.parametrize("key", [None, ""])
def test_a_server_that_answers_without_a_key_needs_none(key: str | None) -> None:
    assert run_check(key_missing, connection(key=key), HEALTHY).status is Status.PASS


def test_an_empty_variable_that_hides_the_key_beside_the_url() -> None:
    target = connection(key="")
    assert target.key is not None
    env_file = Origin(OriginKind.FILE, "OPENAI_API_KEY", "~/app/.env", 3)
    base = Origin(OriginKind.FILE, "OPENAI_BASE_URL", "~/app/.env", 2)
    target = dataclasses.replace(
        target,
        key=Setting(Secret(""), target.key.origin, (Shadowed(Secret(KEY), env_file),)),
        base_url=Setting(target.base_url.value, base),
    )
    (finding,) = found(target, NOT_SENT)
    assert keys(list(finding.changes)) == [KEY]
    elsewhere = dataclasses.replace(target, base_url=connection().base_url)
    assert found(elsewhere, NOT_SENT)[0].changes == ()


def test_a_variable_spelled_almost_right_is_named() -> None:
    env = environment({"OPENAI_APIKEY": KEY})
    (finding,) = found(connection(key=None), REFUSED, env)
    assert "OPENAI_APIKEY" in finding.explanation
    assert "OPENAI_API_KEY was meant" in finding.explanation


def test_the_empty_secret_of_a_workflow_is_explained() -> None:
    env = environment({"GITHUB_ACTIONS": "true"})
    (finding,) = found(connection(key=""), NOT_SENT, env)
    assert "GitHub Actions" in finding.explanation
