"""Which proxies an environment names, and whether the request of a case would go through one."""

from __future__ import annotations

from urllib.parse import urlsplit

from .configured import Configured

_DEFAULT_PORTS = {"http": 80, "https": 443}


def proxies(configured: Configured) -> tuple[tuple[str, int], ...]:
    """Host and port of every proxy that a variable names."""
    named = (
        _address(value)
        for name, value in configured.env.items()
        if name.lower() in ("http_proxy", "https_proxy", "all_proxy")
    )
    return tuple(dict.fromkeys(address for address in named if address is not None))


def goes_through_proxy(configured: Configured) -> bool:
    """By the plain rule that all programs share: the scheme's variable, hosts named in NO_PROXY."""
    env = configured.env
    names = (f"{configured.scheme}_proxy", "all_proxy")
    if not any(env.get(name) or env.get(name.upper()) for name in names):
        return False
    excluded = env.get("no_proxy") or env.get("NO_PROXY") or ""
    return configured.host not in (part.strip() for part in excluded.split(","))


def _address(value: str) -> tuple[str, int] | None:
    try:
        parts = urlsplit(value if "://" in value else f"http://{value}")
        port = parts.port or _DEFAULT_PORTS.get(parts.scheme)
    except ValueError:
        return None
    return (parts.hostname, port) if parts.hostname and port else None
