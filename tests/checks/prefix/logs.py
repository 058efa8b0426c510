"""What the analysis of a log found, for the checks that tell it."""

from __future__ import annotations

from typing import Any

from doctor import facts
from doctor.facts.prefixlog import PrefixCause, PrefixLog, PrefixSource
from doctor.facts.store import Fact

Given = dict[Fact[Any], object]


def log(*causes: PrefixCause, **more: Any) -> Given:
    """A log of 1,000 requests and a million prompt tokens."""
    values: dict[str, Any] = {
        "source": "log.jsonl",
        "requests": 1_000,
        "prompt_tokens": 1_000_000,
        "hit_rate": 0.1,
        "hit_rate_after": 0.9,
        "exact": False,
        "block_size": 16,
    }
    return {facts.PREFIX_LOG: PrefixLog(**(values | more), causes=causes)}


def cause(code: str, kind: str, **more: Any) -> PrefixCause:
    """One that every request has, and that costs half of all tokens."""
    values: dict[str, Any] = {
        "path": "messages[0].content",
        "offset": 14,
        "label": "Now: ",
        "examples": ("09:00", "09:01"),
        "requests": 1_000,
        "distinct": 900,
        "tokens_lost": 500_000,
        "blocks_lost": 31_250,
    }
    return PrefixCause(code, kind, **(values | more))


def source(code: str, kind: str, text: str, **more: Any) -> Given:
    values: dict[str, Any] = {"path": "app.py", "line": 7, "prompt_line": 9}
    return {facts.PREFIX_SOURCES: (PrefixSource(code, kind, text=text, **(values | more)),)}
