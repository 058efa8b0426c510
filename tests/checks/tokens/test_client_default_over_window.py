from __future__ import annotations

import dataclasses

from checks.tokens.client_default_over_window import client_default_over_window
from checks.tokens.max_tokens_over_window import max_tokens_over_window
from doctor import facts
from doctor.connection import Connection, Origin, OriginKind, Protocol, Setting
from doctor.facts.answers import OutcomeKind, Product
from doctor.models import Confidence, Status
from tests.checks.response.replies import Given, models, only, reply, values
from tests.kit import connection, run_check

CLAUDE_CODE = connection(
    client="claude-code", protocol=Protocol.ANTHROPIC_MESSAGES, model="qwen3-8b"
)


def with_default(tokens: int) -> Connection:
    default = Setting(tokens, Origin(OriginKind.DEFAULT, "default"))
    return dataclasses.replace(connection(), max_tokens=default)


def test_claude_codes_default_over_the_window_of_vllm() -> None:
    given: Given = {
        facts.COMPLETION: reply(),
        facts.MODELS: models("qwen3-8b", window=16_384),
        facts.PRODUCT: Product("vllm", "0.33.0", ()),
    }

    finding = only(run_check(client_default_over_window, CLAUDE_CODE, given))

    assert finding.title == "The client's default max_tokens of 32,000 is over the window of 16,384"
    assert "CLAUDE_CODE_MAX_OUTPUT_TOKENS" in finding.explanation
    assert values(finding) == [12_288]
    assert finding.confidence is Confidence.HIGH


def test_a_default_that_the_settings_tell_is_not_the_users_number() -> None:
    given: Given = {facts.MODELS: models("qwen3-8b", window=16_384)}
    target = with_default(32_000)

    assert values(only(run_check(client_default_over_window, target, given))) == [12_288]
    assert run_check(max_tokens_over_window, target, given).findings == ()


def test_a_refused_default_takes_the_cap() -> None:
    answer = reply(
        OutcomeKind.MAX_TOKENS_REFUSED,
        "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
        status=400,
        limit=8_192,
        request_max_tokens=32_000,
    )

    finding = only(
        run_check(client_default_over_window, with_default(32_000), {facts.COMPLETION: answer})
    )

    assert values(finding) == [8_192]
    assert "output cap of 8,192" in finding.title


def test_a_default_that_fits_passes() -> None:
    given: Given = {facts.MODELS: models("qwen3-8b", window=131_072)}

    assert run_check(client_default_over_window, CLAUDE_CODE, given).status is Status.PASS


def test_a_client_without_a_known_default_is_not_applicable() -> None:
    given: Given = {facts.MODELS: models("qwen3-8b", window=4_096)}

    assert run_check(client_default_over_window, connection(), given).status is Status.SKIPPED


def test_a_configured_number_is_not_a_default() -> None:
    given: Given = {facts.MODELS: models("qwen3-8b", window=16_384)}

    result = run_check(client_default_over_window, connection(max_tokens=32_000), given)

    assert result.findings == ()
