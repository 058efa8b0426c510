"""All that a sitting came to, for whoever tells it."""

from __future__ import annotations

from collections.abc import Sequence

from doctor.facts.prefixlog import PrefixLog
from doctor.models import CheckResult, Finding
from doctor.records import dataclass
from doctor.tap.comparing import Difference
from doctor.tap.moments import share_of
from doctor.tap.preparing import Place
from doctor.tap.record import Record


@dataclass(frozen=True, slots=True)
class Outcome:
    """``exit_code`` is the command's own, None where none was run. ``ports`` are by the listeners'
    ids. ``checks`` are the results for each listener, and for the prompts of all."""

    client: str
    command: tuple[str, ...]
    exit_code: int | None
    seconds: float
    places: tuple[Place, ...]
    ports: dict[str, int]
    records: tuple[Record, ...]
    findings: tuple[Finding, ...]
    checks: tuple[CheckResult, ...]
    differences: tuple[Difference, ...]
    prompts: PrefixLog | None
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Figures:
    """``failed`` counts requests without an answer, ``given_up`` those that the program left before
    any came, ``repeated`` those that repeat one of either. Times are milliseconds, None where no
    stream told them; ``longest_gap`` is between two events of a stream."""

    requests: int
    asked: int
    failed: int
    given_up: int
    repeated: int
    first_token_p50: float | None
    first_token_p99: float | None
    longest_gap: float | None
    prompt_tokens: int
    output_tokens: int


def figures_of(records: Sequence[Record]) -> Figures:
    firsts = [r.timing.first_token for r in records if r.timing.first_token is not None]
    gaps = [r.timing.longest_gap for r in records if r.timing.longest_gap is not None]
    return Figures(
        requests=len(records),
        asked=sum(record.asks_model for record in records),
        failed=sum(record.failed for record in records),
        given_up=sum(record.given_up for record in records),
        repeated=sum(record.retry_of is not None for record in records),
        first_token_p50=share_of(firsts, 0.50),
        first_token_p99=share_of(firsts, 0.99),
        longest_gap=max(gaps, default=None),
        prompt_tokens=sum(record.usage.prompt or 0 for record in records),
        output_tokens=sum(record.usage.output or 0 for record in records),
    )
