"""Proxies in the variables of containers, where localhost is the container itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from doctor.checkapi import Confidence, Evidence, Finding, Severity, _, problem
from doctor.facts.settings import Role, Settings
from doctor.proxyrules import values
from doctor.urls import is_loopback

if TYPE_CHECKING:
    from doctor.launch.model import Launch

_NAMES = frozenset({"HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"})
# Networks in which localhost is that of the host, or of another container.
_SHARED = ("host", "container:", "service:")


def loopback_proxies(settings: Settings | None, target: str) -> Iterator[Finding]:
    """Those of compose services and of ``docker run --env-file``: the target's, and those of
    services that are no target. They are not this process's."""
    for sighting in settings.sightings if settings is not None else ():
        mine = not sighting.in_effect_for or target in sighting.in_effect_for
        if sighting.role is Role.PROXY and sighting.in_container and mine:
            address = values.address(str(sighting.value))
            if address is not None:
                yield _finding(sighting.name, str(sighting.origin), address)


def proxies_of_a_launch(launch: Launch | None) -> Iterator[Finding]:
    """Those of a server that is started in a container."""
    container = None if launch is None else launch.container
    if launch is None or container is None or container.network.startswith(_SHARED):
        return
    own = {published.inner for published in container.published}
    for variable in launch.variables:
        address = values.address(variable.value) if variable.known else None
        if address is None or not is_loopback(address.host) or address.port in own:
            continue
        if variable.name.upper() in _NAMES and values.scheme_of(variable.value):
            yield _finding(variable.name, launch.place, address)


def _finding(name: str, place: str, address: values.Address) -> Finding:
    shown = f"{address.scheme}://{address}"
    return problem(
        _("{name} points a container at a proxy on its own localhost", name=name),
        _(
            "{name}={value} ({place}): in the container {host} is the container itself, in which "
            "nothing is known to listen on port {port}. For a proxy on the Docker host write "
            "{docker} (on Linux with extra_hosts: host.docker.internal:host-gateway) and let "
            "the proxy accept connections from other machines (“Allow LAN”), or give the "
            "container the host's network.",
            name=name,
            place=place,
            value=shown,
            host=address.host,
            port=address.port,
            docker=f"{address.scheme}://host.docker.internal:{address.port}",
        ),
        evidence=(Evidence(_("proxy"), place, shown),),
        severity=Severity.WARNING,
        confidence=Confidence.MEDIUM,
    )
