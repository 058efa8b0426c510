"""KVD332: the system itself refuses this end of the connection."""

from __future__ import annotations

from collections.abc import AsyncIterator

from doctor.checkapi import (
    DeclaredFacts,
    Evidence,
    Finding,
    Hop,
    Severity,
    Text,
    Unavailable,
    _,
    check,
    facts,
    problem,
    visible,
)
from doctor.facts.network import TcpAnswer, TransportFault

from ._local_address import LocalTrouble, trouble_in
from ._way import READS, Way, direct_way
from ._words import outcome_of, paragraph

CODE = "KVD332"
_UNSPECIFIED = frozenset({"0.0.0.0", "::"})  # noqa: S104 - a target that is written so
_UNSURE = frozenset({TransportFault.OTHER, TransportFault.CONNECT_TIMEOUT, TransportFault.RESET})


@check(
    code=CODE,
    slug="local-address-unavailable",
    severity=Severity.ERROR,
    hop=Hop.TCP,
    needs=(facts.PROXY_ROUTES,),
    wants=(*READS, facts.TCP),
    explains=("KVD311", "KVD312", "KVD313"),
)
async def local_address_unavailable(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The system does not let the program open this connection: no packet was sent.

    ## What it checks
    The number of the error: 99 and WinError 10049 (no such address here), 98 and 10048 (in use),
    13, 1 and 10013 (forbidden).

    ## Why it matters
    These speak of this machine, not of the server: no IPv6, `0.0.0.0` as a target on Windows, all
    local ports used up, a firewall or a sandbox that forbids the program.

    ## How to fix
    By the number; see the finding.

    ## Fix safety
    Nothing is changed.

    ## References
    https://learn.microsoft.com/windows/win32/winsock/windows-sockets-error-codes-2
    """
    w = await direct_way(f)
    tcp = await f.find(facts.TCP)
    if w.reply is None and tcp is None:
        raise Unavailable(w.no_reply)
    trouble = _trouble(w, tcp)
    if trouble is None:
        return
    kind, said = trouble
    yield problem(
        _title(w, kind),
        paragraph(
            _("The system says “{error}”; nothing was sent.", error=visible(said, 200)),
            _advice(w, kind),
        ),
        evidence=(
            *(
                Evidence("TCP", f"{a.address} {a.port}", visible(a.text, 200))
                for a in tcp or ()
                if a.error == "address"
            ),
            *outcome_of(w),
        ),
    )


def _trouble(w: Way, tcp: tuple[TcpAnswer, ...] | None) -> tuple[LocalTrouble, str] | None:
    if w.reply is not None:
        said = w.reply.exchange.fault_text
        kind = trouble_in(said) if w.fault in _UNSURE else None
        return None if kind is None else (kind, said)
    local = [a for a in tcp or () if a.error == "address"]
    if not local or any(a.ok for a in tcp or ()):
        return None
    kind = trouble_in(local[0].text)
    return None if kind is None else (kind, local[0].text)


def _title(w: Way, kind: LocalTrouble) -> Text:
    place = {"host": w.target.host, "port": w.target.port}
    if kind is LocalTrouble.FORBIDDEN:
        return _("This system forbids the connection to {host} port {port}", **place)
    if kind is LocalTrouble.IN_USE:
        return _("This system has no free local port for {host} port {port}", **place)
    return _("This machine has no address from which {host} could be reached", **place)


def _advice(w: Way, kind: LocalTrouble) -> Text:
    if kind is LocalTrouble.FORBIDDEN:
        return _(
            "A firewall, a sandbox or a security policy refuses this program; on Windows a "
            "reserved port range too: netsh int ipv4 show excludedportrange tcp"
        )
    if kind is LocalTrouble.IN_USE:
        return _(
            "Likely too many connections were opened in a short time. One client object for all "
            "requests keeps them few."
        )
    if w.target.host in _UNSPECIFIED:
        return _(
            "{host} is an address to listen on, not one to connect to. The server on this machine "
            "is at {scheme}://127.0.0.1:{port}.",
            host=w.target.host,
            scheme=w.target.scheme,
            port=w.target.port,
        )
    if ":" in w.target.host or w.target.host == "localhost":
        return _(
            "Likely this machine or container has no IPv6, and the name leads to ::1. The server "
            "is at {scheme}://127.0.0.1:{port}.",
            scheme=w.target.scheme,
            port=w.target.port,
        )
    return _("Likely all local ports are used up, or the network interface is down.")
