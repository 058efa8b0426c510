from __future__ import annotations

import json
from typing import Any

from checks.prefix.cached_tokens_not_reported import cached_tokens_not_reported
from doctor.connection import Protocol
from doctor.models import Severity, Status
from tests.checks.prefix.engines import past
from tests.checks.prefix.logs import log
from tests.checks.response.replies import only
from tests.kit import connection, run_check


def answer(details: object) -> str:
    usage = {"prompt_tokens": 40, "completion_tokens": 2, "prompt_tokens_details": details}
    return json.dumps({"choices": [], "usage": usage})


def status(details: object = None, **more: Any) -> Status:
    given = past(**{"body": answer(details), **more})
    return run_check(cached_tokens_not_reported, given=given).status


def test_the_flag_is_named_where_somebody_wants_to_know() -> None:
    finding = only(run_check(cached_tokens_not_reported, given=past(body=answer(None))))
    assert "--enable-prompt-tokens-details" in finding.explanation
    assert finding.severity is Severity.INFO


def test_what_is_reported_is_reported() -> None:
    assert status({"cached_tokens": 0}) is Status.PASS


def test_nobody_needs_it_where_the_cache_is_of_use() -> None:
    assert status(rate=0.6) is Status.PASS


def test_older_engines_say_nothing_for_zero() -> None:
    assert status(version="0.23.0") is Status.PASS


def test_an_answer_without_usage_proves_nothing() -> None:
    assert status(body='{"choices": []}') is Status.SKIPPED


def test_other_protocols_have_other_fields() -> None:
    target = connection(protocol=Protocol.ANTHROPIC_MESSAGES, client="anthropic-sdk")
    result = run_check(cached_tokens_not_reported, target, past(body=answer(None)))
    assert result.status is Status.SKIPPED


def test_a_log_whose_answers_leave_it_out() -> None:
    finding = only(run_check(cached_tokens_not_reported, given=log(untold=3)))
    assert finding.severity is Severity.INFO
    assert "--enable-cache-report" in finding.explanation


def test_a_log_whose_answers_tell_it_or_that_has_none() -> None:
    for given in (log(), log(untold=3, reported=5)):
        assert run_check(cached_tokens_not_reported, given=given).status is Status.PASS
