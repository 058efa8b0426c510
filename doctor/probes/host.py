"""What listens on this machine."""

from __future__ import annotations

import asyncio

from doctor.facts.machine import Listener
from doctor.facts.store import Facts, Unavailable
from doctor.text import _
from doctor.untrusted import visible


async def listeners(facts: Facts) -> tuple[Listener, ...]:
    """Every listening TCP socket, by port. Raises ``Unavailable`` where the system hides them."""
    return await asyncio.to_thread(listening)


def listening() -> tuple[Listener, ...]:
    """As ``listeners``; blocking. The process is None where the user may not see it."""
    import psutil

    try:
        sockets = psutil.net_connections(kind="tcp")
    except (psutil.AccessDenied, OSError):
        raise Unavailable(_("the system does not tell what listens")) from None
    names: dict[int, str | None] = {}
    found: set[Listener] = set()
    for socket in sockets:
        if socket.status != psutil.CONN_LISTEN or not socket.laddr:
            continue
        pid = socket.pid
        if pid is not None and pid not in names:
            names[pid] = _name(pid)
        process = None if pid is None else names[pid]
        found.add(Listener(socket.laddr.ip, socket.laddr.port, process))
    return tuple(sorted(found, key=lambda each: (each.port, each.address, each.process or "")))


def _name(pid: int) -> str | None:
    import psutil

    try:
        return visible(psutil.Process(pid).name(), 100)
    except (psutil.Error, OSError):
        return None
