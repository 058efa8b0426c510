"""Programs that usually listen on a port of one's own machine (facts/gateway-clients.md §5.3)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from doctor.facts.machine import Listener
from doctor.patterns import Pattern
from doctor.records import dataclass
from doctor.urls import is_loopback

# Ports on which local proxies take HTTP, the usual ones first. Their SOCKS-only and control
# ports (7891, 9090, 1080) are not among them.
_PROXY_PORTS = (7897, 7890, 7893, 10809, 10808, 6152, 8118)
_CONTROL_PORTS = frozenset({53, 1053, 7891, 9090, 9097, 9898})
_PROXY_PROCESS = Pattern(
    r"clash|mihomo|verge|v2ray|xray|sing-?box|surge|nekoray|nekobox|hiddify|privoxy", re.I
)


@dataclass(frozen=True, slots=True)
class ClientProxy:
    """A client's own local proxy: what to do where nothing listens on its port."""

    name: str
    port: int
    certain: bool
    start: str


CLIENT_PROXIES = (
    ClientProxy("CC Switch", 15721, True, "CC Switch"),
    ClientProxy("claude-code-router", 3456, True, "ccr start"),
    ClientProxy("claude-code-router", 3458, False, "ccr start"),
    ClientProxy("LiteLLM", 4000, False, "litellm --config config.yaml"),
)

# What serves an OpenAI-compatible API by default, for "listens near it".
SERVERS = {
    1234: "LM Studio",
    3000: "new-api / one-api",
    3456: "claude-code-router",
    4000: "LiteLLM",
    8000: "vLLM",
    8080: "llama.cpp",
    11434: "Ollama",
    15721: "CC Switch",
    30000: "SGLang",
}


def client_proxy_at(host: str, port: int) -> ClientProxy | None:
    """The client's own proxy that has this port of this machine, None where none is known."""
    if not is_loopback(host):
        return None
    return next((known for known in CLIENT_PROXIES if known.port == port), None)


def listening_proxies(listeners: Iterable[Listener], dead_port: int) -> tuple[Listener, ...]:
    """Local HTTP proxies that listen on another port than the dead one, likeliest first."""
    found = {
        one.port: one
        for one in listeners
        if _reachable(one.address) and one.port != dead_port and _is_proxy(one)
    }

    def likely(one: Listener) -> tuple[bool, int, int]:
        known = one.port in _PROXY_PORTS
        place = _PROXY_PORTS.index(one.port) if known else len(_PROXY_PORTS)
        return (not (one.process and _PROXY_PROCESS.search(one.process)), place, one.port)

    return tuple(sorted(found.values(), key=likely))


def _is_proxy(one: Listener) -> bool:
    if one.port in _CONTROL_PORTS:
        return False
    named = one.process is not None and _PROXY_PROCESS.search(one.process) is not None
    return named or (one.process is None and one.port in _PROXY_PORTS)


def _reachable(address: str) -> bool:
    return is_loopback(address) and address not in ("::1", "[::1]")
