"""Bun's own fetch, on which opencode and Cline run: every row was seen with Bun 1.3.14."""

from __future__ import annotations

import pytest

from doctor.clients.base import endpoint_of
from doctor.facts.network import Endpoint
from doctor.proxyrules import Variables, route
from tests.kit import environment

PROXY = "http://127.0.0.1:7890"
PLAIN = endpoint_of("http://gateway.example/v1")
PORT = endpoint_of("http://gateway.example:8000/v1")
SECURE = endpoint_of("https://gateway.example/v1")
ADDRESS = endpoint_of("http://127.0.0.1:8000/v1")
SIX = endpoint_of("http://[::1]:8000/v1")


@pytest.mark.parametrize(
    ("target", "entries", "excluded"),
    [
        (PLAIN, "gateway.example", True),
        (PLAIN, "GATEWAY.Example", True),
        (PLAIN, "example", True),
        (PLAIN, ".example", True),
        (PLAIN, "way.example", False),
        (PLAIN, "*.example", False),
        (PLAIN, "gateway.*", False),
        (PLAIN, "gateway.example:80", False),
        (PORT, "gateway.example:8000", True),
        (PORT, "gateway.example:80", False),
        (PLAIN, "a , gateway.example", True),
        (PLAIN, "a gateway.example", False),
        (PLAIN, "a;gateway.example", False),
        (PLAIN, "http://gateway.example", False),
        (PLAIN, '"gateway.example"', False),
        (PLAIN, "*", True),
        (PLAIN, "a,*", True),
        (PLAIN, ",", False),
        (ADDRESS, "127.0.0.0/8", False),
        (ADDRESS, "127.0.0.*", False),
        (ADDRESS, "0.1", True),
        (ADDRESS, "localhost", False),
        (SIX, "::1", False),
        (SIX, "[::1]", True),
    ],
)
def test_its_exceptions(target: Endpoint, entries: str, excluded: bool) -> None:
    found = route("bun", target, Variables(environment({"HTTP_PROXY": PROXY, "NO_PROXY": entries})))
    assert found.proxy == (None if excluded else PROXY)


@pytest.mark.parametrize(
    ("target", "variables", "proxy"),
    [
        (PLAIN, {"HTTP_PROXY": PROXY}, PROXY),
        (PLAIN, {"http_proxy": PROXY, "HTTP_PROXY": "http://127.0.0.1:9"}, PROXY),
        (PLAIN, {"http_proxy": "", "HTTP_PROXY": PROXY}, PROXY),
        (PLAIN, {"HTTPS_PROXY": PROXY, "ALL_PROXY": PROXY}, None),
        (SECURE, {"HTTPS_PROXY": PROXY}, PROXY),
        (SECURE, {"HTTP_PROXY": PROXY, "ALL_PROXY": PROXY}, None),
        (PLAIN, {"HTTP_PROXY": "127.0.0.1:7890"}, PROXY),
        (PLAIN, {"HTTP_PROXY": PROXY, "NO_PROXY": "gateway.example", "no_proxy": ""}, None),
        (PLAIN, {"HTTP_PROXY": PROXY, "NO_PROXY": "gateway.example", "no_proxy": "a"}, PROXY),
    ],
)
def test_which_variable_it_takes(
    target: Endpoint, variables: dict[str, str], proxy: str | None
) -> None:
    found = route("bun", target, Variables(environment(variables)))
    assert (found.proxy, found.error) == (proxy, None)


@pytest.mark.parametrize(
    ("value", "error"),
    [
        ("socks5://127.0.0.1:1080", "UnsupportedProxyProtocol"),
        ("htp://127.0.0.1:7890", "UnsupportedProxyProtocol"),
        ("http://", "Unable to connect"),
        ("http://127.0.0.1:abc", "Unable to connect"),
        (f" {PROXY} ", "Unable to connect"),
        (f'"{PROXY}"', "Unable to connect"),
    ],
)
def test_what_it_does_not_take(value: str, error: str) -> None:
    found = route("bun", PLAIN, Variables(environment({"HTTP_PROXY": value})))
    assert found.error is not None
    assert found.error.startswith(error)
