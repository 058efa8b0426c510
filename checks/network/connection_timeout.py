"""KVD312: no connection, or no answer, within the time limit."""

from __future__ import annotations

from collections.abc import AsyncIterator

from doctor.checkapi import (
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
from doctor.outcomes import fault_words

from . import _owner
from ._nearby import proxies_of_others, unused_proxy
from ._way import READS, Way, way
from ._words import outcome_of, paragraph, shown_proxy

CODE = "KVD312"
_LOST = frozenset({"timeout", "unreachable"})


@check(
    code=CODE,
    slug="connection-timeout",
    severity=Severity.ERROR,
    hop=Hop.TCP,
    needs=(facts.PROXY_ROUTES,),
    wants=(*READS, facts.TCP, facts.LISTENERS),
)
async def connection_timeout(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The server takes no connection in time, or takes it and does not answer.

    ## What it checks
    Whether the time limit ran out while connecting or while waiting for the answer, and which of
    the host's addresses take a connection.

    ## Why it matters
    The two have different causes. No connection means that packets are lost on the way: a
    firewall, a wrong address, a network that has no way out without its proxy. No answer means
    that the server works on something, or waits for what is behind it.

    ## How to fix
    For the first, the way there; for the second, the server's load and its log.

    ## Fix safety
    Nothing is changed.

    ## References
    https://man7.org/linux/man-pages/man2/connect.2.html
    """
    w = await way(f)
    if _owner.owner(w) is not None:
        return
    if w.fault is TransportFault.READ_TIMEOUT:
        yield _no_answer(w)
        return
    tcp: tuple[TcpAnswer, ...] | None = None
    if w.proxy is None:
        tcp = await f.find(facts.TCP)
        if w.reply is None and tcp is None:
            raise Unavailable(w.no_reply)
    if not _lost(w, tcp):
        return
    listeners = await f.find(facts.LISTENERS) or ()
    yield problem(
        _title(w, tcp),
        paragraph(
            _addresses(tcp),
            _(
                "Packets are lost on the way: likely a firewall, a wrong address or port, or a "
                "network that lets programs out through its proxy only."
            ),
            proxies_of_others(w) or unused_proxy(w, listeners),
        ),
        evidence=(
            *(
                Evidence(
                    "TCP",
                    f"{a.address} {a.port}",
                    visible(a.text or a.error or _("connected"), 200),
                )
                for a in tcp or ()
            ),
            *outcome_of(w),
        ),
    )


def _lost(w: Way, tcp: tuple[TcpAnswer, ...] | None) -> bool:
    if w.reply is not None:
        return w.fault is TransportFault.CONNECT_TIMEOUT
    return bool(tcp) and all(answer.error in _LOST for answer in tcp or ())


def _title(w: Way, tcp: tuple[TcpAnswer, ...] | None) -> str:
    if tcp and all(answer.error == "unreachable" for answer in tcp):
        return _("There is no way to {host}", host=w.target.host)
    return _("{host} port {port} takes no connection", host=w.target.host, port=w.target.port)


def _addresses(tcp: tuple[TcpAnswer, ...] | None) -> str:
    """Where some addresses of the name answer and others do not."""
    answers = tcp or ()
    good = [a.address for a in answers if a.ok]
    bad = [a.address for a in answers if not a.ok]
    if not good or not bad:
        return ""
    return _(
        "{good} takes a connection, {bad} does not: programs that try only the latter fail.",
        good=", ".join(good),
        bad=", ".join(bad),
    )


def _no_answer(w: Way) -> Finding:
    exchange = w.reply.exchange if w.reply is not None else None
    through = (
        ""
        if w.proxy is None
        else _(
            "The request goes through the proxy {proxy}, which may be what waits.",
            proxy=shown_proxy(w.proxy),
        )
    )
    return problem(
        _("{host} took the request and did not answer", host=w.target.host),
        paragraph(
            _(
                "The connection is there; {text}.",
                text=fault_words(visible(exchange.fault_text, 200)) or _("no answer came in time"),
            )
            if exchange is not None
            else "",
            through,
            _(
                "Likely the engine behind it is overloaded or still loading, or a gateway waits "
                "for its backend. A longer --timeout tells slow from stuck."
            ),
        ),
        evidence=outcome_of(w),
        hop=Hop.GATEWAY,
    )
