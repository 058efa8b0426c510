"""The bodies of reported cases: what each means."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from doctor.connection import Protocol
from doctor.facts.answers import OutcomeKind
from doctor.probes.classify import classify
from tests.probes.answers import exchange

K = OutcomeKind
REPORTS = Path(__file__).parent.parent / "cases" / "reports.jsonl"

# By the kind of fault that the report names, never by its number.
MEANING = {
    "bearer-prefix-in-key": K.KEY_REFUSED,
    "env-inline-comment-as-model": K.MODEL_UNKNOWN,
    "missing-v1": None,  # a page, a server's 404, or a refusal: below
    "full-endpoint-pasted": K.NOT_FOUND,
    "non-v1-version-prefix": K.NOT_FOUND,
    "missing-api-segment": K.NOT_FOUND,
    "client-appends-different-path": K.WEB_PAGE,
    "localhost-through-proxy": K.PROXY_PAGE,
    "local-provider-502": K.UPSTREAM_UNREACHABLE,
    "oauth-setup-token-as-key": K.KEY_REFUSED,
    "path-is-the-name": K.MODEL_UNKNOWN,
    "id-of-another-provider": K.MODEL_UNKNOWN,
    "internal-uuid-sent": K.MODEL_UNKNOWN,
    "vendor-prefix-missing": K.MODEL_UNKNOWN,
    "group-without-channel": K.NO_CHANNEL,
    "typo": K.NO_CHANNEL,
    "stream-chunk-choices-null": K.ANSWERED,
    "azure-content-filter-first-chunk": K.NO_CHOICES,
    "azure-chunk-without-delta": K.NO_CHOICES,
    "usage-only-last-chunk": K.ANSWERED,
    "quota-error-shown-as-choices": K.QUOTA,
    "max-tokens-above-model-cap": K.MAX_TOKENS_REFUSED,
    "context-plus-output-overflow": K.PROMPT_TOO_LONG,
    "thinking-eats-output-budget-stop": K.CONTENT_EMPTY,
    "thinking-eats-output-budget": K.CONTENT_EMPTY,
    "negative-max-tokens": K.PROMPT_TOO_LONG,
    "tokenizer-mismatch-count": K.PROMPT_TOO_LONG,
}
MISSING_V1 = {200: K.WEB_PAGE, 404: K.NOT_FOUND, 401: K.KEY_MISSING}


def reports() -> list[dict[str, Any]]:
    lines = REPORTS.read_text(encoding="utf-8").splitlines()
    found = [json.loads(line) for line in lines]
    return [
        report
        for report in found
        if report["minimal_input"].get("response") and report["kind"] != "prefix-cache"
    ]


@pytest.mark.parametrize("report", reports(), ids=lambda report: report["id"])
def test_the_answer_of_a_report_is_understood(report: dict[str, Any]) -> None:
    response = report["minimal_input"]["response"]
    variables = report["minimal_input"].get("env", {})
    streamed = "event-stream" in response["headers"].get("content-type", "")
    given = exchange(
        response["status"],
        response["body"],
        response["headers"],
        streamed=streamed,
        url=f"{variables.get('OPENAI_BASE_URL', 'https://gateway.example/v1')}/chat/completions",
        via=variables.get("HTTP_PROXY"),
    )
    expected = MEANING[report["subkind"]] or MISSING_V1[response["status"]]
    assert classify(given, Protocol.OPENAI_CHAT).kind is expected
