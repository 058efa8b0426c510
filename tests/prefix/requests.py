"""Made-up requests, and what the analysis says of them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from doctor.prefix.analyse import analyse
from doctor.prefix.player import Engine
from doctor.prefix.result import Analysis
from doctor.prefix.stream import Line

RULES = "You answer for the shop. " + "Be exact, be brief, name the order. " * 40


def chat(system: str, *turns: str, **more: Any) -> dict[str, Any]:
    """A chat request; ``turns`` alternate between user and assistant."""
    messages = [{"role": "system", "content": system}]
    for number, turn in enumerate(turns):
        messages.append({"role": "assistant" if number % 2 else "user", "content": turn})
    return {"model": "shop-8b", "messages": messages, **more}


def as_lines(records: Iterable[Any]) -> list[Line]:
    return [
        Line("log.jsonl", number, json.dumps(record).encode())
        for number, record in enumerate(records, 1)
    ]


def analysed(records: Iterable[Any], engine: Engine | None = None) -> Analysis:
    return analyse(as_lines(records), engine or Engine())


def codes(analysis: Analysis) -> list[str]:
    """Codes of what really changes, in the order in which it was met."""
    return [cause.kind.code for cause in analysis.causes if cause.distinct > 1]
