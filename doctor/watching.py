"""An engine looked at again and again: what ``kvdoctor watch`` and the app's live screen show.

Nothing that costs tokens is asked, and nothing but ``/metrics``.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import TYPE_CHECKING

from doctor.context import Meter, Options, RunContext
from doctor.facts.engine import Metrics
from doctor.facts.machine import Environment
from doctor.facts.settings import Settings
from doctor.facts.store import Facts, Unavailable
from doctor.records import dataclass
from doctor.run import store_of
from doctor.secrets import Redactor
from doctor.target import Target
from doctor.urls import is_local, read

if TYPE_CHECKING:
    from doctor.enginemetrics.sample import Gap, Sample


@dataclass(frozen=True, slots=True)
class Watch:
    """Whom to look at, from where and how often (seconds)."""

    target: Target
    options: Options
    environment: Environment
    settings: Settings
    redactor: Redactor
    interval: float = 2.0


async def watched(
    watch: Watch, sleep: Callable[[float], Awaitable[object]] = asyncio.sleep
) -> AsyncIterator[Sample | Gap]:
    """A sample at once, then one every interval, for ever. A look that fails later is a gap.

    Raises ``Unavailable`` where the first look fails.
    """
    from doctor.bundle import Live
    from doctor.enginemetrics.sample import Gap, sample_of
    from doctor.probes.engine import way_to
    from doctor.probes.gateway import roots
    from doctor.probes.http import Requester
    from doctor.probes.metrics import scrape

    meter = Meter()
    context = RunContext(
        options=watch.options,
        environment=watch.environment,
        settings=watch.settings,
        # What is kept is for a bundle, and here nothing is saved.
        recorder=Live(),
        redactor=watch.redactor,
        requester=Requester(watch.options, meter, watch.redactor),
        meter=meter,
    )
    store = store_of(watch.target, context, Facts(context, "run", None))
    before: Metrics | None = None
    try:
        root = roots((await way_to(store.behind or store)).url)[0]
        while True:
            began = time.monotonic()
            try:
                after = await scrape(store, root, anew=True)
            except Unavailable as reason:
                if before is None:
                    raise
                yield Gap(time.time(), str(reason))
            else:
                yield sample_of(before, after)
                before = after
            await sleep(max(watch.interval - (time.monotonic() - began), 0.0))
    finally:
        store.close()
        await context.requester.aclose()


def watchable(targets: Sequence[Target]) -> tuple[Target, ...]:
    """Those that may be an engine, the likeliest first. What the user did not name is asked only
    where it is an engine by its settings, or on the own network."""
    ranked = [(rank, target) for target in targets if (rank := _rank(target)) is not None]
    return tuple(target for _rank_, target in sorted(ranked, key=lambda pair: pair[0]))


def _rank(target: Target) -> int | None:
    if target.engine is not None:
        return 0
    if target.named:
        return 1
    base = read(target.connection.base_url.value).base
    if base is None or not is_local(base.host):
        return None
    return 2 if target.kind == "engine" else 3
