"""What an answer says of its tokens, and whose limit cut it.

The fields are those of the protocols: ``usage`` (Gemini: ``usageMetadata``) of a whole body or of
a stream's last events (facts/gateway-clients.md §§2.3, 4.3;
facts/observed/vllm-0.32.0-http-probe.txt). Pure.
"""

from __future__ import annotations

import enum
import json
from collections.abc import Iterator
from typing import Any

from doctor.connection import Connection
from doctor.facts.answers import Exchange, Outcome, OutcomeKind, Reply
from doctor.records import dataclass

# The words of the protocols for "the budget ended": chat, messages, responses, Gemini.
CUT = frozenset({"length", "max_tokens", "max_output_tokens", "incomplete", "MAX_TOKENS"})
# Outcome.oddities: a whole JSON answer where a stream was asked for.
JSON_UNASKED = "json-unasked"
# Some servers count the end token, some do not.
_SLACK = 2


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one answer; None where it is not told. ``output`` includes ``reasoning``, and
    ``prompt`` those that were ``cached``, except in the Messages protocol."""

    prompt: int | None = None
    output: int | None = None
    reasoning: int | None = None
    cached: int | None = None


class Limit(enum.StrEnum):
    """Whose limit on the output an answer was written under."""

    CLIENT = "client"  # the client's own max_tokens
    DOCTOR = "doctor"  # the small one of the doctor's own request: tells nothing
    OTHER = "other"  # neither: more was written than was asked for


def usage_of(exchange: Exchange) -> Usage:
    """The last usage that the answer tells."""
    found = Usage()
    for value in _objects(exchange):
        for holder in (value, value.get("response"), value.get("message")):
            usage = holder.get("usage") if isinstance(holder, dict) else None
            if isinstance(usage, dict):
                found = _read(usage, found)
        generated = value.get("usageMetadata")
        if isinstance(generated, dict):
            found = _of_gemini(generated)
    return found


def limit_of(connection: Connection, exchange: Exchange) -> Limit:
    """Whose limit it was, judged by what was sent and by what was used."""
    sent = exchange.request_max_tokens
    used = usage_of(exchange).output
    if sent is None or (used is not None and used > sent + _SLACK):
        return Limit.OTHER
    own = connection.max_tokens
    return Limit.CLIENT if own is not None and own.value == sent else Limit.DOCTOR


def is_empty(outcome: Outcome) -> bool:
    """Whether the answer has no content, also where it came whole though a stream was asked for."""
    whole = JSON_UNASKED in outcome.oddities and not outcome.text
    return outcome.kind is OutcomeKind.CONTENT_EMPTY or whole


def thinking_took_budget(connection: Connection, reply: Reply) -> bool:
    """Whether an empty answer is empty because reasoning used up a budget of someone else's than
    the doctor. finish_reason may say "stop" all the same (case BR-127)."""
    outcome, exchange = reply.outcome, reply.exchange
    if not is_empty(outcome) or exchange.cancelled:
        return False
    usage = usage_of(exchange)
    limit = limit_of(connection, exchange)
    if limit is Limit.DOCTOR or not (outcome.reasoning or usage.reasoning):
        return False
    if outcome.finish_reason in CUT:
        return True
    sent = exchange.request_max_tokens
    if sent is None or limit is Limit.OTHER:
        # It was not cut by what was asked for, and says itself that it was done.
        return False
    return usage.output is None or usage.output >= sent - _SLACK


def _objects(exchange: Exchange) -> Iterator[dict[str, Any]]:
    for text in exchange.events or (exchange.body,):
        try:
            value = json.loads(text.removeprefix("data:"))
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict):
            yield value


def _read(usage: dict[str, Any], before: Usage) -> Usage:
    details = usage.get("completion_tokens_details") or usage.get("output_tokens_details")
    reasoning = details.get("reasoning_tokens") if isinstance(details, dict) else None
    return Usage(
        prompt=_first_count(usage, ("prompt_tokens", "input_tokens"), before.prompt),
        output=_first_count(usage, ("completion_tokens", "output_tokens"), before.output),
        reasoning=reasoning if _is_count(reasoning) else before.reasoning,
        cached=_cached(usage, before.cached),
    )


def _of_gemini(usage: dict[str, Any]) -> Usage:
    """Google's API counts what was thought beside what was written."""
    prompt, written, thought = (
        usage.get(name) if _is_count(usage.get(name)) else None
        for name in ("promptTokenCount", "candidatesTokenCount", "thoughtsTokenCount")
    )
    output = None if written is None and thought is None else (written or 0) + (thought or 0)
    return Usage(prompt, output, thought)


def _cached(usage: dict[str, Any], otherwise: int | None) -> int | None:
    details = usage.get("prompt_tokens_details") or usage.get("input_tokens_details")
    within = details if isinstance(details, dict) else {}
    told = (within.get("cached_tokens"), usage.get("cache_read_input_tokens"))
    return next((count for count in told if _is_count(count)), otherwise)


def _first_count(
    usage: dict[str, Any], names: tuple[str, ...], otherwise: int | None
) -> int | None:
    counts = (usage.get(name) for name in names)
    return next((count for count in counts if _is_count(count)), otherwise)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
