"""Who reaches the server that a line starts, and whether a key is asked of them."""

from __future__ import annotations

from doctor.launch.model import Entry, Launch


def has_key(launch: Launch) -> bool:
    """Whether a key is asked for, or may be as far as the line tells."""
    if launch.open_ended or launch.entry is Entry.OTHER or launch.has("--uds", "--headless"):
        return True
    key = launch.last("--api-key")
    if key is not None and (not key.known or any(key.values)):
        return True
    return any(v.name == "VLLM_API_KEY" and (v.value or not v.known) for v in launch.variables)


def open_by_default(launch: Launch) -> int | None:
    """The port that all may reach because nothing was said: vLLM listens on every address, and a
    published port is bound to every address of the host. None where that is not so."""
    if has_key(launch) or launch.entry is Entry.DECLARED:
        return None
    port = launch.number("--port") or 8000
    container = launch.container
    if container is None or container.network == "host":
        return None if launch.has("--host") else port
    if container.runtime in ("kubernetes", "build"):
        return None
    bound = [p for p in container.published if p.inner == port and not p.host]
    return (bound[0].outer or port) if bound else None
