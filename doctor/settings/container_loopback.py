"""Loopback addresses in the variables of a container, where localhost is the container itself."""

from __future__ import annotations

from doctor.facts.settings import Role, Sighting
from doctor.patterns import Pattern
from doctor.proxyrules import values
from doctor.settings.names import speaks_of_models
from doctor.settings.variables import Held, Space
from doctor.urls import is_loopback

_PROXY = Pattern(r"(?:.*_)?PROXY(?:_URL|_SERVER)?", flags=2)  # re.IGNORECASE
_SCHEMES = values.SOCKS | {"http", "https"}
# A port by itself or behind an address without a scheme: where a program of the image listens.
_BOUND = Pattern(r"(?:[\w.\[\]*-]*:)?(\d{2,5})")


def proxies(space: Space, *, about_models: bool) -> list[Sighting]:
    """The proxies of ``space`` that are nowhere but in the container, where nothing tells of one.

    ``about_models``: other variables of the space configure a client of a model. Otherwise only
    those count whose names say so.
    """
    if not space.in_container:
        return []
    return [
        Sighting(
            Role.PROXY,
            held.name,
            f"{address.scheme}://{address}",
            held.origin,
            in_container=True,
        )
        for held in space
        if _PROXY.fullmatch(held.name)
        and (about_models or speaks_of_models(held.name.upper()))
        and values.scheme_of(held.value) in _SCHEMES
        and (address := values.address(held.value)) is not None
        and is_loopback(address.host)
        and is_elsewhere(held, space)
    ]


def is_elsewhere(held: Held, space: Space) -> bool:
    """Whether ``held`` is a loopback address in a container in which nothing is known to listen
    on that port. True for what is no loopback address."""
    if not space.in_container:
        return False
    address = values.address(held.value)
    if address is None or not is_loopback(address.host):
        return True
    if space.own_ports is None:
        return False
    bound = (_BOUND.fullmatch(one.value.strip()) for one in space if one is not held)
    own = space.own_ports.union(int(match.group(1)) for match in bound if match)
    return address.port not in own
