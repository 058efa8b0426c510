"""Which proxies an environment names, or the report shows in the system's settings, and whether the
request of a case would go through one."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from .case import Case
from .configured import Configured

# What macOS prints of its own: "  HTTPSEnable : 1", "  HTTPSProxy : HOST", "  HTTPSPort : PORT".
_PRINTED = re.compile(r"^\s*(HTTPS?)(Enable|Proxy|Port) : (\S+)$", re.MULTILINE)
_DEFAULT_PORTS = {"http": 80, "https": 443}


def system_proxies(case: Case) -> dict[str, str]:
    """Scheme → URL, as the log shows that macOS has them set."""
    found: dict[str, dict[str, str]] = {}
    for scheme, field, value in _PRINTED.findall(case.log):
        found.setdefault(scheme.lower(), {})[field] = value
    return {
        scheme: f"http://{told['Proxy']}:{told['Port']}"
        for scheme, told in found.items()
        if told.get("Enable") == "1" and {"Proxy", "Port"} <= told.keys()
    }


def proxies(configured: Configured, case: Case) -> tuple[tuple[str, int], ...]:
    """Host and port of every proxy that a variable or the system names."""
    values = [
        value
        for name, value in configured.env.items()
        if name.lower() in ("http_proxy", "https_proxy", "all_proxy")
    ]
    named = map(_address, (*values, *system_proxies(case).values()))
    return tuple(dict.fromkeys(address for address in named if address is not None))


def goes_through_proxy(configured: Configured, case: Case) -> bool:
    """By the plain rule that all programs share: the scheme's variable, hosts named in NO_PROXY;
    the system's where no variable speaks of proxies."""
    env = configured.env
    names = (f"{configured.scheme}_proxy", "all_proxy")
    if not any(name.lower().endswith("_proxy") for name in env):
        return configured.scheme in system_proxies(case)
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
