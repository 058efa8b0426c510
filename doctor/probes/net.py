"""Names and sockets: what the address of the endpoint resolves to, and whether it accepts."""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import socket
import time

from doctor.facts import DNS
from doctor.facts.network import DnsAnswer, Endpoint, TcpAnswer
from doctor.facts.store import Facts, Unavailable
from doctor.probes.dialling import dial, proxy_address
from doctor.probes.faults import text_of
from doctor.probes.way import endpoint_of, proxy_of, require_network
from doctor.text import _
from doctor.untrusted import visible
from doctor.urls import is_loopback

# A name with more addresses is a balancer; the first ones tell what there is to tell.
_MOST = 8
_LOOPBACKS = ("127.0.0.1", "::1")
_UNREACHABLE = (
    errno.EHOSTUNREACH,
    errno.ENETUNREACH,
    errno.ENETDOWN,
    errno.EHOSTDOWN,
    errno.EAFNOSUPPORT,
)
_LOCAL = (errno.EADDRNOTAVAIL, errno.EACCES, errno.EPERM, errno.EADDRINUSE)


async def dns(facts: Facts) -> DnsAnswer:
    """The addresses of the endpoint's name. Raises ``Unavailable`` where the client asks none."""
    require_network(facts)
    endpoint = await endpoint_of(facts)
    if await proxy_of(facts) is not None:
        raise Unavailable(_("the proxy resolves the name"))
    name, port = dial(facts.run.options, endpoint.host, endpoint.port)
    if _is_address(name):
        if name != endpoint.host:
            raise Unavailable(_("--connect-to gives the address"))
        raise Unavailable(_("the host is an address"))
    return await _resolved(facts, name, port)


async def tcp(facts: Facts) -> tuple[TcpAnswer, ...]:
    """One connect to every address. Raises ``Unavailable`` where the client makes none itself."""
    require_network(facts)
    endpoint = await endpoint_of(facts)
    if await proxy_of(facts) is not None:
        raise Unavailable(_("the proxy connects to the target"))
    name, port = dial(facts.run.options, endpoint.host, endpoint.port)
    addresses = await _addresses(facts, endpoint, name)
    tried = (_connected(facts, name, each, port) for each in addresses)
    return tuple(await asyncio.gather(*tried))


async def proxy_tcp(facts: Facts) -> TcpAnswer:
    """One connect to the client's proxy. Raises ``Unavailable`` where it uses none."""
    require_network(facts)
    proxy = await proxy_of(facts)
    if proxy is None:
        raise Unavailable(_("the request goes without a proxy"))
    try:
        host, port = proxy_address(proxy)
    except ValueError as error:
        raise Unavailable(str(error)) from None
    host, port = dial(facts.run.options, host, port)
    if _is_address(host):
        return await _connected(facts, host, host, port)
    answer = await _resolved(facts, host, port)
    if answer.error is not None:
        return TcpAnswer(host, "", port, False, answer.ms, "other", answer.error)
    tried = [await _connected(facts, host, each, port) for each in answer.addresses[:2]]
    return next((each for each in tried if each.ok), tried[0])


async def _resolved(facts: Facts, name: str, port: int) -> DnsAnswer:
    timeout = facts.run.options.timeout
    return await facts.once(("resolve", name, port), lambda: resolve(name, port, timeout))


async def _connected(facts: Facts, host: str, address: str, port: int) -> TcpAnswer:
    timeout = facts.run.options.timeout
    what = ("connect", host, address, port)
    return await facts.once(what, lambda: connect(host, address, port, timeout))


async def resolve(name: str, port: int, timeout: float) -> DnsAnswer:
    """What the system's resolver says, in its order and without repetition. Never raises."""
    started = time.perf_counter()
    error: str | None = None
    addresses: tuple[str, ...] = ()
    try:
        async with asyncio.timeout(timeout):
            found = await asyncio.get_running_loop().getaddrinfo(
                name, port, type=socket.SOCK_STREAM
            )
        addresses = tuple(dict.fromkeys(str(entry[4][0]) for entry in found))
    except TimeoutError:
        error = _("no answer within {limit} s", limit=f"{timeout:g}")
    except (OSError, UnicodeError) as failure:
        error = visible(str(failure), 300)
    if not addresses and error is None:
        error = _("the name has no address")
    return DnsAnswer(name, addresses, _ms(started), error)


async def connect(host: str, address: str, port: int, timeout: float) -> TcpAnswer:
    """One TCP connect, closed at once. Never raises."""
    started = time.perf_counter()
    try:
        async with asyncio.timeout(timeout):
            _reader, writer = await asyncio.open_connection(address, port)
    except TimeoutError:
        limit = _("no connection within {limit} s", limit=f"{timeout:g}")
        return TcpAnswer(host, address, port, False, _ms(started), "timeout", limit)
    except (OSError, UnicodeError) as error:
        kind = _kind(error, address)
        text = visible(text_of(error), 300)
        return TcpAnswer(host, address, port, False, _ms(started), kind, text)
    writer.transport.abort()
    return TcpAnswer(host, address, port, True, _ms(started))


async def _addresses(facts: Facts, endpoint: Endpoint, name: str) -> tuple[str, ...]:
    own: tuple[str, ...] = (name,)
    if not _is_address(name):
        answer = await facts.get(DNS)
        if answer.error is not None:
            raise Unavailable(_("the name {name} is not resolved", name=visible(name, 200)))
        own = answer.addresses[:_MOST]
    if name == endpoint.host and is_loopback(name):
        # A server may listen on one of the two only, while the name leads to the other.
        own = (*own, *_LOOPBACKS)
    return tuple(dict.fromkeys(own))


def _kind(error: Exception, address: str) -> str:
    if isinstance(error, ConnectionRefusedError):
        return "refused"
    number = getattr(error, "errno", None)
    if number == errno.ETIMEDOUT:
        return "timeout"
    if number in _UNREACHABLE:
        return "unreachable"
    if number == errno.EADDRNOTAVAIL and address == "::1":
        # This machine has no IPv6; nothing is wrong with the address itself.
        return "unreachable"
    return "address" if number in _LOCAL or getattr(error, "winerror", None) == 10013 else "other"


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host.split("%", 1)[0])
    except ValueError:
        return False
    return True


def _ms(started: float) -> int:
    return round((time.perf_counter() - started) * 1000)
