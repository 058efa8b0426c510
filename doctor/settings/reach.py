"""Whether an address that was written for a container can be asked from outside of it."""

from __future__ import annotations

import ipaddress

from doctor.settings.building import host_of


def reachable_from_here(base_url: str) -> bool:
    """Whether an address meant inside a container can be asked from outside of it.

    A loopback address is asked as well: that is the mistake that its author made, and the server
    on this machine is the one meant.
    """
    place = host_of(base_url)
    if place is None:
        return True  # malformed wherever it is read
    host = place[1]
    if host == "localhost":
        return True
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return "." in host and not host.endswith(".internal")
    return True
