"""The way of the examined client's requests: endpoint, proxy, trust."""

from __future__ import annotations

from doctor.facts import ENDPOINT, PROXY_ROUTES
from doctor.facts.answers import Exchange, Outcome, OutcomeKind, Reply
from doctor.facts.network import Endpoint, TransportFault
from doctor.facts.store import Facts, Unavailable
from doctor.probes.trust import Trust, trust_of
from doctor.records import dataclass
from doctor.text import _
from doctor.untrusted import visible

_SPOKEN = ("http", "https", "socks5", "socks5h")


class Blocked(Exception):
    """The client's own library refuses before anything is sent; its text is what users see."""

    def __init__(self, fault: TransportFault, text: str) -> None:
        super().__init__(text)
        self.fault = fault


@dataclass(frozen=True, slots=True)
class Way:
    """``proxy`` is a URL, None for a direct connection."""

    endpoint: Endpoint
    url: str
    proxy: str | None
    trust: Trust


def require_network(facts: Facts) -> None:
    """Raises ``Unavailable`` where the run may not use the network, or where nothing says whom to
    ask: a client's default address without any credential teaches nothing."""
    if facts.run.options.offline:
        raise Unavailable(_("offline"))
    if not facts.connection.configured:
        raise Unavailable(_("nothing is configured yet"))


async def endpoint_of(facts: Facts) -> Endpoint:
    """The endpoint. Raises ``Unavailable`` where the client refuses the base URL."""
    endpoint = await facts.get(ENDPOINT)
    if endpoint.url is None:
        raise Unavailable(endpoint.refusal or _("the base URL leads nowhere"))
    return endpoint


async def proxy_of(facts: Facts) -> str | None:
    """The client's proxy. Raises ``Unavailable`` where it refuses its proxy settings."""
    mine = (await facts.get(PROXY_ROUTES)).mine
    if mine.error is not None:
        raise Unavailable(mine.error)
    return mine.proxy


async def way_of(facts: Facts) -> Way:
    """The way. Raises ``Blocked`` where the client itself stops, and ``Unavailable``."""
    require_network(facts)
    endpoint = await facts.get(ENDPOINT)
    if endpoint.url is None:
        raise Blocked(TransportFault.INVALID_URL, endpoint.refusal or "")
    mine = (await facts.get(PROXY_ROUTES)).mine
    if mine.error is not None:
        raise Blocked(TransportFault.PROXY_SETTING, mine.error)
    if mine.proxy is not None:
        scheme = mine.proxy.split("://", 1)[0].lower()
        if scheme not in _SPOKEN:
            raise Unavailable(_("a {scheme} proxy is not spoken here", scheme=visible(scheme, 20)))
    return Way(endpoint, endpoint.url, mine.proxy, trust_of(facts, mine.stack))


def blocked_reply(facts: Facts, purpose: str, method: str, blocked: Blocked) -> Reply:
    """The reply that stands for a request that was never sent."""
    text = visible(facts.run.redactor(str(blocked)), 1_000)
    exchange = Exchange(
        purpose=purpose,
        method=method,
        url=visible(facts.run.redactor(facts.connection.base_url.value), 500),
        status=None,
        fault=blocked.fault,
        fault_text=text,
    )
    return Reply(exchange, Outcome(OutcomeKind.TRANSPORT, message=text))
