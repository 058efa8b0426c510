"""The symptom dictionary, one module per topic. More telling texts come before general ones.

Sources: facts/gateway-clients.md §§1.3, 2.1–2.6, 3.1–3.5, 5; facts/peers.md §3; facts/vllm.md
§§2.4, 5.2, 5.3. Each wording was produced by the real program unless its module says otherwise.
"""

from __future__ import annotations

from doctor.explain.model import Symptom


def dictionary() -> tuple[Symptom, ...]:
    """All entries in the order in which they are tried."""
    from doctor.explain.texts import (
        budget,
        certificates,
        choices,
        keys,
        local_proxy,
        logins,
        models,
        network,
        no_key,
        proxies,
        refusals,
        urls,
    )

    return (
        *local_proxy.SYMPTOMS,
        *logins.SYMPTOMS,
        *keys.SYMPTOMS,
        *no_key.SYMPTOMS,
        *urls.SYMPTOMS,
        *models.SYMPTOMS,
        *budget.SYMPTOMS,
        *choices.SYMPTOMS,
        *proxies.SYMPTOMS,
        *certificates.SYMPTOMS,
        *network.SYMPTOMS,
        *refusals.SYMPTOMS,
    )
