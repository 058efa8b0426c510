"""What an exchange was, in every protocol that is spoken."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

from doctor.connection import Protocol
from doctor.context import Options
from doctor.facts.answers import OutcomeKind
from doctor.secrets import Redactor
from doctor.tap.heads import Head
from doctor.tap.moments import share_of
from doctor.tap.origins import Origin
from doctor.tap.reading import read
from doctor.tap.record import Record
from doctor.tap.seen import End, Seen
from doctor.tap.upstream import Upstream
from doctor.token_usage import Usage
from tests.live.conformance.answers import answer

KEY = "sk-made0up0made0up0made0up0made0up0"
UPSTREAM = Upstream("x", Origin("https", "gateway.example", 443), Options())
GEMINI = "/v1beta/models/gemini-2.5-pro"


def exchanged(
    target: str, body: dict[str, Any], *, packed: bool = False, end: End = End.COMPLETE
) -> Record:
    head = Head.of(f"POST {target} HTTP/1.1\r\nX-Api-Key: {KEY}\r\n\r\n".encode())
    status, kind, sent = answer(target.partition("?")[0], body)
    encoding = "gzip" if packed else "identity"
    seen = Seen(1, "x", head)
    seen.take(json.dumps(body).encode())
    lines = f"HTTP/1.1 {status} OK", f"content-type: {kind}", f"content-encoding: {encoding}"
    seen.answer = Head.of("\r\n".join((*lines, "", "")).encode())
    sent = gzip.compress(sent) if packed else sent
    for at in range(0, len(sent), 7):
        seen.hear(sent[at : at + 7])
    seen.close(end)
    return read(seen, UPSTREAM, Redactor())


ASKED: dict[str, Any] = {"model": "tiny", "max_tokens": 5, "messages": [], "stream": True}


@pytest.mark.parametrize("packed", [False, True], ids=["plain", "gzip"])
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize(
    ("target", "protocol"),
    [
        ("/v1/chat/completions", Protocol.OPENAI_CHAT),
        ("/api/v1/responses", Protocol.OPENAI_RESPONSES),
        ("/v1/messages?beta=true", Protocol.ANTHROPIC_MESSAGES),
        (f"{GEMINI}:generateContent", Protocol.GEMINI_GENERATE),
        (f"{GEMINI}:streamGenerateContent?alt=sse", Protocol.GEMINI_GENERATE),
    ],
)
def test_model_tokens_and_meaning(
    target: str, protocol: Protocol, stream: bool, packed: bool
) -> None:
    by_path = ":stream" in target
    record = exchanged(target, {**ASKED, "stream": stream}, packed=packed)
    streamed = by_path or (stream and protocol is not Protocol.GEMINI_GENERATE)

    assert record.protocol is protocol
    assert record.url == f"https://gateway.example{target}"
    assert record.model == ("gemini-2.5-pro" if GEMINI in target else "tiny")
    assert record.max_tokens == 5
    assert record.reply is not None
    assert record.reply.outcome.kind is OutcomeKind.ANSWERED
    assert record.reply.outcome.text == "ok"
    assert (record.usage.prompt, record.usage.output) == (1, 1)
    assert (record.timing.first_token is not None) == streamed
    assert record.credentials["x-api-key"].reveal() == KEY
    assert KEY not in repr(record)


def test_a_stream_that_the_program_leaves_is_no_fault() -> None:
    record = exchanged("/v1/chat/completions", ASKED, end=End.CLIENT_LEFT)

    assert not record.failed
    assert record.reply is not None
    assert record.reply.exchange.cancelled


def test_a_request_that_cannot_be_looked_into_is_judged_by_its_answer() -> None:
    head = Head.of(b"POST /v1/responses HTTP/1.1\r\ncontent-encoding: zstd\r\n\r\n")
    seen = Seen(1, "x", head)
    seen.take(b"\x28\xb5\x2f\xfd packed")
    _status, kind, sent = answer("/v1/responses", ASKED)
    seen.answer = Head.of(f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\n\r\n".encode())
    seen.hear(sent)
    seen.close(End.COMPLETE)
    record = read(seen, UPSTREAM, Redactor())

    assert not record.understood
    assert record.stream
    assert record.reply is not None
    assert record.reply.outcome.kind is OutcomeKind.ANSWERED


def test_what_is_packed_in_another_way_is_not_judged() -> None:
    head = Head.of(b"POST /v1/chat/completions HTTP/1.1\r\n\r\n")
    seen = Seen(1, "x", head)
    seen.answer = Head.of(b"HTTP/1.1 200 OK\r\ncontent-encoding: br\r\n\r\n")
    seen.hear(b"\x8b\x00\x80")
    seen.close(End.COMPLETE)
    record = read(seen, UPSTREAM, Redactor())

    assert record.reply is None
    assert record.usage == Usage()
    assert not record.failed


def test_shares() -> None:
    assert share_of([], 0.5) is None
    assert share_of([3.0, 1.0, 2.0], 0.5) == 2.0
    assert share_of([1.0], 0.99) == 1.0
