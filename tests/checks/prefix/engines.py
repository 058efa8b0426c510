"""Engines with a past: so many prompts of such a length, of which so much was found again."""

from __future__ import annotations

from collections.abc import Mapping

from doctor import facts
from tests.checks.engines import Given, at_work, state
from tests.checks.response.replies import reply
from tests.enginemetrics.texts import HOUR, histogram, line


def past(
    requests: int = 1_000,
    prompt: int = 2_000,
    rate: float = 0.01,
    short: float = 0.0,
    cache: Mapping[str, str] | None = None,
    preempted: float = 0,
    version: str = "0.32.0",
    **answer: object,
) -> Given:
    """``short`` is the share of the prompts of at most 10 tokens; ``answer`` are fields of the
    completion's reply."""
    tokens = float(requests * prompt)
    few = requests * short
    more = [
        *histogram(
            "vllm:request_prompt_tokens",
            {"10.0": few, "500.0": few, "5000.0": requests, "+Inf": requests},
            tokens,
        ),
        line("vllm:request_success_total", requests, finished_reason="stop"),
    ]
    values = state(
        prefix_cache_queries=tokens,
        prefix_cache_hits=tokens * rate,
        num_preemptions=preempted,
    )
    given = at_work(values, more=more, cache=cache, uptime=24 * HOUR, version=version)
    given[facts.COMPLETION] = reply(**answer)  # type: ignore[arg-type]
    return given
