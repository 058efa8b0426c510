"""What the checks of a live prefix cache share: whether it is on, and how often it was of use."""

from __future__ import annotations

from checks._engine import Live, live
from doctor.checkapi import DeclaredFacts, NotApplicable
from doctor.records import dataclass

# With less to judge by, a rate is chance.
_REQUESTS = 200
_TOKENS = 100_000


@dataclass(frozen=True, slots=True)
class Use:
    """Since the engine was started. Shares are 0 to 1; lengths in tokens.

    ``alignment`` is the number of tokens in whose multiples a prefix is found again; ``short`` the
    share of the prompts that are no longer than that, and so can never hit.
    """

    live: Live
    rate: float
    looked_up: float
    requests: float
    mean_prompt: float | None
    alignment: int | None
    short: float | None


async def use(f: DeclaredFacts) -> Use:
    """Raises ``NotApplicable`` where caching is off, or too little was asked yet."""
    seen = await live(f, twice=False)
    cache = seen.cache
    if cache is not None and cache.prefix_caching is False:
        raise NotApplicable("prefix caching is off")
    from doctor.enginemetrics import names
    from doctor.enginemetrics.window import share_up_to, total

    counted = total(seen.metrics)
    requests = counted.grown.get(names.FINISHED, 0.0)
    looked_up = counted.grown.get(names.PREFIX_QUERIES, 0.0)
    rate = counted.hit_rate
    if rate is None or requests < _REQUESTS or looked_up < _TOKENS:
        raise NotApplicable("too few prompts since the engine was started")
    lengths = counted.observed.get(names.PROMPT_LENGTH)
    alignment = cache.alignment if cache is not None else None
    short = None
    if lengths is not None and alignment is not None:
        short = share_up_to(lengths, alignment)
    return Use(
        live=seen,
        rate=rate,
        looked_up=looked_up,
        requests=requests,
        mean_prompt=counted.mean(names.PROMPT_LENGTH),
        alignment=alignment,
        short=short,
    )


# Below this a cache is of next to no use.
LOW = 0.05
# So many of the prompts decide what the rate is.
MOST = 0.8


def is_low(used: Use) -> bool:
    return used.rate < LOW


def too_short(used: Use) -> bool:
    """Whether most prompts are shorter than what the cache can find again."""
    return used.short is not None and used.short >= MOST
