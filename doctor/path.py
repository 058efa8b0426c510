"""The path of a request drawn hop by hop, from what the facts of its connection say."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from doctor import facts as f
from doctor.facts.answers import OutcomeKind, Reply
from doctor.facts.network import TcpAnswer
from doctor.facts.store import Facts, Unavailable
from doctor.models import Finding, Hop, HopStatus, PathHop, Severity
from doctor.outcomes import hop_of, told
from doctor.repair import deciding_reply
from doctor.text import _, joined
from doctor.urls import is_address

Show = Callable[[PathHop], None]


async def walk(facts: Facts, show: Show) -> tuple[PathHop, ...]:
    """The hops from proxy to KV; ``show`` gets each as soon as it is known."""
    hops: list[PathHop] = []
    for look in (_proxy, _dns, _tcp, _tls, _served, _kv):
        try:
            seen = await look(facts)
        except Unavailable as reason:
            seen = [PathHop(_FIRST_HOP[look], HopStatus.UNKNOWN, str(reason))]
        for hop in seen:
            hops.append(hop)
            show(hop)
    return tuple(hops)


def configuration(findings: Sequence[Finding]) -> PathHop:
    """The first hop: it is broken if a root cause of at least an error lies in the settings."""
    faults = [
        finding
        for finding in findings
        if finding.hop is Hop.CONFIGURATION
        and finding.severity >= Severity.ERROR
        and finding.explained_by is None
        and finding.blocking
    ]
    if not faults:
        return PathHop(Hop.CONFIGURATION, HopStatus.OK, "")
    detail = _("{count} faults", count=len(faults)) if len(faults) > 1 else _("1 fault")
    return PathHop(Hop.CONFIGURATION, HopStatus.BROKEN, detail)


async def _proxy(facts: Facts) -> list[PathHop]:
    route = (await facts.get(f.PROXY_ROUTES)).mine
    if route.error is not None:
        return [PathHop(Hop.PROXY, HopStatus.BROKEN, route.error)]
    if route.proxy is None:
        return [PathHop(Hop.PROXY, HopStatus.SKIPPED, _("direct"))]
    tcp = await facts.get(f.PROXY_TCP)
    where = f"{tcp.host}:{tcp.port}"
    if not tcp.ok:
        detail = _("{where}: {error}", where=where, error=_ended(tcp))
        return [PathHop(Hop.PROXY, HopStatus.BROKEN, detail, tcp.ms)]
    return [PathHop(Hop.PROXY, HopStatus.OK, where, tcp.ms)]


def _ended(tcp: TcpAnswer) -> str:
    return _ENDED.get(tcp.error or "", tcp.error or tcp.text)


_ENDED = {"refused": _("refused"), "timeout": _("timeout"), "unreachable": _("unreachable")}


async def _dns(facts: Facts) -> list[PathHop]:
    if is_address((await facts.get(f.ENDPOINT)).host):
        return [PathHop(Hop.DNS, HopStatus.SKIPPED, _("an address, no name"))]
    answer = await facts.get(f.DNS)
    if answer.error is not None:
        return [PathHop(Hop.DNS, HopStatus.BROKEN, answer.error, answer.ms)]
    return [PathHop(Hop.DNS, HopStatus.OK, ", ".join(answer.addresses[:2]), answer.ms)]


async def _tcp(facts: Facts) -> list[PathHop]:
    answers = await facts.get(f.TCP)
    best = next((a for a in answers if a.ok), None)
    if best is not None:
        return [PathHop(Hop.TCP, HopStatus.OK, f"{best.address}:{best.port}", best.ms)]
    if not answers:
        return [PathHop(Hop.TCP, HopStatus.UNKNOWN, _("no address"))]
    first = answers[0]
    detail = _("{where}: {error}", where=f"{first.address}:{first.port}", error=_ended(first))
    return [PathHop(Hop.TCP, HopStatus.BROKEN, detail, first.ms)]


async def _tls(facts: Facts) -> list[PathHop]:
    endpoint = await facts.get(f.ENDPOINT)
    if endpoint.scheme == "http":
        return [PathHop(Hop.TLS, HopStatus.SKIPPED, _("plain http"))]
    answer = await facts.get(f.TLS)
    status = HopStatus.OK if answer.ok else HopStatus.BROKEN
    return [PathHop(Hop.TLS, status, answer.issuer if answer.ok else answer.text, answer.ms)]


async def _served(facts: Facts) -> list[PathHop]:
    """Gateway, route and engine: all told by the one request that decides."""
    reply = await deciding_reply(facts)
    if reply is None:
        await facts.get(f.COMPLETION)  # raises the reason
        raise Unavailable("no request was made")
    answered = reply.outcome.kind is OutcomeKind.ANSWERED
    broken = None if answered else hop_of(reply)
    if broken is Hop.ENGINE and facts.behind is not None:
        direct = await facts.find(f.DIRECT)
        if direct is not None and direct.reply.outcome.kind is OutcomeKind.ANSWERED:
            # The engine itself is well, so what leads there is not.
            broken = Hop.ROUTE
    return _hops_of(reply, broken)


def _hops_of(reply: Reply, broken: Hop | None) -> list[PathHop]:
    """``broken`` is the hop that failed, None where the request was answered."""
    answered = broken is None
    status = reply.exchange.status
    said = told(reply)
    detail = joined(str(status), said) if status is not None else said
    if answered and reply.exchange.purpose == "models":
        untested = _("only the models list was asked for")
        return [
            PathHop(Hop.GATEWAY, HopStatus.OK, f"{status}", reply.exchange.ms_total),
            PathHop(Hop.ROUTE, HopStatus.UNKNOWN, untested),
            PathHop(Hop.ENGINE, HopStatus.UNKNOWN, untested),
        ]
    if answered:
        ms = reply.exchange.ms_total
        return [
            PathHop(Hop.GATEWAY, HopStatus.OK, f"{status}", reply.exchange.ms_headers),
            PathHop(Hop.ROUTE, HopStatus.OK, reply.outcome.model or ""),
            PathHop(Hop.ENGINE, HopStatus.OK, _("answered"), ms),
        ]
    hops = []
    for hop in (Hop.GATEWAY, Hop.ROUTE, Hop.ENGINE):
        if broken is hop:
            hops.append(PathHop(hop, HopStatus.BROKEN, detail, reply.exchange.ms_total))
        elif broken is not None and hop.order < broken.order:
            hops.append(PathHop(hop, HopStatus.OK, ""))
        else:
            hops.append(PathHop(hop, HopStatus.UNKNOWN, _("not reached")))
    return hops


async def _kv(facts: Facts) -> list[PathHop]:
    """By the engine's metrics, where an engine is known."""
    engine = await facts.get(f.ENGINE)
    if engine.root is None:
        return [PathHop(Hop.KV, HopStatus.UNKNOWN, _("no engine metrics are known"))]
    metrics = await facts.get(f.METRICS)
    from doctor.enginemetrics import now_of
    from doctor.enginemetrics.now import KV_BAND

    now = now_of(metrics)
    if now.kv_usage is None:
        return [PathHop(Hop.KV, HopStatus.UNKNOWN, _("the engine does not tell"))]
    later = await facts.find(f.METRICS_LATER)
    # One look may catch a moment; two that agree do not.
    looks = [now] if later is None else [now, now_of(later)]
    full = len(looks) > 1 and all(
        look.waiting and (look.kv_usage or 0.0) >= KV_BAND[1] for look in looks
    )
    detail = _(
        "{share} used, {n} waiting",
        share=f"{now.kv_usage:.0%}",
        n=f"{now.waiting or 0:,.0f}",
    )
    return [PathHop(Hop.KV, HopStatus.BROKEN if full else HopStatus.OK, detail)]


_FIRST_HOP = {
    _proxy: Hop.PROXY,
    _dns: Hop.DNS,
    _tcp: Hop.TCP,
    _tls: Hop.TLS,
    _served: Hop.GATEWAY,
    _kv: Hop.KV,
}


def complete(hops: Sequence[PathHop], first: PathHop) -> tuple[PathHop, ...]:
    """Every hop exactly once, in order; what was never looked at is unknown."""
    seen = {hop.hop: hop for hop in (first, *hops)}
    return tuple(seen.get(hop, PathHop(hop, HopStatus.UNKNOWN, _("not reached"))) for hop in Hop)
