"""The cases that vLLM was asked, and how each looks as options of the planner."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from doctor.memory import ModelConfig, Options, model_config
from doctor.memory.reading import known_models

HERE = Path(__file__).parent
CASES = HERE / "cases.json"
RECORDED = HERE.parent / "oracle_recorded.json"

# Options of vLLM's EngineArgs that say nothing of the cache.
_OTHER = frozenset({"limit_mm_per_prompt", "speculative_config"})


def cases() -> list[dict[str, Any]]:
    """``name``, ``options`` and ``live``; the model as ``config`` or by its id in ``model``."""
    found: list[dict[str, Any]] = json.loads(CASES.read_text("utf-8"))
    return found


def recorded() -> dict[str, dict[str, Any]]:
    """vLLM's answers by the case's name."""
    found: dict[str, dict[str, Any]] = json.loads(RECORDED.read_text("utf-8"))
    return found


def raw_config(case: dict[str, Any]) -> dict[str, Any]:
    """The config.json that vLLM was given."""
    if "config" in case:
        return dict(case["config"])
    row = known_models()[case["model"].lower()]
    left_out = case.get("without", ())
    return {key: value for key, value in row["config"].items() if key not in left_out}


def config(case: dict[str, Any]) -> ModelConfig:
    return model_config(raw_config(case), case["name"])


def options(case: dict[str, Any]) -> Options:
    """The case's options in the planner's words."""
    asked = case["options"]
    engine = asked.get("engine", {})
    named = {key: value for key, value in engine.items() if key not in _OTHER}
    speculative = engine.get("speculative_config", {})
    return Options(
        available=asked["available"],
        tensor_parallel_size=asked.get("tp", 1),
        pipeline_parallel_size=asked.get("pp", 1),
        decode_context_parallel_size=asked.get("dcp", 1),
        async_scheduling=asked.get("async", False),
        speculative_tokens=speculative.get("num_speculative_tokens", 0),
        speculative_method=speculative.get("method", ""),
        **named,
    )


def worlds(wanted: list[dict[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Cases of the same number of ranks together, as ``ask.py`` takes them."""
    sizes = sorted({case["options"].get("tp", 1) for case in wanted})
    for size in sizes:
        yield [
            {"name": case["name"], "config": raw_config(case), "options": case["options"]}
            for case in wanted
            if case["options"].get("tp", 1) == size
        ]
