"""Takes a sample of a log to the server that the settings name."""

from __future__ import annotations

from dataclasses import replace

from doctor.context import Meter, Options, RunContext
from doctor.facts.machine import Environment
from doctor.facts.prefixproof import PrefixProof
from doctor.facts.settings import Settings
from doctor.facts.store import Facts
from doctor.prefix.sample import Sample
from doctor.records import dataclass
from doctor.run import store_of
from doctor.secrets import Redactor
from doctor.target import Target


@dataclass(frozen=True, slots=True)
class Proving:
    """Whom to ask, and how. ``model`` stands in for the log's own, None: that one."""

    target: Target
    options: Options
    environment: Environment
    settings: Settings
    redactor: Redactor
    model: str | None = None


async def proved(proving: Proving, sample: Sample) -> PrefixProof:
    """Raises ``Unavailable`` where nothing can be sent."""
    from doctor.bundle import Live
    from doctor.probes.http import Requester
    from doctor.probes.prefixproof import prove

    meter = Meter()
    context = RunContext(
        # The two pairs are all that may cost anything: the engine is found without.
        options=replace(proving.options, no_spend=True),
        environment=proving.environment,
        settings=proving.settings,
        # Prompts of people are in what is sent: nothing of it is kept.
        recorder=Live(),
        redactor=proving.redactor,
        requester=Requester(proving.options, meter, proving.redactor),
        meter=meter,
    )
    store = store_of(proving.target, context, Facts(context, "run", None))
    try:
        return await prove(store, sample, proving.model)
    finally:
        store.close()
        await context.requester.aclose()
