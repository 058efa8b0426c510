"""KVD311: nothing listens at the host and port of the base URL."""

from __future__ import annotations

from collections.abc import AsyncIterator

from doctor.checkapi import (
    Confidence,
    DeclaredFacts,
    Evidence,
    Finding,
    Hop,
    Severity,
    Unavailable,
    _,
    check,
    facts,
    problem,
    visible,
)
from doctor.facts.network import TcpAnswer, TransportFault
from doctor.urls import is_loopback

from ._local_programs import SERVERS, client_proxy_at
from ._nearby import servers_near
from ._way import READS, Way, direct_way
from ._words import outcome_of, paragraph

CODE = "KVD311"


@check(
    code=CODE,
    slug="connection-refused",
    severity=Severity.ERROR,
    hop=Hop.TCP,
    needs=(facts.PROXY_ROUTES,),
    wants=(*READS, facts.TCP, facts.LISTENERS),
)
async def connection_refused(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """Nothing listens at the host and port of the base URL.

    ## What it checks
    Whether the connection is refused, at which addresses, and what does listen on this machine.

    ## Why it matters
    A refusal is an answer of the machine itself: it is there, and no program has that port. The
    server is not started, still loading, crashed, or has another port or address.

    ## How to fix
    Start the server, or write the port and the address that it has.

    ## Fix safety
    Nothing is changed: another port is another place for the key.

    ## References
    https://man7.org/linux/man-pages/man2/connect.2.html
    """
    w = await direct_way(f)
    tcp = await f.find(facts.TCP)
    if w.reply is None and tcp is None:
        raise Unavailable(w.no_reply)
    if not _refused(w, tcp) or client_proxy_at(w.target.host, w.target.port) is not None:
        return
    listeners = await f.find(facts.LISTENERS) or ()
    usual = SERVERS.get(w.target.port)
    yield problem(
        _("Nothing listens on {host} port {port}", host=w.target.host, port=w.target.port),
        paragraph(
            _("The connection is refused: the machine is there and no program has the port."),
            _here(w, usual) if is_loopback(w.target.host) else _there(w),
            servers_near(w, listeners),
        ),
        evidence=(*_connects(tcp), *outcome_of(w)),
        # In a container the same refusal usually means another machine than the one meant.
        confidence=Confidence.MEDIUM if w.environment.in_container else Confidence.HIGH,
    )


def _refused(w: Way, tcp: tuple[TcpAnswer, ...] | None) -> bool:
    if w.reply is not None:
        return w.fault is TransportFault.REFUSED
    return bool(tcp) and all(answer.error == "refused" for answer in tcp or ())


def _here(w: Way, usual: str | None) -> str:
    if usual is not None:
        return _(
            "Port {port} is {server}'s by default: likely it is not started, still loading, or has "
            "ended.",
            port=w.target.port,
            server=usual,
        )
    return _(
        "The server is not started, still loading, has ended, or has another port. vLLM listens "
        "only once the model is loaded."
    )


def _there(w: Way) -> str:
    return _(
        "On {host} the server is down or has another port; or it listens on 127.0.0.1 there and "
        "is not open to other machines (vLLM: --host 0.0.0.0).",
        host=w.target.host,
    )


def _connects(tcp: tuple[TcpAnswer, ...] | None) -> tuple[Evidence, ...]:
    return tuple(
        Evidence("TCP", f"{a.address} {a.port}", visible(a.text or a.error or _("connected"), 200))
        for a in tcp or ()
    )
