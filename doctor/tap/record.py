"""One exchange as it is told and kept."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from doctor.connection import Protocol
from doctor.facts.answers import ModelsReply, Reply
from doctor.secrets import Secret
from doctor.tap.seen import End
from doctor.token_usage import Usage

SCHEMA = "kvdoctor.tap.request/1"


@dataclass(frozen=True, slots=True)
class Timing:
    """Milliseconds from the moment at which the request's head had come; None for what did not
    happen. ``gap_p50`` and ``gap_p99`` are between the events of a stream, ``longest_gap`` is the
    longest of them."""

    connected: float | None = None
    sent: float | None = None
    headers: float | None = None
    first_token: float | None = None
    total: float | None = None
    gap_p50: float | None = None
    gap_p99: float | None = None
    longest_gap: float | None = None


# Mutable for ``retry_of``, ``body`` and the like, which others fill in or take away.
@dataclass(slots=True)
class Record:
    """All texts are harmless and without keys, but for ``credentials`` and ``body``.

    ``url`` is the one at the server. ``protocol`` None: no request to a model. ``reply`` None: the
    answer says nothing (the program left, it is packed in a way that is not read here).
    ``understood`` says that the request's body could be looked into. ``events`` counts those of a
    stream. ``retry_of`` is the number of the failed request that this repeats.
    """

    number: int
    place: str
    at: float
    method: str
    url: str
    path: str
    protocol: Protocol | None
    headers: tuple[tuple[str, str], ...]
    credentials: dict[str, Secret] = field(repr=False)
    model: str | None
    max_tokens: int | None
    stream: bool
    body_bytes: int
    digest: str
    body: Mapping[str, Any] | None = field(repr=False)
    understood: bool
    status: int | None
    answer_headers: tuple[tuple[str, str], ...]
    answer_bytes: int
    reply: Reply | None = field(repr=False)
    listed: ModelsReply | None = field(repr=False)
    usage: Usage
    timing: Timing
    events: int
    end: End
    trouble: str
    retry_of: int | None = None

    @property
    def asks_model(self) -> bool:
        return self.protocol is not None

    @property
    def failed(self) -> bool:
        """Whether no answer came that a program could use."""
        if self.end in (End.UNREACHED, End.RESET):
            return True
        if self.status is None:
            return self.end is End.CUT
        return self.status >= 400

    @property
    def given_up(self) -> bool:
        """Whether the program left before anything of an answer came."""
        return self.end is End.CLIENT_LEFT and self.status is None

    @property
    def tokens_per_second(self) -> float | None:
        """After the first token; None where too little is known."""
        first, total, written = self.timing.first_token, self.timing.total, self.usage.output
        if first is None or total is None or not written or written < 2 or total <= first:
            return None
        return (written - 1) * 1000 / (total - first)


def document(record: Record, *, prompts: bool = False) -> dict[str, Any]:
    """``kvdoctor.tap.request/1``. With ``prompts`` the body of the request is in it, where
    ``kvdoctor prefix`` looks for it."""
    request: dict[str, Any] = {
        "method": record.method,
        "url": record.url,
        "protocol": None if record.protocol is None else record.protocol.value,
        "headers": [list(pair) for pair in record.headers],
        "model": record.model,
        "max_tokens": record.max_tokens,
        "stream": record.stream,
        "bytes": record.body_bytes,
    }
    if prompts and record.body is not None:
        request["body"] = record.body
    usage = record.usage
    tokens: dict[str, Any] | None = {
        "prompt_tokens": usage.prompt,
        "completion_tokens": usage.output,
        "reasoning_tokens": usage.reasoning,
        "cached_tokens": usage.cached,
    }
    if usage == Usage():
        tokens = None
    elif usage.prompt is not None and usage.cached is not None and tokens is not None:
        # The Messages protocol counts what was cached beside the prompt (token_usage.Usage).
        beside = usage.cached if record.protocol is Protocol.ANTHROPIC_MESSAGES else 0
        tokens["prompt_tokens"] = usage.prompt + beside
        tokens["prompt_tokens_details"] = {"cached_tokens": usage.cached}
    timing = record.timing
    return {
        "schema": SCHEMA,
        "number": record.number,
        "listener": record.place,
        "at": datetime.datetime.fromtimestamp(record.at, datetime.UTC).isoformat(
            timespec="milliseconds"
        ),
        "request": request,
        "response": {
            "status": record.status,
            "headers": [list(pair) for pair in record.answer_headers],
            "bytes": record.answer_bytes,
            "events": record.events,
            "outcome": None if record.reply is None else record.reply.outcome.kind.value,
            "usage": tokens,
        },
        "ms": {name: getattr(timing, name) for name in Timing.__slots__},
        "end": record.end.value,
        "trouble": record.trouble,
        "retry_of": record.retry_of,
    }
