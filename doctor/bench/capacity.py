"""What an engine's launch line allows it to do at once, and how much of that a load uses."""

from __future__ import annotations

from collections.abc import Mapping

from doctor.bench.figures import Level
from doctor.records import dataclass

# The engine behind the gateway that was asked, in what a run was made with.
BEHIND = "engine"


@dataclass(frozen=True, slots=True)
class Capacity:
    """What the engine's launch line allows: requests that run at once, and tokens that one step
    works off. None is "not told". ``behind`` says that a gateway stands before the engine."""

    slots: int | None = None
    step: int | None = None
    behind: bool = False


def capacity_of(setup: Mapping[str, str]) -> Capacity:
    """From the flags that ``setup_of`` found."""

    def number(name: str) -> int | None:
        text = setup.get(f"flag --{name}") or setup.get(f"flag --{name.replace('-', '_')}") or ""
        return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None

    return Capacity(
        slots=number("max-num-seqs") or None,
        step=number("max-num-batched-tokens") or None,
        behind=bool(setup.get(BEHIND)),
    )


def filled(level: Level, capacity: Capacity) -> float | None:
    """The share of ``--max-num-batched-tokens`` that a step of the engine works off: each request
    that writes gets one token a step, so a step lasts as long as the gap between two. None where
    that is not told."""
    if capacity.step is None:
        return None
    worked, seconds, steps = 0.0, 0.0, []
    for repeat in level.repeats:
        engine = repeat.engine
        if engine is None or not engine.inter_token:
            return None
        new = repeat.prompt_tokens * (1 - (engine.hit_rate or 0.0))
        worked += new + repeat.output_tokens
        seconds += repeat.seconds
        steps.append(engine.inter_token)
    return worked / seconds * (sum(steps) / len(steps)) / capacity.step if steps else None


def prefills(level: Level) -> bool:
    """Whether requests that run spend most of their time on their prompts, as the engine itself
    tells it: what is steady then is how many prompts a step holds."""
    for repeat in level.repeats:
        engine = repeat.engine
        if engine is None or engine.ttft is None or engine.queued is None:
            return False
        tokens = repeat.output_tokens / max(repeat.answers, 1)
        writing = (engine.inter_token or 0.0) * max(tokens - 1, 0)
        if engine.ttft - engine.queued <= writing:
            return False
    return True
