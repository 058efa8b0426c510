"""Scenarios in which the base URL is at fault."""

from __future__ import annotations

from doctor.demo.keys import GOOD
from doctor.demo.newapi import NewApi
from doctor.demo.newapi_config import NewApiConfig, Variant
from doctor.demo.servers import Servers
from doctor.text import _

from .scenario import Area, Scenario, Setup
from .sound import BASE_PATH, MODEL, base_of, env_file, shell

# Stock new-api: the API below /v1, its console at every other path.
_STOCK = NewApiConfig(prefix="")


async def _base_without_v1(servers: Servers) -> Setup:
    """The console answers 200 and HTML to the POST."""
    gateway = await servers.open(NewApi(_STOCK))
    return Setup(shell(gateway.origin), right={"base_url": f"{gateway.origin}/v1"})


async def _base_without_api(servers: Servers) -> Setup:
    gateway = await servers.open(NewApi())
    return Setup(shell(f"{gateway.origin}/v1"), right={"base_url": base_of(gateway)})


async def _base_with_utm(servers: Servers) -> Setup:
    """A link copied from an article; the query swallows the path that the SDK appends."""
    gateway = await servers.open(NewApi())
    link = f"{base_of(gateway)}?utm_source=blog&utm_medium=post"
    return Setup(files={".env": env_file(shell(link))}, right={"base_url": base_of(gateway)})


async def _full_endpoint_pasted(servers: Servers) -> Setup:
    gateway = await servers.open(NewApi())
    pasted = f"{base_of(gateway)}/chat/completions"
    return Setup(shell(pasted), right={"base_url": base_of(gateway)})


async def _base_doubled_v1(servers: Servers) -> Setup:
    gateway = await servers.open(NewApi())
    return Setup(shell(f"{base_of(gateway)}/v1"), right={"base_url": base_of(gateway)})


async def _base_without_scheme(servers: Servers) -> Setup:
    gateway = await servers.open(NewApi())
    return Setup(shell(gateway.netloc + BASE_PATH), right={"base_url": base_of(gateway)})


async def _anthropic_base_with_v1(servers: Servers) -> Setup:
    gateway = await servers.open(NewApi())
    variables = {
        "ANTHROPIC_BASE_URL": base_of(gateway),
        "ANTHROPIC_AUTH_TOKEN": GOOD,
        "ANTHROPIC_MODEL": MODEL,
    }
    return Setup(variables, right={"base_url": f"{gateway.origin}/api"})


async def _https_on_plain_port(servers: Servers) -> Setup:
    gateway = await servers.open(NewApi())
    secure = base_of(gateway).replace("http://", "https://", 1)
    return Setup(shell(secure), right={"base_url": base_of(gateway)})


async def _console_address(servers: Servers) -> Setup:
    """The address of the page on which the key was made."""
    gateway = await servers.open(NewApi(_STOCK))
    page = f"{gateway.origin}/console/token"
    return Setup(shell(page), right={"base_url": f"{gateway.origin}/v1"})


async def _base_of_another_provider(servers: Servers) -> Setup:
    gateway = await servers.open(NewApi(_STOCK))
    foreign = f"{gateway.origin}/compatible-mode/v1"
    return Setup(shell(foreign), right={"base_url": f"{gateway.origin}/v1"})


async def _protocol_not_served(servers: Servers) -> Setup:
    """new-api of spring 2025 has no /v1/responses, which Codex speaks."""
    gateway = await servers.open(NewApi(NewApiConfig(variant=Variant.OLD)))
    return Setup(shell(base_of(gateway)), arguments=("--protocol", "openai-responses"))


E = Area.ENDPOINT
SCENARIOS = (
    Scenario(
        "base-without-v1",
        E,
        _("The base URL lacks /v1, so the gateway's console answers with a web page."),
        _base_without_v1,
        ("KVD201",),
        proved=True,
    ),
    Scenario(
        "base-without-api",
        E,
        _("The base URL lacks /api, below which this gateway has its API."),
        _base_without_api,
        ("KVD202",),
        proved=True,
    ),
    Scenario(
        "base-with-utm",
        E,
        _("The base URL was copied from a link and carries ?utm_source=…"),
        _base_with_utm,
        ("KVD205",),
        proved=True,
    ),
    Scenario(
        "full-endpoint-pasted",
        E,
        _("/chat/completions was pasted into the base URL, and the SDK appends it again."),
        _full_endpoint_pasted,
        ("KVD204",),
        proved=True,
    ),
    Scenario(
        "base-doubled-v1",
        E,
        _("The base URL has /v1 twice."),
        _base_doubled_v1,
        ("KVD203",),
        proved=True,
    ),
    Scenario(
        "base-without-scheme",
        E,
        _("The base URL begins with the host, without http://."),
        _base_without_scheme,
        ("KVD206",),
        proved=True,
    ),
    Scenario(
        "anthropic-base-with-v1",
        E,
        _("ANTHROPIC_BASE_URL ends in /v1, which the Anthropic SDK appends itself."),
        _anthropic_base_with_v1,
        ("KVD209",),
        proved=True,
    ),
    Scenario(
        "https-on-plain-port",
        E,
        _("The base URL says https, and the port speaks http."),
        _https_on_plain_port,
        ("KVD207",),
        proved=True,
    ),
    Scenario(
        "console-address",
        E,
        _("The base URL is the console's page on which keys are made."),
        _console_address,
        ("KVD215",),
        proved=True,
    ),
    Scenario(
        "base-of-another-provider",
        E,
        _("The path of the base URL is that of another provider."),
        _base_of_another_provider,
        ("KVD211",),
        proved=True,
    ),
    Scenario(
        "protocol-not-served",
        E,
        _("The client speaks the Responses API, and this gateway is too old for it."),
        _protocol_not_served,
        ("KVD214",),
    ),
)
