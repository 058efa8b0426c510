"""The probe: which proxy the examined client takes, by its own library."""

from __future__ import annotations

import asyncio

import pytest

from doctor.connection import Connection, Origin, OriginKind, ProxyMode, Setting
from doctor.context import Options, RunContext
from doctor.facts import PYTHON_HOMES
from doctor.facts.machine import Environment, PythonHome
from doctor.facts.network import ProxyRoutes
from doctor.facts.settings import Settings
from doctor.facts.store import Facts, Unavailable
from doctor.probes.proxies import proxy_routes
from doctor.secrets import Redactor
from tests.kit import GivenFacts, connection, environment

PROXY = "http://127.0.0.1:7890"


def routes(env: Environment, target: Connection | None = None, *homes: PythonHome) -> ProxyRoutes:
    context = RunContext(
        options=Options(),
        environment=env,
        settings=Settings(),
        recorder=GivenFacts({PYTHON_HOMES: homes} if homes else {}),
        redactor=Redactor(),
        requester=None,  # type: ignore[arg-type]  # the probe makes no request
    )
    return asyncio.run(proxy_routes(Facts(context, "target", target or connection())))


def home(**packages: str) -> PythonHome:
    return PythonHome(".venv", packages)


def test_the_variable_that_decides_is_named() -> None:
    found = routes(environment({"HTTPS_PROXY": PROXY}))
    assert (found.mine.stack, found.mine.proxy) == ("httpx2", PROXY)
    assert found.mine.variable == "HTTPS_PROXY"
    others = {route.stack: route.proxy for route in found.others}
    assert others["node-fetch"] is None
    assert others["requests"] == PROXY
    assert "httpx2" not in others


def test_no_variable_means_direct() -> None:
    found = routes(environment({}))
    assert (found.mine.proxy, found.mine.variable, found.mine.error) == (None, None, None)


def test_an_excluded_target_goes_direct_and_names_the_list() -> None:
    found = routes(environment({"HTTPS_PROXY": PROXY, "NO_PROXY": "gateway.example"}))
    assert (found.mine.proxy, found.mine.variable) == (None, "NO_PROXY")


@pytest.mark.parametrize(
    ("packages", "stack"),
    [
        ({"openai": "3.57.0", "httpx2": "2.16.2"}, "httpx2"),
        ({"openai": "2.8.1", "httpx": "0.28.1"}, "httpx"),
        ({"openai": "1.99.0"}, "httpx"),
        ({"requests": "2.34.2"}, "httpx2"),
    ],
)
def test_the_installed_sdk_tells_which_library_it_stands_on(
    packages: dict[str, str], stack: str
) -> None:
    assert routes(environment({}), None, home(**packages)).mine.stack == stack


def test_httpx_stops_at_an_ipv6_range_and_httpx2_does_not() -> None:
    env = environment({"NO_PROXY": "localhost,fe80::/10"})
    old = routes(env, None, home(openai="2.8.1"))
    assert old.mine.error == "Invalid port: ':'"
    assert old.mine.variable == "NO_PROXY"
    assert routes(env, None, home(openai="3.57.0")).mine.error is None


@pytest.mark.parametrize(("installed", "works"), [("socksio", True), ("requests", False)])
def test_socks_needs_its_add_on(installed: str, works: bool) -> None:
    env = environment({"ALL_PROXY": "socks5://127.0.0.1:1080"})
    found = routes(env, None, home(openai="3.57.0", **{installed: "1.0.0"}))
    assert (found.mine.error is None) is works
    assert (found.mine.proxy == "socks5://127.0.0.1:1080") is works


def test_a_setting_of_the_client_comes_before_every_variable() -> None:
    import dataclasses

    origin = Origin(OriginKind.FILE, "HTTPS_PROXY", "~/.claude/settings.json", 4)
    env = environment({"HTTPS_PROXY": PROXY, "NO_PROXY": "gateway.example"})
    own = dataclasses.replace(connection(), proxy=Setting("127.0.0.1:7897", origin))
    found = routes(env, own)
    assert found.mine.proxy == "http://127.0.0.1:7897"
    assert found.mine.variable == "HTTPS_PROXY"
    bad = dataclasses.replace(connection(), proxy=Setting("socks://127.0.0.1:1", origin))
    assert "Unknown scheme" in (routes(env, bad).mine.error or "")


def test_direct_is_direct() -> None:
    env = environment({"HTTPS_PROXY": PROXY})
    found = routes(env, connection(proxy=ProxyMode.DIRECT.value))
    assert found.mine.proxy is None
    assert found.mine.error is None


def test_a_base_url_that_leads_nowhere_has_no_route() -> None:
    with pytest.raises(Unavailable):
        routes(environment({}), connection("gateway.example/v1"))


def test_who_obeys_the_systems_exceptions_is_left_out() -> None:
    mac = environment({}, platform="darwin", system_proxies={"https": PROXY})
    found = routes(mac)
    assert (found.mine.proxy, found.mine.variable) == (PROXY, "macOS system proxy")
    told = {route.stack for route in found.others}
    assert "requests" not in told
    assert {"httpx", "node-fetch", "curl"} <= told
