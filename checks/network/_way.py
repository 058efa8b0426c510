"""The way of the examined request: its target, its proxy, and how far it came."""

from __future__ import annotations

from doctor.checkapi import DeclaredFacts, NotApplicable, ProxyMode, Unavailable, _, facts
from doctor.clients.surroundings import environment_of
from doctor.connection import Connection
from doctor.facts.answers import OutcomeKind, Reply
from doctor.facts.machine import Environment
from doctor.facts.network import Endpoint, ProxyRoutes, StackRoute, TcpAnswer, TransportFault
from doctor.proxyrules import Variables, values
from doctor.records import dataclass
from doctor.urls import is_local, is_loopback

F = TransportFault

READS = (
    facts.ENDPOINT,
    facts.ENVIRONMENT,
    facts.PROXY_ROUTES,
    facts.PROXY_TCP,
    facts.COMPLETION,
    facts.MODELS,
)

# With a proxy in the way it is the proxy alone that the client looks up and dials.
_ABOUT_THE_PROXY = frozenset({F.REFUSED, F.DNS})
_MAY_BE_UNCONNECTED = _ABOUT_THE_PROXY | {F.CONNECT_TIMEOUT, F.OTHER, F.RESET}


@dataclass(frozen=True, slots=True)
class Way:
    """``mine`` is the client's route, ``others`` those of other libraries. ``environment`` has the
    variables that the client's own files give it as well.

    ``reply`` is the one that tells how the connection fares, ``no_reply`` the reason why there is
    none. ``proxy_tcp`` is the connect to the proxy, None where there is no proxy or no trial.
    """

    connection: Connection
    target: Endpoint
    environment: Environment
    mine: StackRoute
    others: tuple[StackRoute, ...]
    proxy_tcp: TcpAnswer | None
    reply: Reply | None
    no_reply: str = ""

    @property
    def proxy(self) -> str | None:
        return self.mine.proxy

    @property
    def variables(self) -> Variables:
        return Variables(self.environment)

    @property
    def by_environment(self) -> bool:
        """Variables, or the system, choose the proxy, not a setting of the client's own."""
        return self.connection.proxy.value == ProxyMode.ENVIRONMENT

    @property
    def fault(self) -> TransportFault | None:
        return None if self.reply is None else self.reply.exchange.fault

    @property
    def status(self) -> int | None:
        return None if self.reply is None else self.reply.exchange.status

    @property
    def kind(self) -> OutcomeKind | None:
        return None if self.reply is None else self.reply.outcome.kind

    @property
    def reached(self) -> bool:
        """The target itself answered, whatever it said."""
        if self.status is None or self.kind is OutcomeKind.PROXY_PAGE:
            return False
        return not self._cannot_be_the_target

    @property
    def fails(self) -> bool:
        """A request was made and the target did not answer it."""
        return self.reply is not None and not self.reached

    @property
    def proxy_is_dead(self) -> bool:
        """No connection to the proxy comes about."""
        if self.proxy is None or self.mine.error is not None or self.reached:
            return False
        if self.fault is F.PROXY_UNREACHABLE:
            return True
        if self.proxy_tcp is None:
            return self.fault in _ABOUT_THE_PROXY
        unconnected = self.reply is None or self.fault in _MAY_BE_UNCONNECTED
        return unconnected and not self.proxy_tcp.ok

    @property
    def target_is_loopback(self) -> bool:
        return is_loopback(self.target.host)

    @property
    def target_is_local(self) -> bool:
        return is_local(self.target.host)

    @property
    def proxy_is_loopback(self) -> bool:
        """The proxy runs on this machine, by its address."""
        address = None if self.proxy is None else values.address(self.proxy)
        return address is not None and is_loopback(address.host)

    @property
    def _cannot_be_the_target(self) -> bool:
        """Another machine's proxy wrote this in the place of a server on this machine.

        It does not reach that server. A proxy at this machine's own LAN address would, so what an
        API alone says, an answer or an error in JSON, is believed.
        """
        if self.proxy is None or self.proxy_is_loopback or not self.target_is_loopback:
            return False
        if self.reply is None or self.kind is OutcomeKind.ANSWERED:
            return False
        exchange = self.reply.exchange
        json = exchange.content_type == "application/json" or exchange.body.lstrip()[:1] in "{["
        return bool(exchange.body.strip()) and not json


async def way(f: DeclaredFacts) -> Way:
    """Gather ``READS``.

    Raises ``NotApplicable`` where the base URL leads nowhere, ``Unavailable`` where the client's
    route is not known.
    """
    target = await f.get(facts.ENDPOINT)
    if target.url is None:
        raise NotApplicable(_("the base URL leads nowhere"))
    routes: ProxyRoutes = await f.get(facts.PROXY_ROUTES)
    tcp = None
    if routes.mine.proxy is not None:
        tcp = await f.find(facts.PROXY_TCP)
    reply, reason = await deciding_reply(f)
    return Way(
        connection=f.connection,
        target=target,
        environment=environment_of(f.connection, await f.get(facts.ENVIRONMENT)),
        mine=routes.mine,
        others=routes.others,
        proxy_tcp=tcp,
        reply=reply,
        no_reply=reason,
    )


async def deciding_reply(f: DeclaredFacts) -> tuple[Reply | None, str]:
    """The completion's reply; the models list's where none was asked for; else the reason."""
    try:
        return await f.get(facts.COMPLETION), ""
    except Unavailable as unavailable:
        reason = str(unavailable)
    models = await f.find(facts.MODELS)
    return (None, reason) if models is None else (models.reply, "")


async def direct_way(f: DeclaredFacts) -> Way:
    """As ``way``, for what only a client without a proxy meets. Raises ``NotApplicable``."""
    found = await way(f)
    if found.proxy is not None:
        raise NotApplicable(_("the proxy makes the connection"))
    return found
