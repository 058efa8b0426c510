# ruff: noqa: E501 - lines of logs
"""Requests are found in the logs of servers, and in traces that hold no text."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doctor.prefix.analyse import analyse
from doctor.prefix.player import Engine
from doctor.prefix.prompts import Reader
from doctor.prefix.result import Analysis
from doctor.prefix.stream import Line, lines
from doctor.prefix.textlog import TextLog

from .requests import RULES, analysed, chat, codes

HEAD = "(APIServer pid=100) DEBUG 11-29 12:00:0{n} [request_logger.py:{line}] "


def of_text(*texts: str) -> Analysis:
    read = (Line("server.log", number, text.encode()) for number, text in enumerate(texts, 1))
    return analyse(read, Engine())


def clock(n: int) -> str:
    return f"Current time: 2026-03-01 09:00:{n:02}\n{RULES}"


def rendered(n: int) -> str:
    return (
        f"<|im_start|>system\n{clock(n)}<|im_end|>\n"
        f"<|im_start|>user\nquestion {n}<|im_end|>\n<|im_start|>assistant\n"
    )


def vllm_details(n: int) -> str:
    return (
        HEAD.format(n=n, line=53) + f"Request chatcmpl-{n}a details: prompt: {rendered(n)!r},"
        f" prompt_token_ids: [1, 2, {n}], prompt_embeds shape: None."
    )


def vllm_body(n: int) -> str:
    return HEAD.format(n=n, line=75) + f"Request N/A JSON body: {json.dumps(chat(clock(n), 'hi'))}"


def vllm_older(n: int) -> str:
    return (
        f"INFO 03-01 09:00:0{n} [logger.py:43] Received request chatcmpl-{n}: prompt: {rendered(n)!r},"
        " params: SamplingParams(n=1, temperature=0.7), prompt_token_ids: None, lora_request: None."
    )


def new_api(n: int) -> str:
    body = json.dumps(chat(clock(n), f"question {n}"))
    return f"[DEBUG] 2026/03/01 - 09:00:0{n} | 20260301090000abc | requestBody: {body}"


def container(n: int) -> str:
    return f"gateway-1  | {json.dumps({'level': 'info', 'body': chat(clock(n), 'hi there')})}"


@pytest.mark.parametrize("write", [vllm_details, vllm_body, vllm_older, new_api, container])
def test_servers_own_lines(write: Any) -> None:
    noise = 'INFO:     127.0.0.1:5000 - "POST /v1/chat/completions HTTP/1.1" 200 OK'
    analysis = of_text(*(text for n in range(9) for text in (write(n), noise)))

    assert (analysis.requests, codes(analysis)) == (9, ["KVD701"])
    assert analysis.hit_rate_after > 0.7


def test_a_request_that_vllm_logs_twice_counts_once() -> None:
    analysis = of_text(*(text for n in range(9) for text in (vllm_body(n), vllm_details(n))))
    assert analysis.requests == 9


@given(st.text())
def test_a_prompt_is_read_as_it_was_written(text: str) -> None:
    record = TextLog().record(f"Received request x: prompt: {text!r}, params: None")
    assert record is not None
    assert "".join(turn["content"] for turn in record["messages"]) in text


@given(st.text(max_size=300))
def test_any_line_is_read_or_passed_by(text: str) -> None:
    TextLog().record(text)
    TextLog().record(f"Request x details: prompt: '{text}")
    TextLog().record(f"Request x JSON body: {{{text}")


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b'{"model": "m", "prompt": "hi"} x', "Extra data: line 1 column 32"),
        (b'{"model": "m", "prompt": "hi"}}\n', "Extra data: line 1 column 31"),
        (b'{"model": "m", "prompt": "hi', "Unterminated string starting at: line 1 column 26"),
        (b'{"model": "m" "prompt": "hi"}', "Expecting ',' delimiter: line 1 column 15"),
        (b'{"model": "m", "prompt": "\x01"}', "Invalid control character at: line 1 column 27"),
        (b'{"model": "m", "prompt": "\xff"}', "can't decode byte 0xff in position 26"),
        (b' {"model": }', "Expecting value: line 1 column 12"),
        (b'{"modell": "m"}', "no messages, prompt or input"),
    ],
)
def test_a_line_that_cannot_be_read_is_told_with_its_place(line: bytes, why: str) -> None:
    good = b'{"model": "m", "prompt": "hi"}\n'
    analysis = analyse([Line("a.jsonl", 6, good), Line("a.jsonl", 7, line)], Engine())
    assert (analysis.requests, analysis.unread.lines) == (1, 1)
    assert analysis.unread.first.startswith("a.jsonl:7: ")
    assert why in analysis.unread.first


@pytest.mark.parametrize("end", ["", "\n", "\r\n", " \t\n", "\r"])
@pytest.mark.parametrize("begin", ["", " ", "\t\t"])
def test_a_line_may_begin_and_end_with_blanks(begin: str, end: str) -> None:
    assert of_text(f'{begin}{{"model": "m", "prompt": "hi \\ud83d"}}{end}').requests == 1


LITELLM: dict[str, dict[str, Any]] = {
    "spend log": {
        "call_type": "acompletion",
        "model": "openai/shop-8b",
        "messages": {},
        "proxy_server_request": json.dumps(chat("rules", "hello", tools=[{"name": "find"}])),
        "response": {"usage": {"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 4}}},
    },
    "standard payload": {
        "id": "x",
        "model": "shop-8b",
        "messages": chat("rules", "hello")["messages"],
        "model_parameters": {"tools": [{"name": "find"}], "stream": True},
        "response": {"usage": {"prompt_tokens": 9, "prompt_tokens_details": {"cached_tokens": 4}}},
    },
}


@pytest.mark.parametrize("name", LITELLM)
def test_records_of_litellm(name: str) -> None:
    prompt = Reader().prompt(LITELLM[name])
    assert (prompt.model, prompt.system, prompt.turns) == ("shop-8b", "rules", ["user\nhello"])
    assert "find" in prompt.tools
    assert (prompt.cached, prompt.prompt_tokens) == (4, 9)


def test_token_ids_are_counted_exactly() -> None:
    shared = list(range(160))
    records = [{"model": "m", "prompt": [*shared, 1_000 + n]} for n in range(5)]
    analysis = analysed(records)
    assert (analysis.exact, analysis.prompt_tokens) == (True, 5 * 161)
    assert analysis.totals.hits == 4 * 10


@pytest.mark.parametrize(("block", "blocks"), [(512, 2), (16, 64)])
def test_a_trace_of_block_numbers(block: int, blocks: int) -> None:
    shared = list(range(blocks))
    records = [
        {"timestamp": n, "input_length": block * blocks + 5, "hash_ids": [*shared, 900 + n]}
        for n in range(3)
    ]
    analysis = analysed(records)
    assert analysis.exact
    assert analysis.totals.hits * 16 == 2 * block * blocks


def test_a_trace_whose_numbers_do_not_fit_is_told() -> None:
    analysis = analysed([{"input_length": 50_000, "hash_ids": [1, 2]}])
    assert (analysis.requests, analysis.unread.lines) == (0, 1)
    assert "do not fit 50000 tokens" in analysis.unread.first


def image(data: bytes) -> dict[str, Any]:
    url = "data:image/png;base64," + base64.b64encode(data).decode()
    return {"type": "image_url", "image_url": {"url": url}}


def test_an_image_is_told_by_its_bytes_and_is_no_novel() -> None:
    def asked(data: bytes, n: int) -> dict[str, Any]:
        content = [image(data), {"type": "text", "text": f"what is this, the {n}. time"}]
        return {"model": "m", "messages": [{"role": "user", "content": content}]}

    same = analysed(asked(b"a" * 500_000, n) for n in range(4))
    other = analysed(asked(bytes([65 + n]) * 500_000, n) for n in range(4))
    assert same.prompt_tokens < 4 * 700
    assert same.hit_rate > 0.6
    assert other.hit_rate == 0


def test_what_cannot_be_unpacked_says_how(tmp_path: Path) -> None:
    packed = tmp_path / "log.jsonl.zst"
    packed.write_bytes(b"\x28\xb5\x2f\xfd\x00\x00")
    with pytest.raises(OSError, match="zstd -dc FILE"):
        list(lines([str(packed)]))
