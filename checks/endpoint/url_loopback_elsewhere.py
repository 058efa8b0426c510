"""KVD208: localhost said where it is another machine's, or the container's own."""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncIterator, Iterator

from doctor.checkapi import (
    Confidence,
    DeclaredFacts,
    Evidence,
    Finding,
    Severity,
    Unavailable,
    _,
    check,
    facts,
    problem,
    visible,
)
from doctor.connection import Origin
from doctor.facts.answers import OutcomeKind
from doctor.facts.network import TransportFault
from doctor.facts.settings import Role, Settings
from doctor.patterns import Pattern
from doctor.private_words import refuses_private
from doctor.records import dataclass
from doctor.secrets import Secret
from doctor.urls import Base, is_local, is_loopback, read, shown

from ._gathering import READS, situation
from ._situation import Situation

CODE = "KVD208"
# An address in the words of a gateway that could not reach what stands behind it.
_LOOPBACK_IN_TEXT = Pattern(
    r"(?<![\w.])(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])(?::(\d{1,5}))?(?![\w.])"
)


@check(
    code=CODE,
    slug="url-loopback-elsewhere",
    severity=Severity.ERROR,
    wants=(*READS, facts.ENVIRONMENT, facts.SETTINGS, facts.TCP, facts.LISTENERS),
)
async def url_loopback_elsewhere(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """`localhost` in a container, in a compose file or in a hosted gateway's route.

    ## What it checks
    Whether this process runs in a container and its loopback base takes no connection; loopback
    bases among the settings that take effect in a container (compose services, `--env-file`);
    loopback addresses in the error of a remote gateway that could not reach its backend; answers
    that say that private addresses are not connected to.

    ## Why it matters
    localhost is whoever says it: in a container the container itself, in a hosted gateway's route
    the gateway's machine. curl on the host works, the program in the container gets "connection
    refused".

    ## How to fix
    From a container use `host.docker.internal` (on Linux with
    `extra_hosts: ["host.docker.internal:host-gateway"]`), or the name of the compose service. For
    a hosted gateway use an address at which it can reach the server.

    ## Fix safety
    Another host is another place for the key, so the replacement is written out and not applied.

    ## References
    https://docs.docker.com/desktop/features/networking/
    """
    own = f.connection.base_url.origin
    settings = await f.find(facts.SETTINGS)
    places = list(_in_containers(settings, own))
    for place in places:
        yield _configured(place, own=place.origin == own)
    s = await situation(f)
    if _refuses_private(s):
        yield _private_refused(s)
        return
    route = _in_the_route(s)
    if route is not None:
        yield _gateway_route(s, route)
    if s.works or route is not None:
        return
    environment = await f.find(facts.ENVIRONMENT)
    if environment is None or not environment.in_container:
        return
    if s.base is None or not is_loopback(s.base.host):
        return
    if not places and await _refused(f, s, s.base):
        yield _in_this_container(s, s.base)
    elif s.reply is None and not places:
        raise Unavailable(s.unavailable or _("no request was made"))


@dataclass(frozen=True, slots=True)
class _Place:
    """A loopback base in a setting that a container reads."""

    base: Base
    value: str
    origin: Origin


def _in_containers(settings: Settings | None, own: Origin) -> Iterator[_Place]:
    """Loopback bases that containers read: this connection's, and those that none uses."""
    for sighting in settings.sightings if settings is not None else ():
        if sighting.role is not Role.BASE_URL or isinstance(sighting.value, Secret):
            continue
        if not sighting.in_container or (sighting.in_effect_for and sighting.origin != own):
            continue
        base = read(sighting.value).base
        if base is not None and is_loopback(base.host):
            yield _Place(base, sighting.value, sighting.origin)


def _configured(place: _Place, *, own: bool) -> Finding:
    """``own``: it is the base of the connection that is examined, which then reaches nothing."""
    return problem(
        _("{name} points a container at its own localhost", name=place.origin.name),
        _(
            "{place} sets {value}. In the container {host} is the container itself, unless it runs "
            "with network_mode: host. For a server on the Docker host write {docker} (on Linux "
            "with extra_hosts: host.docker.internal:host-gateway), for one in the same compose "
            "file {service}, with the service's name and its port inside.",
            place=str(place.origin),
            value=shown(place.value),
            host=place.base.host,
            docker=_at(place.base, "host.docker.internal"),
            service=_at(place.base, "SERVICE"),
        ),
        evidence=(Evidence(_("base URL"), str(place.origin), shown(place.value)),),
        severity=None if own else Severity.WARNING,
        confidence=Confidence.MEDIUM,
        explains=("KVD311", "KVD312") if own else (),
    )


def _at(base: Base, host: str) -> str:
    return dataclasses.replace(base, host=host).url


async def _refused(f: DeclaredFacts, s: Situation, base: Base) -> bool:
    """Nothing in this container takes the connection."""
    if s.reply is not None:
        exchange = s.reply.exchange
        if exchange.via is not None or exchange.fault is not TransportFault.REFUSED:
            return False
    else:
        tcp = await f.find(facts.TCP)
        if not tcp or any(answer.ok for answer in tcp):
            return False
    listeners = await f.find(facts.LISTENERS) or ()
    return all(one.port != base.origin[2] for one in listeners)


def _in_this_container(s: Situation, base: Base) -> Finding:
    origin = s.connection.base_url.origin
    return problem(
        _("{host} in this container is the container itself", host=base.host),
        _(
            "This process runs in a container and nothing in it listens on port {port}. The server "
            "is likely on the Docker host: {docker} (on Linux with extra_hosts: "
            "host.docker.internal:host-gateway); or in another container: {service}, with the "
            "service's name and its port inside.",
            port=base.origin[2],
            docker=_at(base, "host.docker.internal"),
            service=_at(base, "SERVICE"),
        ),
        evidence=(Evidence(_("base URL"), str(origin), shown(s.given)),),
        # A server of this very container that is down looks the same.
        severity=Severity.WARNING,
        confidence=Confidence.MEDIUM,
    )


def _in_the_route(s: Situation) -> str | None:
    """The loopback address at which a remote gateway looked for its backend."""
    if s.base is None or is_local(s.base.host) or s.reply is None:
        return None
    if s.reply.outcome.kind is not OutcomeKind.UPSTREAM_UNREACHABLE:
        return None
    match = _LOOPBACK_IN_TEXT.search(s.reply.outcome.message)
    return None if match is None else match.group(0)


def _refuses_private(s: Situation) -> bool:
    """Whoever answers makes the request itself, and keeps out of private networks."""
    if s.base is None or s.reply is None:
        return False
    if s.reply.outcome.kind is not OutcomeKind.UPSTREAM_UNREACHABLE:
        return False
    return refuses_private(s.reply.outcome.message)


def _private_refused(s: Situation) -> Finding:
    assert s.reply is not None
    assert s.base is not None
    return problem(
        _("{host} does not connect to private addresses", host=s.base.host),
        _(
            "It says: “{message}”. The request is made by that service, not by this machine, and "
            "the address that it was given is a private one. Give it an address that the internet "
            "reaches, or take a client that asks from this machine. A service of your own often "
            "has a setting that allows private addresses.",
            message=visible(s.reply.outcome.message, 200),
        ),
        evidence=(
            Evidence(
                _("answer"),
                shown(s.reply.exchange.url),
                visible(s.reply.outcome.message, 400),
            ),
        ),
        confidence=Confidence.MEDIUM,
        explains=("KVD330",),
    )


def _gateway_route(s: Situation, address: str) -> Finding:
    assert s.reply is not None
    assert s.base is not None
    return problem(
        _(
            "The route of {host} points at {address}, which is the gateway itself",
            host=s.base.host,
            address=address,
        ),
        _(
            "{host} could not reach its backend: “{message}”. {address} in a gateway's route is "
            "the gateway's own machine, not yours. In the route's base_url put an address at which "
            "the gateway reaches your server, and open that port for it.",
            host=s.base.host,
            message=visible(s.reply.outcome.message, 200),
            address=address,
        ),
        evidence=(
            Evidence(
                _("answer"),
                shown(s.reply.exchange.url),
                visible(s.reply.outcome.message, 400),
            ),
        ),
        confidence=Confidence.MEDIUM,
        explains=("KVD330",),
    )
