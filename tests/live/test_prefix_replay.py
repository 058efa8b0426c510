"""What the prefix analysis predicts on exact tokens is what the real engine's counters say."""

from __future__ import annotations

import json
import re
import urllib.request
from typing import Any

import pytest

from doctor.prefix.analyse import Analyser
from doctor.prefix.player import Engine
from doctor.prefix.result import Analysis
from doctor.prefix.rewrite import rewritten
from doctor.prefix.stream import Line
from doctor.prefix.tokens import LocalTokens
from doctor.probes.tokenize import EngineTokens
from tests.prefix.requests import RULES, chat

from .servers import RunningServer
from .setup_servers import locate

BLOCK = 32
_LABEL = re.compile(r'(\w+)="([^"]*)"')


def clean() -> list[dict[str, Any]]:
    """Conversations that only grow, two at a time."""
    sent = []
    for first in range(0, 8, 2):
        turns: dict[int, list[str]] = {first: [], first + 1: []}
        for n in range(4):
            for number, history in turns.items():
                history.append(f"question {n} of customer {number}: where is my parcel?")
                sent.append(chat(RULES, *history))
                history.append(f"answer {n}: it left on day {number}.")
    return [{**body, "model": "tiny"} for body in sent]


def sick() -> list[dict[str, Any]]:
    """The same with a clock and the request's id in the system prompt."""
    made = []
    for n, body in enumerate(clean()):
        head = f"Current time: 2026-03-01 09:{n // 60:02}:{n % 60:02}\n"
        head += f"Request id: {n * 2654435761 % 2**64:016x}\n"
        system, *turns = body["messages"]
        made.append({**body, "messages": [{**system, "content": head + system["content"]}, *turns]})
    return made


def predicted(records: list[dict[str, Any]], blocks: int) -> tuple[Analysis, Analyser]:
    tokens = LocalTokens(locate().model)
    analyser = Analyser(Engine(block_size=BLOCK, capacity=blocks, per_token=1), tokens=tokens)
    analyser.lines(Line("log", n, json.dumps(body).encode()) for n, body in enumerate(records, 1))
    return analyser.finish(), analyser


def metrics(server: RunningServer) -> dict[str, float]:
    with urllib.request.urlopen(f"{server.root_url}/metrics") as answer:
        text = answer.read().decode()
    found: dict[str, float] = {}
    for line in text.splitlines():
        if line.startswith("vllm:prefix_cache_"):
            name, _, rest = line.partition("{")
            found[name] = float(rest.rpartition(" ")[2])
        elif line.startswith("vllm:cache_config_info"):
            found["blocks"] = float(dict(_LABEL.findall(line))["num_gpu_blocks"])
    return found


def replay(server: RunningServer, records: list[dict[str, Any]], salt: str) -> tuple[int, int]:
    """(hits, queries) in tokens, as the engine counts them. The salt keeps replays apart."""
    before = metrics(server)
    for body in records:
        asked = {**body, "max_tokens": 1, "temperature": 0, "cache_salt": salt}
        request = urllib.request.Request(
            f"{server.base_url}/chat/completions",
            json.dumps(asked).encode(),
            {"content-type": "application/json", "authorization": f"Bearer {server.api_key}"},
        )
        with urllib.request.urlopen(request) as answer:
            assert json.load(answer)["choices"]
    after = metrics(server)
    hits, queries = (
        round(after[f"vllm:prefix_cache_{name}_total"] - before[f"vllm:prefix_cache_{name}_total"])
        for name in ("hits", "queries")
    )
    return hits, queries


@pytest.mark.parametrize("name", ["clean", "sick"])
def test_predicted_hits_are_the_engines_to_the_block(vllm_server: RunningServer, name: str) -> None:
    records = {"clean": clean, "sick": sick}[name]()
    analysis, _analyser = predicted(records, int(metrics(vllm_server)["blocks"]))

    hits, queries = replay(vllm_server, records, f"as-sent-{name}")

    assert analysis.prompt_tokens == queries
    assert analysis.totals.hits * BLOCK == hits


def test_the_promised_gain_is_what_the_engine_then_shows(vllm_server: RunningServer) -> None:
    records = sick()
    analysis, analyser = predicted(records, int(metrics(vllm_server)["blocks"]))
    better = []
    for body in records:
        place = analyser.lineages.place(analyser.reader.prompt(body))
        better.append(rewritten(body, place))

    hits, _queries = replay(vllm_server, better, "better")

    assert analysis.totals.hits_after * BLOCK == hits
    assert hits > 10 * max(analysis.totals.hits * BLOCK, 1)


def test_a_running_engines_tokens_are_those_of_its_tokenizer(vllm_server: RunningServer) -> None:
    asked = EngineTokens(vllm_server.base_url, None, 60.0)
    own = LocalTokens(locate().model)
    for body in (*clean()[:4], {"prompt": "once upon a time"}):
        assert list(asked.of(body)) == list(own.of(body))
