"""Replies as probes give them, for tests of the checks that read them."""

from __future__ import annotations

from typing import Any

from doctor.facts.answers import Exchange, ModelsReply, Outcome, OutcomeKind, Reply, ServedModel
from doctor.facts.store import Fact
from doctor.models import CheckResult, Finding, Status

Given = dict[Fact[Any], object]

URL = "https://gateway.example/v1/chat/completions"
_EXCHANGE = frozenset(Exchange.__dataclass_fields__)


def reply(kind: OutcomeKind = OutcomeKind.ANSWERED, message: str = "", **more: Any) -> Reply:
    """A reply of ``kind``; ``more`` are fields of the exchange or of the outcome.

    The request asked for qwen3-8b with the doctor's own 16 tokens unless told otherwise.
    """
    exchange: dict[str, Any] = {
        "status": 200,
        "request_model": "qwen3-8b",
        "request_max_tokens": 16,
        "headers": {"content-type": "application/json"},
    }
    outcome: dict[str, Any] = {}
    for name, value in more.items():
        (exchange if name in _EXCHANGE else outcome)[name] = value
    exchange.setdefault("body_bytes", len(exchange.get("body", "")))
    return Reply(
        Exchange(purpose="completion", method="POST", url=URL, **exchange),
        Outcome(kind, message, **outcome),
    )


def models(*ids: str, window: int | None = None, root: str | None = None) -> ModelsReply:
    """A models list of ``ids``."""
    entries = tuple(ServedModel(name, window=window, root=root) for name in ids)
    listed = Exchange("models", "GET", "https://gateway.example/v1/models", 200)
    return ModelsReply(Reply(listed, Outcome(OutcomeKind.ANSWERED)), entries)


def only(result: CheckResult) -> Finding:
    """The one finding of ``result``; anything else fails with what the check said."""
    assert result.status is Status.FINDINGS, (result.status, result.reason)
    assert len(result.findings) == 1
    return result.findings[0]


def values(finding: Finding) -> list[object]:
    """The values that the finding's changes would set, in their order."""
    return [change.value for change in finding.changes]
