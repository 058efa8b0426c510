"""Whether a host is this machine or of the own network."""

from __future__ import annotations

import ipaddress

from doctor import urls

# Carrier-grade NAT, which overlay networks (encrypted in themselves) give to their members.
_SHARED = ipaddress.ip_network("100.64.0.0/10")


def is_local(host: str) -> bool:
    """True for loopback, private, link-local and overlay addresses and for local names."""
    if urls.is_local(host):
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")) in _SHARED
    except ValueError:
        return False
