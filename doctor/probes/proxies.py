"""The way of the examined client to its target, and that of every other HTTP library.

The rules are in ``doctor.proxyrules``; this probe applies them to the examined environment. A
client's profile names its library by one of ``doctor.proxyrules.STACKS`` or ``CLIENT_STACKS``;
a client whose id is itself in that table (claude-code, codex) goes by its own rule.
"""

from __future__ import annotations

from doctor.clients import ClientProfile, profile
from doctor.clients.surroundings import environment_of
from doctor.connection import ProxyMode
from doctor.facts import ENDPOINT, ENVIRONMENT, PYTHON_HOMES
from doctor.facts.machine import PythonHome
from doctor.facts.network import ProxyRoutes
from doctor.facts.store import Facts, Unavailable
from doctor.proxyrules import CLIENT_STACKS, STACKS, Route, Variables, explicit, route
from doctor.proxyrules.variables import SYSTEM_NAMES

# Up to these major versions the SDK stands on httpx, from the next one on on httpx2 (§0.8).
_LAST_ON_HTTPX = {"openai": 2, "anthropic": 1}
_SDK = {"openai-sdk": "openai", "anthropic-sdk": "anthropic"}
_OBEY_EXCEPTIONS = frozenset({"requests", "urllib", "aiohttp"})
_ADD_ON = {"httpx": "socksio", "httpx2": "socksio", "requests": "pysocks"}


async def proxy_routes(facts: Facts) -> ProxyRoutes:
    """Raises ``Unavailable`` where the connection has no URL, or its client's rules are unknown."""
    target = await facts.get(ENDPOINT)
    if target.url is None:
        raise Unavailable("the base URL leads nowhere, so there is no route to it")
    connection = facts.connection
    environment = environment_of(connection, await facts.get(ENVIRONMENT))
    variables = Variables(environment)
    homes = await facts.find(PYTHON_HOMES) or ()
    stack = stack_of(profile(connection.client), homes)
    socks = has_socks(stack, homes)
    mode = connection.proxy.value
    if mode == ProxyMode.DIRECT:
        mine = Route()
    elif mode == ProxyMode.ENVIRONMENT:
        mine = route(stack, target, variables, socks)
    else:
        mine = explicit(stack, mode, connection.proxy.origin.name, socks)
    others = {
        other: route(other, target, variables, has_socks(other, homes))
        for other in STACKS
        if other != stack
    }
    return ProxyRoutes(
        mine.of(stack),
        tuple(way.of(other) for other, way in others.items() if not _open(other, way)),
    )


def _open(stack: str, way: Route) -> bool:
    """Whether the system's list of exceptions, which is not known here, decides for ``stack``."""
    by_system = way.chosen is not None and way.chosen.name in SYSTEM_NAMES.values()
    return by_system and stack in _OBEY_EXCEPTIONS


def stack_of(client: ClientProfile, homes: tuple[PythonHome, ...]) -> str:
    """The client's library; that of an SDK depends on the version which is installed."""
    if client.id in STACKS:
        return client.id
    stack = CLIENT_STACKS.get(client.stack, client.stack)
    if stack not in STACKS:
        raise Unavailable(f"how {client.label} picks a proxy is not known")
    package = _SDK.get(client.id)
    for home in homes if package is not None else ():
        version = home.packages.get(package or "")
        if version is None:
            continue
        major = version.split(".", 1)[0]
        old = major.isdecimal() and int(major) <= _LAST_ON_HTTPX[package or ""]
        return "httpx" if old else stack
    return stack


def has_socks(stack: str, homes: tuple[PythonHome, ...]) -> bool:
    """Whether the library's SOCKS add-on was seen; libraries that need none have it."""
    add_on = _ADD_ON.get(stack)
    return add_on is None or any(add_on in home.packages for home in homes)
