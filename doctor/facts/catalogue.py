"""The facts that kvdoctor knows, and the probe that gathers each.

Probes are imported when a fact is first asked for, so that naming a fact costs nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from doctor.facts.answers import AuthControl, ModelsReply, Product, Reply, SdkAnswer, TokenState
from doctor.facts.engine import Direct, Engine, Metrics, Starting, StartLine
from doctor.facts.gpus import Gpus
from doctor.facts.machine import CaPath, Environment, Listener, PythonHome
from doctor.facts.network import DnsAnswer, Endpoint, ProxyRoutes, TcpAnswer, TlsAnswer
from doctor.facts.prefixlog import PrefixLog, PrefixSource
from doctor.facts.settings import Settings
from doctor.facts.store import Fact, Facts, Scope, Unavailable
from doctor.text import _

if TYPE_CHECKING:
    from doctor.facts.prefixproof import PrefixProof
    from doctor.launch.model import Launch
    from doctor.memory.case import MemoryCase


async def _environment(facts: Facts) -> Environment:
    return facts.run.environment


async def _settings(facts: Facts) -> Settings:
    return facts.run.settings


async def _listeners(facts: Facts) -> tuple[Listener, ...]:
    from doctor.probes.host import listeners

    return await listeners(facts)


async def _python_homes(facts: Facts) -> tuple[PythonHome, ...]:
    from doctor.probes.python_homes import python_homes

    return await python_homes(facts)


async def _ca_paths(facts: Facts) -> tuple[CaPath, ...]:
    from doctor.probes.ca_paths import ca_paths

    return await ca_paths(facts)


async def _endpoint(facts: Facts) -> Endpoint:
    from doctor.clients import profile

    connection = facts.connection
    return profile(connection.client).endpoint(connection)


async def _proxy_routes(facts: Facts) -> ProxyRoutes:
    from doctor.probes.proxies import proxy_routes

    return await proxy_routes(facts)


async def _proxy_tcp(facts: Facts) -> TcpAnswer:
    from doctor.probes.net import proxy_tcp

    return await proxy_tcp(facts)


async def _dns(facts: Facts) -> DnsAnswer:
    from doctor.probes.net import dns

    return await dns(facts)


async def _tcp(facts: Facts) -> tuple[TcpAnswer, ...]:
    from doctor.probes.net import tcp

    return await tcp(facts)


async def _tls(facts: Facts) -> TlsAnswer:
    from doctor.probes.tls import tls

    return await tls(facts)


async def _models(facts: Facts) -> ModelsReply:
    from doctor.probes.api import models

    return await models(facts)


async def _completion(facts: Facts) -> Reply:
    from doctor.probes.api import completion

    return await completion(facts)


async def _auth_control(facts: Facts) -> AuthControl:
    from doctor.probes.api import auth_control

    return await auth_control(facts)


async def _product(facts: Facts) -> Product:
    from doctor.probes.product import product

    return await product(facts)


async def _token_state(facts: Facts) -> TokenState:
    from doctor.probes.gateway import token_state

    return await token_state(facts)


async def _sdk(facts: Facts) -> SdkAnswer:
    # The SDK shows what the user sees, which is the connection as it stands; on a connection
    # that the repair search tries it would only repeat the request.
    if facts.changes:
        raise Unavailable("asked for the connection as configured only")
    from doctor.probes.sdk import sdk_answer

    return await sdk_answer(facts)


async def _engine(facts: Facts) -> Engine:
    if facts.behind is None:
        product = await facts.get(PRODUCT)
        if product.id != "vllm" or product.provider is not None:
            # Most runs end here, and import nothing that only engines need.
            return Engine(None, _("no vLLM address is known"))
    from doctor.probes.engine import engine

    return await engine(facts)


async def _metrics(facts: Facts) -> Metrics:
    from doctor.probes.metrics import metrics

    return await metrics(facts)


async def _metrics_later(facts: Facts) -> Metrics:
    from doctor.probes.metrics import metrics_later

    return await metrics_later(facts)


async def _gpus(facts: Facts) -> Gpus:
    from doctor.probes.gpus import gpus

    return await gpus(facts)


async def _starting(facts: Facts) -> tuple[Starting, ...]:
    from doctor.probes.starting import starting

    return await starting(facts)


async def _start_line(facts: Facts) -> StartLine:
    engine = await facts.get(ENGINE)
    if engine.root is None:
        raise Unavailable(engine.detail)
    from doctor.probes.startline import start_line

    return await start_line(facts)


async def _direct(facts: Facts) -> Direct:
    if facts.behind is None:
        raise Unavailable(_("no engine behind the gateway is named"))
    from doctor.probes.direct import direct

    return await direct(facts.behind)


async def _prefix_log(facts: Facts) -> PrefixLog:
    raise Unavailable(_("no request log is examined: 'kvdoctor prefix FILE' does that"))


async def _prefix_proof(facts: Facts) -> PrefixProof:
    raise Unavailable(_("nothing was sent again: 'kvdoctor prefix FILE --prove' does that"))


async def _launch(facts: Facts) -> Launch | None:
    return None  # 'kvdoctor launch' gives one to the store


async def _memory(facts: Facts) -> MemoryCase | None:
    return None  # 'kvdoctor memory' gives one to the store


async def _prefix_sources(facts: Facts) -> tuple[PrefixSource, ...]:
    raise Unavailable(_("no sources are examined: 'kvdoctor prefix FOLDER' does that"))


ENVIRONMENT = Fact("environment", Environment, _environment, Scope.RUN)
# Its class is imported where there is one; no bundle holds it.
LAUNCH: Fact[Launch | None] = Fact("launch", object, _launch, Scope.RUN)
MEMORY: Fact[MemoryCase | None] = Fact("memory", object, _memory, Scope.RUN)
PREFIX_LOG = Fact("prefix_log", PrefixLog, _prefix_log, Scope.RUN)
# Its class is imported where there is one; no bundle holds it.
PREFIX_PROOF: Fact[PrefixProof] = Fact("prefix_proof", object, _prefix_proof, Scope.RUN)
PREFIX_SOURCES = Fact("prefix_sources", tuple[PrefixSource, ...], _prefix_sources, Scope.RUN)
SETTINGS = Fact("settings", Settings, _settings, Scope.RUN)
LISTENERS = Fact("listeners", tuple[Listener, ...], _listeners, Scope.RUN, timeout=3.0)
PYTHON_HOMES = Fact("python_homes", tuple[PythonHome, ...], _python_homes, Scope.RUN, timeout=3.0)
CA_PATHS = Fact("ca_paths", tuple[CaPath, ...], _ca_paths, Scope.RUN, timeout=3.0)

ENDPOINT = Fact("endpoint", Endpoint, _endpoint)
PROXY_ROUTES = Fact("proxy_routes", ProxyRoutes, _proxy_routes)
PROXY_TCP = Fact("proxy_tcp", TcpAnswer, _proxy_tcp)
DNS = Fact("dns", DnsAnswer, _dns)
TCP = Fact("tcp", tuple[TcpAnswer, ...], _tcp)
TLS = Fact("tls", TlsAnswer, _tls)
MODELS = Fact("models", ModelsReply, _models)
COMPLETION = Fact("completion", Reply, _completion)
AUTH_CONTROL = Fact("auth_control", AuthControl, _auth_control)
PRODUCT = Fact("product", Product, _product)
TOKEN_STATE = Fact("token_state", TokenState, _token_state)
SDK = Fact("sdk", SdkAnswer, _sdk)
ENGINE = Fact("engine", Engine, _engine)
METRICS = Fact("metrics", Metrics, _metrics)
METRICS_LATER = Fact("metrics_later", Metrics, _metrics_later)
GPUS = Fact("gpus", Gpus, _gpus, Scope.RUN, timeout=10.0)
STARTING = Fact("starting", tuple[Starting, ...], _starting, timeout=5.0)
START_LINE = Fact("start_line", StartLine, _start_line, timeout=5.0)
DIRECT = Fact("direct", Direct, _direct)

ALL: tuple[Fact[object], ...] = tuple(
    value for value in list(globals().values()) if isinstance(value, Fact)
)
