"""What the tests of logs share: a text read as ``explain`` reads a file."""

from __future__ import annotations

import io
from pathlib import Path

from doctor.explain.answer import Answer, answer
from doctor.explain.log.source import raw_lines
from doctor.explain.rank import rank

LOGS = Path(__file__).parent / "logs"


def explained(text: str | bytes) -> Answer:
    data = text.encode() if isinstance(text, str) else text
    return answer(raw_lines(io.BytesIO(data)), {})


def first_code(text: str | bytes) -> str | None:
    """The code of the likeliest cause, None where nothing was found."""
    ranked = rank(explained(text).seen, {})
    return ranked[0].cause.code if ranked else None


def failures_observed() -> dict[str, str]:
    """What a real vLLM 0.32.0 printed for each of 14 wrong launches, by a short name."""
    text = (LOGS / "startup-failures-0.32.0.txt").read_text("utf-8")
    found = {}
    for part in text.split("##### ")[1:]:
        name, _newline, lines = part.partition("\n")
        found[name] = lines
    return found
