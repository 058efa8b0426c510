"""The requests that are to be served: how many at once, and how long.

Lengths come from ``--lengths``: a number of tokens, ``P50/P99``, or a request log of one JSON
object per line. Of a log's line the token counts are used where it has them (``usage``,
``total_tokens``, ``prompt_tokens`` with ``completion_tokens``); text is not guessed at.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from doctor.memory.errors import OptionError
from doctor.patterns import Pattern
from doctor.records import dataclass
from doctor.text import _
from doctor.untrusted import visible

_PAIR = Pattern(r"(\d{1,9})(?:[/,:](\d{1,9}))?")
_LINE_LIMIT = 64 * 1024 * 1024
_MOST = 1 << 31


@dataclass(frozen=True, slots=True)
class Demand:
    """Tokens of a request, prompt and answer together. ``requests`` is how many lengths were seen,
    ``at_once`` how many are to run at the same time (None: not told)."""

    at_once: int | None = None
    mean: int | None = None
    median: int | None = None
    p99: int | None = None
    largest: int | None = None
    requests: int = 0
    skipped: int = 0

    @property
    def known(self) -> bool:
        return self.p99 is not None


def demand_of(lengths: str | None, at_once: int | None) -> Demand:
    """Raises ``OptionError`` for a value that is neither numbers nor a log with token counts."""
    if lengths is None:
        return Demand(at_once=at_once)
    match = _PAIR.fullmatch(lengths.strip())
    if match is not None:
        median = int(match.group(1))
        p99 = int(match.group(2) or median)
        if not 0 < median <= p99:
            raise OptionError(
                _("--lengths {value}: the median first, then P99", value=visible(lengths, 60))
            )
        return Demand(at_once, mean=(median + p99) // 2 if p99 != median else median,
                      median=median, p99=p99, largest=p99)  # fmt: skip
    return _of_log(Path(lengths).expanduser(), at_once)


def _of_log(path: Path, at_once: int | None) -> Demand:
    found: list[int] = []
    skipped = 0
    try:
        for line in _lines(path):
            value = _length(line)
            if value is None:
                skipped += 1
            else:
                found.append(value)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise OptionError(
            _(
                "--lengths {path}: {reason}",
                path=visible(str(path)),
                reason=visible(str(reason), 120),
            )
        ) from None
    if not found:
        raise OptionError(
            _(
                "--lengths {path}: no line of {count} holds token counts (usage, total_tokens, "
                "prompt_tokens)",
                path=visible(str(path)),
                count=skipped,
            )
        )
    found.sort()
    return Demand(
        at_once=at_once,
        mean=math.ceil(sum(found) / len(found)),
        median=_quantile(found, 0.5),
        p99=_quantile(found, 0.99),
        largest=found[-1],
        requests=len(found),
        skipped=skipped,
    )


def _lines(path: Path) -> Iterator[bytes]:
    with path.open("rb") as stream:
        while line := stream.readline(_LINE_LIMIT):
            if line.strip():
                yield line


def _length(line: bytes) -> int | None:
    """Prompt and answer of one line, in tokens; None where it does not tell."""
    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(entry, dict):
        return None
    for holder in (entry, entry.get("response"), entry.get("body")):
        if not isinstance(holder, dict):
            continue
        usage = holder.get("usage")
        for counts in (usage, holder):
            if isinstance(counts, dict) and (value := _total(counts)) is not None:
                return value
    return None


def _total(counts: dict[str, Any]) -> int | None:
    whole = _count(counts.get("total_tokens"))
    if whole:
        return whole
    prompt = _count(counts.get("prompt_tokens", counts.get("input_tokens")))
    if prompt is None:
        return None
    answer = _count(counts.get("completion_tokens", counts.get("output_tokens")))
    return prompt + (answer or 0) or None


def _count(value: object) -> int | None:
    fine = isinstance(value, int) and not isinstance(value, bool)
    return value if fine and isinstance(value, int) and 0 <= value < _MOST else None


def _quantile(ordered: list[int], share: float) -> int:
    """The smallest value that at least ``share`` of all do not exceed."""
    return ordered[max(0, math.ceil(share * len(ordered)) - 1)]
