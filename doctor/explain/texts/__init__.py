"""The symptom dictionary, one module per topic. More telling texts come before general ones.

Sources: facts/gateway-clients.md §§1.3, 2.1–2.6, 3.1–3.5, 5; facts/peers.md §3; facts/vllm.md
§§2.4, 5. Each wording was produced by the real program unless its module says otherwise.
"""

from __future__ import annotations

import functools

from doctor.explain.model import Symptom


def dictionary() -> tuple[Symptom, ...]:
    """All entries in the order in which they are tried."""
    from doctor.explain.texts import (
        budget,
        certificates,
        choices,
        cut_answers,
        dialects,
        firewalls,
        keys,
        local_proxy,
        logins,
        models,
        network,
        no_key,
        proxies,
        refusals,
        shells,
        urls,
    )

    return (
        *engine_entries(),
        *local_proxy.SYMPTOMS,
        *firewalls.SYMPTOMS,
        *logins.SYMPTOMS,
        *keys.SYMPTOMS,
        *shells.SYMPTOMS,
        *no_key.SYMPTOMS,
        *urls.SYMPTOMS,
        *models.SYMPTOMS,
        *budget.SYMPTOMS,
        *dialects.SYMPTOMS,
        *cut_answers.SYMPTOMS,
        *choices.SYMPTOMS,
        *proxies.SYMPTOMS,
        *certificates.SYMPTOMS,
        *network.SYMPTOMS,
        *refusals.SYMPTOMS,
    )


@functools.cache
def engine_entries() -> tuple[Symptom, ...]:
    """Those that only an inference engine prints."""
    from doctor.explain.texts import (
        engine_containers,
        engine_files,
        engine_flags,
        engine_hardware,
        engine_memory,
        engine_models,
        engine_numbers,
        engine_parallel,
        engine_prefix,
        engine_requests,
        engine_settings,
        engine_start,
    )

    return (
        *engine_memory.SYMPTOMS,
        *engine_prefix.SYMPTOMS,
        *engine_parallel.SYMPTOMS,
        *engine_numbers.SYMPTOMS,
        *engine_models.SYMPTOMS,
        *engine_requests.SYMPTOMS,
        *engine_flags.SYMPTOMS,
        *engine_settings.SYMPTOMS,
        *engine_files.SYMPTOMS,
        *engine_hardware.SYMPTOMS,
        *engine_containers.SYMPTOMS,
        *engine_start.SYMPTOMS,
    )
