"""Scenarios in which something on the way is at fault."""

from __future__ import annotations

from doctor.demo.faults import Fault, Injection
from doctor.demo.newapi import NewApi
from doctor.demo.newapi_config import Key, KeyState, Model, NewApiConfig
from doctor.demo.proxy import ForwardProxy, ProxyMode
from doctor.demo.servers import Servers
from doctor.text import _

from .scenario import Area, Scenario, Setup
from .sound import MODEL, base_of, elsewhere, shell


async def _dead_proxy(servers: Servers) -> Setup:
    gateway = await servers.open(NewApi())
    proxy = f"http://127.0.0.1:{servers.silent_port()}"
    variables = {**shell(base_of(gateway)), "HTTP_PROXY": proxy, "HTTPS_PROXY": proxy}
    return Setup(variables, right={"proxy": "direct"})


async def _local_traffic_through_proxy(servers: Servers) -> Setup:
    """Case BR-059: a desktop proxy that answers 503 for an address of this machine."""
    gateway = await servers.open(NewApi())
    proxy = await servers.open(ForwardProxy(ProxyMode.UNAVAILABLE))
    variables = {**shell(base_of(gateway)), "HTTP_PROXY": proxy.origin}
    return Setup(variables, right={"proxy": "direct"})


async def _proxy_forbids(servers: Servers) -> Setup:
    gateway = await servers.open(NewApi())
    proxy = await servers.open(ForwardProxy(ProxyMode.FORBIDS))
    base, arguments = elsewhere(gateway)
    variables = {**shell(base), "HTTP_PROXY": proxy.origin}
    return Setup(variables, arguments=arguments, right={"proxy": "direct"})


async def _proxy_in_quotes(servers: Servers) -> Setup:
    gateway = await servers.open(NewApi())
    proxy = await servers.open(ForwardProxy())
    variables = {**shell(base_of(gateway)), "HTTP_PROXY": f'"{proxy.origin}"'}
    return Setup(variables, right={"proxy": proxy.origin})


async def _server_down(servers: Servers) -> Setup:
    return Setup(shell(f"http://127.0.0.1:{servers.silent_port()}/v1"))


async def _engine_down_behind_gateway(servers: Servers) -> Setup:
    nowhere = f"http://127.0.0.1:{servers.silent_port()}/v1"
    model = Model(MODEL, upstream=nowhere)
    gateway = await servers.open(NewApi(NewApiConfig(models=(model,))))
    return Setup(shell(base_of(gateway)))


async def _rate_limited(servers: Servers) -> Setup:
    keys = (Key(state=KeyState.RATE_LIMITED),)
    gateway = await servers.open(NewApi(NewApiConfig(keys=keys)))
    return Setup(shell(base_of(gateway)))


async def _hanging_server(servers: Servers) -> Setup:
    """The gateway lists its models, takes the request, and never says a word."""
    hang = {"/v1/chat/completions": Injection(Fault.HANG)}
    gateway = await servers.open(NewApi(NewApiConfig(faults=hang)))
    return Setup(shell(base_of(gateway)))


N = Area.NETWORK
SCENARIOS = (
    Scenario(
        "dead-proxy",
        N,
        _("HTTP_PROXY names a proxy of this machine that is not running."),
        _dead_proxy,
        ("KVD301",),
        proved=True,
    ),
    Scenario(
        "local-traffic-through-proxy",
        N,
        _("Requests to this machine go through a proxy, for NO_PROXY is not set."),
        _local_traffic_through_proxy,
        ("KVD302",),
        proved=True,
    ),
    Scenario(
        "proxy-forbids",
        N,
        _("The proxy itself answers 403 for the gateway's address."),
        _proxy_forbids,
        ("KVD307",),
        proved=True,
    ),
    Scenario(
        "proxy-in-quotes",
        N,
        _("The quotes are part of HTTP_PROXY, so that no client can read it."),
        _proxy_in_quotes,
        ("KVD304",),
        proved=True,
    ),
    Scenario(
        "server-down",
        N,
        _("Nothing listens on the port of the base URL."),
        _server_down,
        ("KVD311",),
    ),
    Scenario(
        "engine-down-behind-gateway",
        N,
        _("The gateway is well, the engine behind it is not running."),
        _engine_down_behind_gateway,
        ("KVD330",),
    ),
    Scenario(
        "rate-limited",
        N,
        _("The key has used up its requests of this minute."),
        _rate_limited,
        ("KVD331",),
    ),
    Scenario(
        "hanging-server",
        N,
        _("The gateway takes the request and never answers."),
        _hanging_server,
        ("KVD312",),
    ),
)
