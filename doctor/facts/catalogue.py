"""The facts that kvdoctor knows, and the probe that gathers each.

Probes are imported when a fact is first asked for, so that naming a fact costs nothing.
"""

from __future__ import annotations

from doctor.facts import observed as o
from doctor.facts.store import Fact, Facts, Scope, Unavailable


async def _environment(facts: Facts) -> o.Environment:
    return facts.run.environment


async def _settings(facts: Facts) -> o.Settings:
    return facts.run.settings


async def _listeners(facts: Facts) -> tuple[o.Listener, ...]:
    from doctor.probes.host import listeners

    return await listeners(facts)


async def _python_homes(facts: Facts) -> tuple[o.PythonHome, ...]:
    from doctor.probes.python_homes import python_homes

    return await python_homes(facts)


async def _ca_paths(facts: Facts) -> tuple[o.CaPath, ...]:
    from doctor.probes.ca_paths import ca_paths

    return await ca_paths(facts)


async def _endpoint(facts: Facts) -> o.Endpoint:
    from doctor.clients import profile

    connection = facts.connection
    return profile(connection.client).endpoint(connection)


async def _proxy_routes(facts: Facts) -> o.ProxyRoutes:
    from doctor.probes.proxies import proxy_routes

    return await proxy_routes(facts)


async def _proxy_tcp(facts: Facts) -> o.TcpAnswer:
    from doctor.probes.net import proxy_tcp

    return await proxy_tcp(facts)


async def _dns(facts: Facts) -> o.DnsAnswer:
    from doctor.probes.net import dns

    return await dns(facts)


async def _tcp(facts: Facts) -> tuple[o.TcpAnswer, ...]:
    from doctor.probes.net import tcp

    return await tcp(facts)


async def _tls(facts: Facts) -> o.TlsAnswer:
    from doctor.probes.tls import tls

    return await tls(facts)


async def _models(facts: Facts) -> o.ModelsReply:
    from doctor.probes.api import models

    return await models(facts)


async def _completion(facts: Facts) -> o.Reply:
    from doctor.probes.api import completion

    return await completion(facts)


async def _auth_control(facts: Facts) -> o.AuthControl:
    from doctor.probes.api import auth_control

    return await auth_control(facts)


async def _product(facts: Facts) -> o.Product:
    from doctor.probes.product import product

    return await product(facts)


async def _token_state(facts: Facts) -> o.TokenState:
    from doctor.probes.gateway import token_state

    return await token_state(facts)


async def _sdk(facts: Facts) -> o.SdkAnswer:
    # The SDK shows what the user sees, which is the connection as it stands; on a connection
    # that the repair search tries it would only repeat the request.
    if facts.changes:
        raise Unavailable("asked for the connection as configured only")
    from doctor.probes.sdk import sdk_answer

    return await sdk_answer(facts)


ENVIRONMENT = Fact("environment", o.Environment, _environment, Scope.RUN)
SETTINGS = Fact("settings", o.Settings, _settings, Scope.RUN)
LISTENERS = Fact("listeners", tuple[o.Listener, ...], _listeners, Scope.RUN, timeout=3.0)
PYTHON_HOMES = Fact("python_homes", tuple[o.PythonHome, ...], _python_homes, Scope.RUN, timeout=3.0)
CA_PATHS = Fact("ca_paths", tuple[o.CaPath, ...], _ca_paths, Scope.RUN, timeout=3.0)

ENDPOINT = Fact("endpoint", o.Endpoint, _endpoint)
PROXY_ROUTES = Fact("proxy_routes", o.ProxyRoutes, _proxy_routes)
PROXY_TCP = Fact("proxy_tcp", o.TcpAnswer, _proxy_tcp)
DNS = Fact("dns", o.DnsAnswer, _dns)
TCP = Fact("tcp", tuple[o.TcpAnswer, ...], _tcp)
TLS = Fact("tls", o.TlsAnswer, _tls)
MODELS = Fact("models", o.ModelsReply, _models)
COMPLETION = Fact("completion", o.Reply, _completion)
AUTH_CONTROL = Fact("auth_control", o.AuthControl, _auth_control)
PRODUCT = Fact("product", o.Product, _product)
TOKEN_STATE = Fact("token_state", o.TokenState, _token_state)
SDK = Fact("sdk", o.SdkAnswer, _sdk)

ALL: tuple[Fact[object], ...] = tuple(
    value for value in list(globals().values()) if isinstance(value, Fact)
)
