"""One TLS handshake by the client's own store, and what other stores say to the same server."""

from __future__ import annotations

import asyncio
import ssl
import time

from doctor.facts.network import TlsAnswer, TransportFault
from doctor.facts.store import Facts, Unavailable
from doctor.probes.certificate import Certificate, certificate_of, read
from doctor.probes.faults import text_of, tls_fault
from doctor.probes.trust import CERTIFI, SYSTEM, Trust, build_context
from doctor.probes.tunnel import open_way
from doctor.probes.way import Blocked, Way, way_of
from doctor.records import dataclass
from doctor.text import _
from doctor.untrusted import visible

_DATE = ("expired", "not yet valid")
_DATE_CODES = frozenset({9, 10})


@dataclass(frozen=True, slots=True)
class _Handshake:
    """``error`` is of the kinds of ``TlsAnswer``, None where it was accepted."""

    ms: int
    error: str | None = None
    text: str = ""
    certificate: Certificate | None = None


async def tls(facts: Facts) -> TlsAnswer:
    """Raises ``Unavailable`` for http, and where no connection comes about."""
    try:
        way = await way_of(facts)
    except Blocked as blocked:
        raise Unavailable(str(blocked)) from None
    if way.endpoint.scheme != "https":
        raise Unavailable(_("the base URL is http"))
    stores = tuple(dict.fromkeys((way.trust, Trust(SYSTEM), Trust(CERTIFI))))
    tried = await asyncio.gather(*(_tried(facts, way, store) for store in stores))
    mine = tried[0]
    if isinstance(mine, Unavailable):
        raise mine
    verdicts = {store: _verdict(result) for store, result in zip(stores, tried, strict=True)}
    seen = mine.certificate
    if seen is None and mine.error != "not-tls":
        seen = await _look(facts, way)
    seen = seen or Certificate()
    told = mine.error is None or mine.error in ("untrusted", "name", "date") or bool(seen.subject)
    return TlsAnswer(
        ok=mine.error is None,
        ms=mine.ms,
        error=mine.error,
        text=mine.text,
        issuer=seen.issuer,
        subject=seen.subject,
        names=seen.names,
        not_before=seen.not_before,
        not_after=seen.not_after,
        self_signed=seen.self_signed,
        system_ok=verdicts[Trust(SYSTEM)] if told else None,
        certifi_ok=verdicts[Trust(CERTIFI)] if told else None,
        store=way.trust.label,
    )


async def _handshake(facts: Facts, way: Way, trust: Trust) -> _Handshake:
    started = time.perf_counter()
    try:
        context = await asyncio.to_thread(build_context, trust)
    except OSError as error:
        text = visible(f"{trust.label}: {text_of(error)}", 500)
        return _Handshake(_ms(started), "other", text)
    return await _with_context(facts, way, context)


async def _with_context(facts: Facts, way: Way, context: ssl.SSLContext) -> _Handshake:
    """Raises ``Unavailable`` where there is no connection to shake hands over."""
    host, port = way.endpoint.host, way.endpoint.port
    limit = facts.run.options.timeout
    started = time.perf_counter()
    writer: asyncio.StreamWriter | None = None
    try:
        async with asyncio.timeout(limit):
            writer = await open_way(facts.run.options, host, port, way.proxy)
            started = time.perf_counter()
            await writer.start_tls(context, server_hostname=host)
        ms = _ms(started)
        connection: ssl.SSLObject = writer.get_extra_info("ssl_object")
        if context.verify_mode is ssl.CERT_NONE:
            return _Handshake(ms, certificate=certificate_of(connection, context))
        return _Handshake(ms, certificate=read(connection.getpeercert() or {}))
    except TimeoutError:
        if writer is None:
            raise Unavailable(_("no connection within {limit} s", limit=f"{limit:g}")) from None
        text = _("no TLS handshake within {limit} s", limit=f"{limit:g}")
        return _Handshake(_ms(started), "other", text)
    except ssl.SSLError as error:
        return _Handshake(_ms(started), _kind(error), visible(str(error), 500))
    except (OSError, UnicodeError) as error:
        if writer is None:
            raise Unavailable(visible(text_of(error), 300)) from None
        return _Handshake(_ms(started), "other", visible(text_of(error), 300))
    finally:
        if writer is not None:
            writer.transport.abort()


async def _tried(facts: Facts, way: Way, trust: Trust) -> _Handshake | Unavailable:
    what = ("handshake", way.endpoint.host, way.endpoint.port, way.proxy, trust)
    try:
        return await facts.once(what, lambda: _handshake(facts, way, trust))
    except Unavailable as reason:
        return reason


def _verdict(result: _Handshake | Unavailable) -> bool | None:
    return None if isinstance(result, Unavailable) else result.error is None


async def _look(facts: Facts, way: Way) -> Certificate | None:
    """The certificate of a server that is not trusted; nothing is sent over that connection."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    what = ("certificate", way.endpoint.host, way.endpoint.port, way.proxy)
    try:
        seen = await facts.once(what, lambda: _with_context(facts, way, context))
        return seen.certificate
    except Unavailable:
        return None


def _kind(error: ssl.SSLError) -> str:
    match tls_fault(error):
        case TransportFault.TLS_UNTRUSTED:
            return "untrusted"
        case TransportFault.TLS_NAME_OR_DATE:
            code = getattr(error, "verify_code", 0)
            dated = code in _DATE_CODES or any(word in str(error).lower() for word in _DATE)
            return "date" if dated else "name"
        case TransportFault.TLS_TO_PLAIN:
            return "not-tls"
    return "other"


def _ms(started: float) -> int:
    return round((time.perf_counter() - started) * 1000)
