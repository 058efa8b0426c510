"""``kvdoctor bench`` names what holds a real vLLM back: each engine here is short of one thing.

Servers of their own and minutes of load: KVDOCTOR_LIVE=all.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from .conftest import thorough
from .servers import Route, RunningServer, start_litellm, start_vllm
from .test_bench import FIRST, ROOT, SCHEMA

pytestmark = pytest.mark.skipif(not thorough(), reason="minutes of load: KVDOCTOR_LIVE=all")
# Enough slots that they are not what is short.
MANY = ("--max-num-seqs", "64")
# Weights that never end an answer: a gateway is not asked to ignore the end.
ENDLESS = ("--load-format", "dummy")
TARGET = """\
[targets.shop]
base_url = "{gateway}"
key_env = "SHOP_KEY"
model = "qwen3-8b"
engine = "{engine}"
"""


def swept(home: Path, target: str, *arguments: str, **variables: str) -> dict[str, Any]:
    """The document of a sweep that met its limit. Where other work slowed the small loads down, it
    shows none; then the sweep is done once more."""
    found = once(home, target, *arguments, **variables)
    if not found["knee"]["reached"]:
        found = once(home, target, *arguments, **variables)
    assert found["knee"]["reached"], [level["output_tokens_per_s"] for level in found["levels"]]
    return found


def once(home: Path, target: str, *arguments: str, **variables: str) -> dict[str, Any]:
    done = subprocess.run(
        [*FIRST, sys.executable, "-m", "doctor", "bench", target, *arguments, "--format", "json"],
        env={"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": str(ROOT), **variables},
        cwd=home,
        capture_output=True,
        text=True,
    )
    assert done.stdout, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    jsonschema.validate(found, SCHEMA)
    return found


def of_engine(server: RunningServer, home: Path, *arguments: str) -> dict[str, Any]:
    variables = {"OPENAI_BASE_URL": server.base_url, "OPENAI_API_KEY": server.api_key}
    return swept(home, server.base_url, *arguments, **variables)


def test_a_small_cache(tmp_path: Path) -> None:
    # 40 blocks of 32 tokens: three answers of 400 tokens.
    cache = ("--num-gpu-blocks-override", "40", *MANY)
    with start_vllm(max_model_len=512, extra=cache) as server:
        long = ("--prompt-tokens", "100", "--output-tokens", "300")
        found = of_engine(server, tmp_path, *long, "--up-to", "16", "--requests", "16")
    limit = found["knee"]["limit"]
    assert (limit["kind"], limit["confidence"]) == ("kv-cache", "high"), limit
    # Preempted prompts are computed again, which only the engine's metrics tell.
    assert found["levels"][-1]["engine"]["kv_usage_max"] > 0.9
    assert found["levels"][-1]["errors"] == {}


def test_a_small_budget_of_a_step(tmp_path: Path) -> None:
    step = ("--max-num-batched-tokens", "64", *MANY)
    with start_vllm(extra=step) as server:
        long = ("--prompt-tokens", "1000", "--output-tokens", "8")
        found = of_engine(server, tmp_path, *long, "--up-to", "16", "--requests", "24")
    limit = found["knee"]["limit"]
    assert limit["kind"] == "batch-tokens", limit
    assert found["setup"]["flag --max-num-batched-tokens"] == "64"


@pytest.mark.parametrize("most", ["2", "6"])
def test_few_slots(tmp_path: Path, most: str) -> None:
    with start_vllm(extra=("--max-num-seqs", most)) as server:
        short = ("--output-tokens", "60", "--up-to", "32", "--requests", "32")
        found = of_engine(server, tmp_path, *short)
    limit = found["knee"]["limit"]
    assert (limit["kind"], limit["at"]) == ("max-num-seqs", int(most)), limit


def swept_through(tmp_path: Path, **gateway_options: Any) -> tuple[dict[str, Any], str]:
    """A sweep through LiteLLM to an engine with room to spare; and the engine's address."""
    with (
        start_vllm(extra=(*MANY, *ENDLESS)) as engine,
        start_litellm([Route.to(engine, "qwen3-8b")], **gateway_options) as gateway,
    ):
        text = TARGET.format(gateway=gateway.base_url, engine=engine.base_url)
        (tmp_path / "kvdoctor.toml").write_text(text)
        long = ("--output-tokens", "200", "--requests", "16", "--up-to", "16")
        return swept(tmp_path, "shop", *long, SHOP_KEY=gateway.api_key), engine.root_url


def test_a_gateway_with_few_connections(tmp_path: Path) -> None:
    found, engine = swept_through(tmp_path, variables={"AIOHTTP_CONNECTOR_LIMIT": "2"})
    limit = found["knee"]["limit"]
    assert limit["kind"] == "gateway", limit
    assert found["setup"]["engine"] == engine
    assert found["levels"][-1]["engine"]["running_max"] == 2


def test_a_gateway_that_turns_requests_away(tmp_path: Path) -> None:
    bound = {"router_settings": {"default_max_parallel_requests": 2, "num_retries": 0}}
    found, _engine = swept_through(tmp_path, settings=bound)
    limit = found["knee"]["limit"]
    assert limit["kind"] == "rate-limit", limit


def test_nothing_but_the_processor(tmp_path: Path) -> None:
    with start_vllm(extra=MANY) as server:
        found = of_engine(
            server, tmp_path, "--output-tokens", "100", "--requests", "64", "--up-to", "64"
        )
    # What runs on this machine's own processor delays the client too, which is then said instead.
    assert found["knee"]["limit"]["kind"] in ("compute", "client", "host"), found["knee"]
