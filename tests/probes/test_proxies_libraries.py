"""The rules for httpx, httpx2 and urllib against the libraries themselves.

Each library is asked in a process environment of the test's own which transport it would use; no
request is sent.
"""

from __future__ import annotations

import os
import re
import urllib.request
from typing import Any
from unittest import mock

import httpx
import httpx2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doctor.clients.base import endpoint_of
from doctor.facts.network import Endpoint
from doctor.proxyrules import Variables, route
from tests.kit import environment

PROXY = "http://127.0.0.1:7890"
HOSTS = ("127.0.0.1", "10.1.2.3", "localhost", "api.example.com", "example.com", "litellm", "[::1]")


def _ask_httpx(module: Any, url: str, variables: dict[str, str]) -> str | None:
    """The proxy that the library takes, None for direct; "!" and its text if it does not start."""
    with mock.patch.dict(os.environ, variables, clear=True):
        try:
            client = module.Client(verify=False)
        except (ValueError, ImportError, module.InvalidURL) as error:
            return f"!{error}"
    with client:
        transport = client._transport_for_url(module.URL(url))
        if transport is client._transport:
            return None
        proxy = transport._pool._proxy_url
        return f"{proxy.host.decode()}:{proxy.port}"


def _ask_urllib(url: str, variables: dict[str, str]) -> str | None:
    with mock.patch.dict(os.environ, variables, clear=True):
        request = urllib.request.Request(url)
        proxies = urllib.request.getproxies_environment()
        if urllib.request.proxy_bypass(request.host):
            return None
        found = proxies.get(request.type)
    return None if found is None else found.split("://", 1)[-1].rstrip("/")


def _ask_rule(stack: str, target: Endpoint, variables: dict[str, str]) -> str | None:
    found = route(stack, target, Variables(environment(variables)))
    if found.error is not None:
        return f"!{found.error}"
    return None if found.proxy is None else found.proxy.split("://", 1)[1].rstrip("/")


def _outcome(answer: str | None) -> str | None:
    """Refusals compare as such; their texts are compared where they are quoted to users."""
    return "!" if answer is not None and answer.startswith("!") else answer


_labels = st.sampled_from(["example.com", "com", "api", "localhost", "litellm", "host", "127", "1"])
_plain = st.one_of(
    st.sampled_from(HOSTS),
    st.sampled_from(["::1", "fe80::1", "127.0.0.0", "10.0.0.0"]),
    _labels,
)
_entry = st.one_of(
    _plain,
    _plain.map("*.{}".format),
    _plain.map(".{}".format),
    _plain.map("*{}".format),
    _plain.map("http://{}".format),
    _plain.map("https://{}".format),
    _plain.map("all://{}".format),
    st.tuples(_plain, st.integers(0, 40)).map(lambda p: f"{p[0]}/{p[1]}"),
    st.tuples(_plain, st.sampled_from([80, 443, 4000, 99])).map(lambda p: f"{p[0]}:{p[1]}"),
    _plain.map(" {} ".format),
    _plain.map("{}.".format),
    _plain.map("{}，localhost".format),
    _plain.map("{};localhost".format),
    _plain.map("{} localhost".format),
)
_lists = st.lists(_entry, min_size=1, max_size=3).map(",".join)
_urls = st.builds(
    "{}://{}{}/v1".format,
    st.sampled_from(["http", "https"]),
    st.sampled_from(HOSTS),
    st.sampled_from(["", ":4000"]),
)


@settings(deadline=None, max_examples=150)
@given(url=_urls, value=_lists, stack=st.sampled_from(["httpx", "httpx2"]))
def test_no_proxy_is_read_as_the_library_reads_it(url: str, value: str, stack: str) -> None:
    variables = {"all_proxy": PROXY, "no_proxy": value}
    module = {"httpx": httpx, "httpx2": httpx2}[stack]
    real = _ask_httpx(module, url, variables)
    assert _outcome(_ask_rule(stack, endpoint_of(url), variables)) == _outcome(real)


@settings(deadline=None, max_examples=150)
@given(url=_urls, value=_lists)
def test_urllib_reads_no_proxy_as_the_rule_says(url: str, value: str) -> None:
    variables = {"http_proxy": PROXY, "https_proxy": PROXY, "no_proxy": value}
    assert _ask_rule("urllib", endpoint_of(url), variables) == _ask_urllib(url, variables)


_names = st.sampled_from(
    ["http_proxy", "HTTP_PROXY", "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"]
)
_values = st.sampled_from(
    ["", "http://127.0.0.1:1", "http://127.0.0.1:2/", "127.0.0.1:3", "https://127.0.0.1:4"]
)


@settings(deadline=None, max_examples=150)
@given(
    url=_urls,
    variables=st.dictionaries(_names, _values, max_size=4),
    cgi=st.booleans(),
    stack=st.sampled_from(["httpx", "httpx2", "urllib"]),
)
def test_the_variable_that_counts_is_the_one_the_library_takes(
    url: str, variables: dict[str, str], cgi: bool, stack: str
) -> None:
    given_variables = {**variables, **({"REQUEST_METHOD": "GET"} if cgi else {})}
    if stack == "urllib":
        real = _ask_urllib(url, given_variables)
    else:
        real = _ask_httpx({"httpx": httpx, "httpx2": httpx2}[stack], url, given_variables)
    assert _ask_rule(stack, endpoint_of(url), given_variables) == real


@pytest.mark.parametrize(
    "value",
    [
        "socks://127.0.0.1:7890",
        "socks4://127.0.0.1:7890",
        "htp://127.0.0.1:7890",
        '"http://127.0.0.1:7890"',
        " http://127.0.0.1:7890",
        "http://127.0.0.1:abc",
        "http:127.0.0.1:7890",
        "http：//127.0.0.1:7890",
        "http://127.0.0.1:7890\n",
    ],
)
@pytest.mark.parametrize("stack", ["httpx", "httpx2"])
def test_a_value_that_stops_the_library_is_told_in_its_words(value: str, stack: str) -> None:
    url = "https://api.example.com/v1"
    variables = {"ALL_PROXY": value}
    real = _ask_httpx({"httpx": httpx, "httpx2": httpx2}[stack], url, variables)
    mine = _ask_rule(stack, endpoint_of(url), variables)
    assert real is not None
    assert mine is not None
    assert _kind(mine) == _kind(real)


def _kind(text: str) -> str:
    """The text without the URL, which the library quotes percent-encoded."""
    return re.sub(r"URL\(.*\)", "URL", text)


@pytest.mark.parametrize(
    "entry", ["fe80::/10", "fd07:b51a:cc66:f0::/64", "::1/128", "[::1]", "[::1]:4000"]
)
def test_the_crash_of_httpx_is_told_in_its_words(entry: str) -> None:
    url = "https://api.example.com/v1"
    variables = {"NO_PROXY": f"localhost,{entry}"}
    assert _ask_rule("httpx", endpoint_of(url), variables) == _ask_httpx(httpx, url, variables)
    assert _ask_rule("httpx2", endpoint_of(url), variables) is None


def test_a_socks_variable_stops_the_client_for_excluded_hosts_too() -> None:
    variables = {"all_proxy": "socks5://127.0.0.1:7897", "no_proxy": "api.example.com"}
    target = endpoint_of("https://api.example.com/v1")
    without = route("httpx2", target, Variables(environment(variables)), socks=False)
    assert without.error is not None
    assert "socksio" in without.error
    assert route("httpx2", target, Variables(environment(variables)), socks=True).proxy is None
