"""The table of facts/gateway-clients.md §2.5: which library heeds which way of writing NO_PROXY.

Every row was seen with the real programs against a proxy that does not run; the target is
http://127.0.0.1:19003.
"""

from __future__ import annotations

import pytest

from doctor.clients.base import endpoint_of
from doctor.facts.network import Endpoint
from doctor.proxyrules import Variables, route
from tests.kit import environment

PROXY = "http://127.0.0.1:7890"
ADDRESS = endpoint_of("http://127.0.0.1:19003/v1/chat/completions")
NAME = endpoint_of("http://t.example:19003/v1/chat/completions")
SUBDOMAIN = endpoint_of("http://a.t.example:19003/v1")
LOCALHOST = endpoint_of("http://localhost:19003/v1")
SIX = endpoint_of("http://[::1]:19003/v1")

STACKS = (
    "httpx2",
    "httpx",
    "requests",
    "urllib",
    "aiohttp",
    "node-env-proxy",
    "axios",
    "claude-code",
    "codex",
    "curl",
)

# "+" the target is excluded, "-" it is not, "!" the library does not start; one per library.
ROWS = [
    (ADDRESS, "127.0.0.1", "++++++++++"),
    (ADDRESS, "a, 127.0.0.1", "++++++++++"),
    (ADDRESS, "a 127.0.0.1", "-----+++-+"),
    (ADDRESS, "a;127.0.0.1", "----------"),
    (ADDRESS, "127.0.0.0/8", "+-+---++++"),
    (ADDRESS, "127.0.0.1:19003", "++-+-+++--"),
    (ADDRESS, "127.0.0.1:1", "----------"),
    (ADDRESS, "127.*", "----------"),
    (ADDRESS, "http://127.0.0.1", "++--------"),
    (ADDRESS, "*", "++++++++-+"),
    (ADDRESS, "a,*", "++----++--"),
    (ADDRESS, "localhost", "------+---"),
    (ADDRESS, "127.", "----------"),
    (ADDRESS, "'127.0.0.1'", "----------"),
    (ADDRESS, "fe80::/10", "-!--------"),
    (ADDRESS, "fd07:b51a:cc66:f0::/64", "-!--------"),
    (ADDRESS, "::1/128,127.0.0.1", "+!++++++++"),
    (NAME, "t.example", "++++++++++"),
    (NAME, "T.Example", "++++++++++"),
    (NAME, "example", "++++++-+++"),
    (NAME, ".example", "++++++++++"),
    (NAME, ".t.example", "--++++-+++"),
    (NAME, "*.example", "+----+++--"),
    (NAME, "t.example:19003", "++++-+++--"),
    (NAME, "t.example:1", "----------"),
    (NAME, "t.*", "----------"),
    (NAME, "xample", "----------"),
    (NAME, "*", "++++++++++"),
    (SUBDOMAIN, "t.example", "++++++-+++"),
    (SUBDOMAIN, "*.t.example", "+----+++--"),
    (LOCALHOST, "localhost", "++++++++++"),
    (LOCALHOST, "127.0.0.1", "------+---"),
    (SIX, "::1", "+++-+-++++"),
    (SIX, "[::1]", "+!-+-+++--"),
]


@pytest.mark.parametrize(
    ("target", "value", "expected"), ROWS, ids=[f"{r[0].host} {r[1]}" for r in ROWS]
)
def test_each_library_reads_no_proxy_by_its_own_rule(
    target: Endpoint, value: str, expected: str
) -> None:
    variables = Variables(environment({"http_proxy": PROXY, "no_proxy": value}))
    seen = ""
    for stack in STACKS:
        found = route(stack, target, variables)
        seen += "!" if found.error else "-" if found.proxy else "+"
    assert dict(zip(STACKS, seen, strict=True)) == dict(zip(STACKS, expected, strict=True))


@pytest.mark.parametrize("stack", STACKS)
def test_the_entry_that_matched_and_its_variable_are_told(stack: str) -> None:
    variables = Variables(environment({"http_proxy": PROXY, "no_proxy": "a, 127.0.0.1"}))
    found = route(stack, ADDRESS, variables)
    assert found.chosen is not None
    assert (found.chosen.name, found.entry) == ("no_proxy", "127.0.0.1")


@pytest.mark.parametrize("value", ["localhost,127.0.0.1,::1"])
@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize("target", [ADDRESS, LOCALHOST], ids=["address", "name"])
def test_the_portable_form_works_in_every_library(target: Endpoint, stack: str, value: str) -> None:
    given = {"http_proxy": PROXY, "HTTP_PROXY": PROXY, "no_proxy": value, "NO_PROXY": value}
    found = route(stack, target, Variables(environment(given)))
    assert (found.proxy, found.error) == (None, None)


# ------------------------------------------------------------------ which variable counts

