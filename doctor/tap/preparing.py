"""From a command and the settings found here to listeners: what leads where, and by which way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from doctor import facts
from doctor.bundle import Live
from doctor.clients import profile
from doctor.connection import Connection, Origin, OriginKind, Protocol, Setting
from doctor.context import Meter, Options, RunContext
from doctor.facts.machine import Environment
from doctor.facts.network import ProxyRoutes
from doctor.facts.store import Facts
from doctor.probes.http import Requester
from doctor.probes.trust import Trust, trust_of
from doctor.records import dataclass
from doctor.secrets import Redactor
from doctor.settings.carried import of_address, of_variables
from doctor.settings.discover import Discovery, TargetRequest, discover
from doctor.tap.origins import origin_in
from doctor.tap.steering import Lead, Scene, Steering, steering_of
from doctor.tap.steering.programs import started_by
from doctor.tap.upstream import Upstream
from doctor.text import Text, _
from doctor.untrusted import visible

_ORIGIN = Origin(OriginKind.DEFAULT, _("default"))


@dataclass(frozen=True, slots=True)
class Place:
    """A lead with its listener's other end. ``connection`` is always there: where nothing more is
    known it has the base alone. ``target`` is the id of the target that it is, "" for none."""

    lead: Lead
    upstream: Upstream
    connection: Connection
    routes: ProxyRoutes | None
    target: str = ""


@dataclass(frozen=True, slots=True)
class Prepared:
    """``client`` is "" for a program that is none of the known ones. ``notes`` say which bases
    lead nowhere, so that no listener stands before them."""

    client: str
    scene: Scene
    steering: Steering
    leads: tuple[Lead, ...]
    places: tuple[Place, ...]
    found: Discovery
    notes: tuple[Text | str, ...] = ()


async def prepare(
    command: Sequence[str],
    request: TargetRequest,
    options: Options,
    environment: Environment,
    redactor: Redactor,
) -> Prepared:
    """Find out what the program would use, and the way there. Asks nobody.

    Raises ``ConfigError`` and ``CannotSteer``.
    """
    started = started_by(command)
    client = request.client or started.client
    if client:
        request = replace(request, names=(client,), client=None)
    found = discover(request, environment)
    for secret in (*found.secrets, *of_variables(environment.variables)):
        redactor.learn(secret)
    scene = Scene(tuple(command), started.own, environment, found, request.trust_project)
    steering = steering_of(client)
    leads = steering.leads(scene)
    ways = _Ways(options, environment, found, redactor)
    places: list[Place] = []
    notes: list[Text | str] = []
    try:
        for lead in leads:
            for secret in of_address(lead.base):
                redactor.learn(secret)
            if lead.refusal:
                notes.append(lead.refusal)
                continue
            origin = origin_in(lead.base)
            if origin is None:
                notes.append(_nowhere(lead))
                continue
            connection = lead.connection or _like(leads, lead.base)
            routes, trust = await ways.of(connection)
            proxy = None if routes is None else routes.mine.proxy
            if proxy is not None and not proxy.lower().startswith("http://"):
                notes.append(_not_through(lead, proxy))
                continue
            upstream = Upstream(
                lead.id,
                origin,
                options,
                proxy=proxy,
                trust=trust,
                refusal="" if routes is None else routes.mine.error or "",
            )
            places.append(Place(lead, upstream, connection, routes, _target(found, connection)))
    finally:
        await ways.close()
    return Prepared(client, scene, steering, leads, tuple(places), found, (*found.notes, *notes))


def _nowhere(lead: Lead) -> Text:
    refusal = (
        None
        if lead.connection is None
        else profile(lead.connection.client).endpoint(lead.connection).refusal
    )
    return _(
        "{name} leads nowhere and stays as it is: {base}{why}",
        name=visible(lead.name or lead.id, 100),
        base=visible(lead.base, 200) or "(empty)",
        why=f" ({visible(refusal, 200)})" if refusal else "",
    )


def _not_through(lead: Lead, proxy: str) -> Text:
    return _(
        "{name} is not led: the tap does not go through a {scheme} proxy",
        name=visible(lead.name or lead.id, 100),
        scheme=visible(proxy.partition("://")[0], 20),
    )


def _like(leads: Sequence[Lead], base: str) -> Connection:
    """The connection of a lead of which only the base is known: by the way of the others."""
    setting = Setting(base, _ORIGIN)
    known = next((lead.connection for lead in leads if lead.connection is not None), None)
    if known is None:
        return Connection("openai-sdk", Protocol.OPENAI_CHAT, setting)
    return replace(known, base_url=setting, key=None, second_key=None, model=None, max_tokens=None)


def _target(found: Discovery, connection: Connection) -> str:
    ids = (target.id for target in found.targets if target.connection == connection)
    return next(ids, "")


class _Ways:
    """Proxy and trust of connections, by the rules of a run."""

    def __init__(
        self, options: Options, environment: Environment, found: Discovery, redactor: Redactor
    ) -> None:
        meter = Meter()
        self._context = RunContext(
            options=options,
            environment=environment,
            settings=found.settings,
            recorder=Live(),
            redactor=redactor,
            requester=Requester(options, meter, redactor),
            meter=meter,
        )
        self._root = Facts(self._context, "run", None)
        self._stores: list[Facts] = [self._root]

    async def of(self, connection: Connection) -> tuple[ProxyRoutes | None, Trust]:
        store = Facts(self._context, "tap", connection, self._root)
        self._stores.append(store)
        routes = await store.find(facts.PROXY_ROUTES)
        return routes, trust_of(store, "" if routes is None else routes.mine.stack)

    async def close(self) -> None:
        for store in self._stores:
            store.close()
        await self._context.requester.aclose()
