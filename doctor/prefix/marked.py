"""Prompts with a mark for the cache (``cache_control``) of which Anthropic kept nothing, since the
marked part is shorter than what the model caches.

Nothing says so but the two counters of the answer, which stay 0. The lengths are those of
Anthropic's page on prompt caching, in public copies of 2025 and 2026; where they differ, as of
Sonnet 4.6, what was measured counts (anthropics/anthropic-sdk-python #1194). Of a model that is not
known the least that any has is taken.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from doctor.facts.prefixlog import PrefixUnkept
from doctor.patterns import Pattern
from doctor.prefix.prompts import Prompt

_LEAST = 512
_MINIMA = (
    (Pattern(r"haiku-4-5|opus-4-[56](?!\d)|mythos-preview"), 4_096),
    (Pattern(r"haiku-3|3-5-haiku|3-haiku|sonnet-4-6|opus-4-7"), 2_048),
    (Pattern(r"3-(?:5|7)-sonnet|sonnet-3|3-opus|opus-3|(?:sonnet|opus)-4(?!-[67])"), 1_024),
)


class Marks:
    """What the answers of a log tell of marked prompts, by model."""

    def __init__(self) -> None:
        self._unkept: dict[str, PrefixUnkept] = {}
        self._kept: set[str] = set()

    def add(self, prompt: Prompt) -> None:
        """Take in a prompt with what its answer tells."""
        if prompt.kept is None or "claude" not in prompt.model:
            return
        if prompt.kept:
            self._kept.add(prompt.model)
            return
        share, total = _marked_share(prompt.body), prompt.prompt_tokens
        least = minimum(prompt.model)
        if share is None or not total or share * total >= least:
            return
        self._add(PrefixUnkept(prompt.model, 1, round(share * total), least, total < least))

    def merge(self, other: Marks) -> None:
        """Take in those of another part of the same log."""
        self._kept |= other._kept
        for one in other._unkept.values():
            self._add(one)

    @property
    def unkept(self) -> tuple[PrefixUnkept, ...]:
        """Of models that kept something of no request."""
        return tuple(one for model, one in self._unkept.items() if model not in self._kept)

    def _add(self, more: PrefixUnkept) -> None:
        known = self._unkept.get(more.model)
        if known is None:
            self._unkept[more.model] = more
            return
        self._unkept[more.model] = PrefixUnkept(
            more.model,
            known.requests + more.requests,
            max(known.marked, more.marked),
            more.minimum,
            known.sure and more.sure,
        )


def minimum(model: str) -> int:
    """How many tokens ``model`` caches at least, also where a vendor's name stands in front."""
    name = model.lower().replace(".", "-")
    return next((least for pattern, least in _MINIMA if pattern.search(name)), _LEAST)


def _marked_share(body: Mapping[str, Any]) -> float | None:
    """Which part of the prompt stands before the end of its last mark; None without any."""
    total = marked = 0
    for block in _blocks(body):
        total += len(block) if isinstance(block, str) else len(json.dumps(block))
        if isinstance(block, dict) and "cache_control" in block:
            marked = total
    if "cache_control" in body:
        marked = total  # the service marks the last block itself
    return marked / total if marked else None


def _blocks(body: Mapping[str, Any]) -> Iterator[Any]:
    """In the order in which Anthropic lays a prompt out."""
    tools, system, turns = body.get("tools"), body.get("system"), body.get("messages")
    yield from tools if isinstance(tools, list) else ()
    yield from _of(system)
    for turn in turns if isinstance(turns, list) else ():
        if isinstance(turn, dict):
            yield from _of(turn.get("content"))


def _of(content: Any) -> Iterable[Any]:
    if isinstance(content, str):
        return (content,)
    return content if isinstance(content, list) else ()
