"""What the checks of GPUs share: those of the machine on which the engine runs."""

from __future__ import annotations

from checks._engine import known
from doctor.checkapi import DeclaredFacts, NotApplicable, facts
from doctor.facts.engine import Engine
from doctor.facts.gpus import Gpus
from doctor.urls import read

READS = (facts.ENGINE, facts.GPUS, facts.LISTENERS)

_ELSEWHERE = "the engine is on another machine"
_TUNNELS = frozenset(
    {"ssh", "autossh", "kubectl", "socat", "cloudflared", "tailscaled", "frpc", "ngrok"}
)


async def gpus_of_engine(f: DeclaredFacts) -> Gpus:
    """Raises ``NotApplicable`` where the engine is elsewhere, or this machine has no NVIDIA GPU.

    A machine's GPU is of no concern to a client of somebody else's engine.
    """
    engine = await known(f)
    if not engine.local:
        raise NotApplicable(_ELSEWHERE)
    found = await f.get(facts.GPUS)
    if found.fault is None and not found.devices:
        raise NotApplicable("no NVIDIA GPU is here")
    if await is_forwarded(f, engine):
        raise NotApplicable(_ELSEWHERE)
    return found


async def is_forwarded(f: DeclaredFacts, engine: Engine) -> bool:
    """Whether the engine's port is only the near end of a tunnel."""
    base = read(engine.root or "").base
    listeners = await f.find(facts.LISTENERS)
    if base is None or listeners is None:
        return False
    port = base.origin[2]
    return any(each.port == port and each.process in _TUNNELS for each in listeners)


def gib(size: int) -> str:
    return f"{size / 2**30:,.1f} GiB"