A, B = "http://127.0.0.1:19001", "http://127.0.0.1:19002"
HTTPS = endpoint_of("https://t.example/v1")

# Per case: what each library takes ("A", "B", "-" for direct).
PRECEDENCE = [
    ({"http_proxy": A, "HTTP_PROXY": B}, NAME, "AAAAAAAABA"),
    ({"http_proxy": "", "HTTP_PROXY": B}, NAME, "------BBB-"),
    ({"HTTP_PROXY": B}, NAME, "BBBBBBBBB-"),
    ({"HTTPS_PROXY": B}, HTTPS, "BBBBBBBBBB"),
    ({"https_proxy": A, "HTTPS_PROXY": B}, HTTPS, "AAAAAAAABA"),
    ({"http_proxy": A}, HTTPS, "-----A-A--"),
    ({"https_proxy": A}, NAME, "-------A--"),
    ({"ALL_PROXY": A}, NAME, "AAA---AAAA"),
    ({"all_proxy": A, "ALL_PROXY": B}, NAME, "AAA---AABA"),
    ({"all_proxy": A, "http_proxy": B}, NAME, "BBBBBBBBBB"),
    ({"all_proxy": A, "http_proxy": ""}, NAME, "AAA---AAAA"),
    ({"all_proxy": "", "ALL_PROXY": B}, NAME, "------BBBB"),
    ({"REQUEST_METHOD": "GET", "HTTP_PROXY": B}, NAME, "-----BBB--"),
    ({"REQUEST_METHOD": "GET", "http_proxy": B}, NAME, "BBBBBBBB-B"),
    ({"http_proxy": A, "no_proxy": "x", "NO_PROXY": "t.example"}, NAME, "AAAAAAAA-A"),
    ({"http_proxy": A, "no_proxy": "t.example", "NO_PROXY": "x"}, NAME, "--------A-"),
    ({"http_proxy": A, "no_proxy": "", "NO_PROXY": "t.example"}, NAME, "AA-AAA----"),
    ({"HTTP_PROXY": "", "http_proxy": A}, NAME, "AAAAAAAA-A"),
    ({"http_proxy": A, "NO_PROXY": "", "no_proxy": "t.example"}, NAME, "--------A-"),
]


@pytest.mark.parametrize(
    ("variables", "target", "expected"),
    PRECEDENCE,
    ids=[str(sorted(r[0])) + r[1].scheme for r in PRECEDENCE],
)
def test_upper_and_lower_case_count_as_seen(
    variables: dict[str, str], target: Endpoint, expected: str
) -> None:
    found = {s: route(s, target, Variables(environment(variables))).proxy for s in STACKS}
    letters = {A: "A", B: "B", None: "-"}
    assert {s: letters[p] for s, p in found.items()} == dict(zip(STACKS, expected, strict=True))


def test_nodes_fetch_ignores_every_variable_unless_told() -> None:
    given = {"HTTPS_PROXY": A, "https_proxy": A}
    assert route("node-fetch", HTTPS, Variables(environment(given))).proxy is None
    told = {**given, "NODE_USE_ENV_PROXY": "1"}
    assert route("node-fetch", HTTPS, Variables(environment(told))).proxy == A
    by_flag = {**given, "NODE_OPTIONS": "--no-warnings --use-env-proxy"}
    assert route("node-fetch", HTTPS, Variables(environment(by_flag))).proxy == A


def test_on_windows_a_name_has_no_case() -> None:
    windows = environment({"HTTP_PROXY": A, "NO_PROXY": "t.example"}, platform="win32")
    assert route("curl", NAME, Variables(windows)).proxy is None
    without = environment({"HTTP_PROXY": A}, platform="win32")
    assert route("curl", NAME, Variables(without)).proxy == A


@pytest.mark.parametrize(
    ("variables", "expected"),
    [
        ({}, "http://127.0.0.1:7890"),
        ({"HTTP_PROXY": ""}, "http://127.0.0.1:7890"),
        ({"NO_PROXY": "x.example"}, None),
        ({"TRAVIS_APT_PROXY": A}, None),
        ({"http_proxy": A}, A),
    ],
    ids=["none", "empty", "no-proxy-alone", "any-proxy-variable", "variable"],
)
def test_the_system_is_asked_only_if_no_variable_says_anything(
    variables: dict[str, str], expected: str | None
) -> None:
    mac = environment(
        variables, platform="darwin", system_proxies={"http": "http://127.0.0.1:7890"}
    )
    found = route("httpx2", NAME, Variables(mac))
    assert found.proxy == expected
    if not variables:
        assert found.chosen is not None
        assert found.chosen.name == "macOS system proxy"
    assert route("node-env-proxy", NAME, Variables(environment({}))).proxy is None
    assert route("curl", NAME, Variables(mac)).proxy == (A if "http_proxy" in variables else None)
