"""KVD213: one of this machine's two addresses is asked, and the server listens on the other."""

from __future__ import annotations

import dataclasses
import ipaddress
from collections.abc import AsyncIterator, Iterable

from doctor.checkapi import (
    Change,
    DeclaredFacts,
    Evidence,
    Finding,
    NotApplicable,
    SettingName,
    Severity,
    Unavailable,
    _,
    check,
    facts,
    problem,
)
from doctor.facts.answers import OutcomeKind, Reply
from doctor.facts.machine import Listener
from doctor.facts.network import TcpAnswer, TransportFault
from doctor.urls import Base, is_loopback

from ._gathering import READS, situation
from ._situation import Situation

CODE = "KVD213"
_V4, _V6 = "127.0.0.1", "::1"
_UNANSWERED = (TransportFault.REFUSED, TransportFault.CONNECT_TIMEOUT)


@check(
    code=CODE,
    slug="url-localhost-resolves-to-ipv6",
    severity=Severity.ERROR,
    wants=(*READS, facts.TCP, facts.LISTENERS),
    explains=("KVD311", "KVD312"),
)
async def url_localhost_resolves_to_ipv6(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The base URL reaches ::1 and the server listens on 127.0.0.1, or the reverse.

    ## What it checks
    Only where the request found no connection: which of the addresses behind the host name take
    one, and on which address of this machine something listens on that port.

    ## Why it matters
    `localhost` is two addresses. Many servers listen on 127.0.0.1 only, and programs that try
    only the first address get ::1: `connect ECONNREFUSED ::1:11434`.

    ## How to fix
    Write the address that the server listens on.

    ## Fix safety
    Both are this machine; scheme, port and path stay.

    ## References
    https://nodejs.org/api/dns.html#dnssetdefaultresultorderorder
    """
    s = await situation(f)
    if s.base is None or not is_loopback(s.base.host):
        raise NotApplicable(_("the base URL is not on this machine"))
    if s.works:
        return
    if s.reply is None:
        raise Unavailable(s.unavailable or _("no request was made"))
    if not _unanswered(s.reply):
        return
    tcp = await f.find(facts.TCP) or ()
    listeners = await f.find(facts.LISTENERS) or ()
    other = _listening_address(s.base, tcp, listeners)
    if other is not None:
        yield _finding(s, s.base, other, tcp)


def _unanswered(reply: Reply) -> bool:
    """No connection came about, and no proxy was in between."""
    return (
        reply.outcome.kind is OutcomeKind.TRANSPORT
        and reply.exchange.via is None
        and reply.exchange.fault in _UNANSWERED
    )


def _listening_address(
    base: Base, tcp: Iterable[TcpAnswer], listeners: Iterable[Listener]
) -> str | None:
    """The loopback address on which the server is, None where it is not the other one."""
    open_, closed = (
        _families(a.address for a in tcp if a.ok),
        _families(a.address for a in tcp if not a.ok),
    )
    if len(open_) == 1 and closed - open_:
        return open_.pop()
    if open_:
        return None
    asked = _families([base.host]) or closed
    there = _families(
        one.address for one in listeners if one.port == base.origin[2] and _loopback(one.address)
    )
    elsewhere = there - asked
    return elsewhere.pop() if asked and len(elsewhere) == 1 and not there & asked else None


def _families(addresses: Iterable[str]) -> set[str]:
    """The loopback address of each address's family."""
    found = set()
    for text in addresses:
        try:
            version = ipaddress.ip_address(text.strip("[]").split("%", 1)[0]).version
        except ValueError:
            continue
        found.add(_V4 if version == 4 else _V6)
    return found


def _loopback(address: str) -> bool:
    return is_loopback(address.strip("[]"))


def _finding(s: Situation, base: Base, other: str, tcp: Iterable[TcpAnswer]) -> Finding:
    asked = _V6 if other == _V4 else _V4
    value = dataclasses.replace(base, host=other).text
    origin = s.connection.base_url.origin
    return problem(
        _(
            "{host} is asked at {asked}, the server listens on {other}",
            host=base.host,
            asked=asked,
            other=other,
        ),
        _(
            "Port {port} takes no connection at {asked} and takes one at {other}. Both are this "
            "machine. The base URL is {base}.",
            port=base.origin[2],
            asked=asked,
            other=other,
            base=value,
        ),
        evidence=(
            Evidence(_("base URL"), str(origin), s.given),
            *(Evidence("TCP", f"{a.address} {a.port}", a.text or a.error or "ok") for a in tcp),
        ),
        changes=(
            Change(
                CODE,
                SettingName.BASE_URL,
                value,
                _("set the base URL to {base}", base=value),
            ),
        ),
    )
