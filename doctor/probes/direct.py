"""The engine behind a gateway, asked as the gateway asks it: without the gateway."""

from __future__ import annotations

from doctor.facts import COMPLETION
from doctor.facts.engine import Direct
from doctor.facts.store import Facts


async def direct(behind: Facts) -> Direct:
    """One small completion. Raises ``Unavailable``."""
    reply = await behind.get(COMPLETION)
    return Direct(behind.connection.base_url.value, reply)
