"""The value of a proxy variable: what is wrong with it, and what was meant."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doctor.clients.base import endpoint_of
from doctor.proxyrules import STACKS, Variables, route, values
from doctor.proxyrules.values import Flaw
from tests.kit import environment


@pytest.mark.parametrize(
    ("value", "flaw", "better"),
    [
        ("127.0.0.1:7890", Flaw.NO_SCHEME, "http://127.0.0.1:7890"),
        ("proxy.corp.example:3128", Flaw.NO_SCHEME, "http://proxy.corp.example:3128"),
        ("socks://127.0.0.1:7890/", Flaw.SOCKS_WITHOUT_VERSION, "socks5://127.0.0.1:7890/"),
        ("socks4://127.0.0.1:1080", Flaw.SOCKS4, "socks5://127.0.0.1:1080"),
        ('"http://127.0.0.1:7890"', Flaw.QUOTES, "http://127.0.0.1:7890"),
        ("‘http://127.0.0.1:7890’", Flaw.QUOTES, "http://127.0.0.1:7890"),
        (" http://127.0.0.1:7890", Flaw.BLANK, "http://127.0.0.1:7890"),
        ("http://127.0.0.1:7890\n", Flaw.BLANK, "http://127.0.0.1:7890"),
        ("http：//127.0.0.1：7890", Flaw.FULL_WIDTH, "http://127.0.0.1:7890"),
        ("htp://127.0.0.1:7890", Flaw.SCHEME, "http://127.0.0.1:7890"),
        ("http:127.0.0.1:7890", Flaw.SCHEME, "http://127.0.0.1:7890"),
        ("http:/127.0.0.1:7890", Flaw.SCHEME, "http://127.0.0.1:7890"),
        ("http//127.0.0.1:7890", Flaw.SCHEME, "http://127.0.0.1:7890"),
        ("http://http://127.0.0.1:7890", Flaw.SCHEME, "http://127.0.0.1:7890"),
        ("http://127.0.0.1:abc", Flaw.PORT, None),
        ("http://127.0.0.1:99999", Flaw.PORT, None),
        ("http://:7890", Flaw.HOST, None),
        ("gopher://127.0.0.1:70", Flaw.SCHEME, None),
    ],
)
def test_what_is_wrong_and_what_was_meant(value: str, flaw: Flaw, better: str | None) -> None:
    assert flaw in values.flaws(value)
    assert values.corrected(value) == better


@pytest.mark.parametrize(
    "value",
    [
        "http://127.0.0.1:7890",
        "http://127.0.0.1:7890/",
        "HTTP://proxy.corp.example:3128",
        "https://proxy.corp.example",
        "socks5://127.0.0.1:1080",
        "socks5h://user:word@127.0.0.1:1080",
        "http://[::1]:7890",
        "",
    ],
)
def test_a_sound_value_has_no_flaw_and_stays(value: str) -> None:
    assert values.flaws(value) == ()
    if value:
        corrected = values.corrected(value)
        assert corrected is not None
        assert values.same_proxy(corrected, value)


_hosts = st.sampled_from(["127.0.0.1", "proxy.corp.example", "10.0.0.53", "[::1]"])
_junk = st.text(alphabet=" \t\"'“”", max_size=3)


@given(
    host=_hosts,
    port=st.integers(1, 65_535),
    scheme=st.sampled_from(["", "http://", "https://", "socks5://", "socks://", "htp://", "http:"]),
    before=_junk,
    after=_junk,
)
def test_a_correction_keeps_host_and_port_and_is_sound(
    host: str, port: int, scheme: str, before: str, after: str
) -> None:
    better = values.corrected(f"{before}{scheme}{host}:{port}{after}")
    assert better is not None
    assert values.flaws(better) == ()
    address = values.address(better)
    assert address is not None
    assert (address.host, address.port) == (host.strip("[]"), port)


@given(st.text(max_size=40))
def test_any_text_is_taken_apart_without_an_error(text: str) -> None:
    values.address(text)
    values.shown(text)
    better = values.corrected(text)
    assert better is None or values.flaws(better) == ()


@pytest.mark.parametrize(
    "value",
    ["http://user:made-up-word@127.0.0.1:7890", "user:made-up-word@127.0.0.1:7890"],
)
def test_a_password_is_never_shown(value: str) -> None:
    assert "made-up-word" not in values.shown(value)
    assert "127.0.0.1:7890" in values.shown(value)


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        ("http://127.0.0.1:7890", "http://127.0.0.1:7890/", True),
        ("127.0.0.1:7890", "http://127.0.0.1:7890", True),
        ("http://Proxy.example:80", "http://proxy.example", True),
        ("http://127.0.0.1:7890", "socks5://127.0.0.1:7890", False),
        ("http://127.0.0.1:7890", "http://127.0.0.1:7897", False),
        ("http://127.0.0.1:7890", None, False),
    ],
)
def test_two_spellings_of_one_proxy_are_one(left: str, right: str | None, same: bool) -> None:
    assert values.same_proxy(left, right) is same


_any_names = st.sampled_from(
    ["http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"]
)


@given(
    variables=st.dictionaries(
        _any_names, st.text(alphabet="htps:/[]@.*%0185 \tax，：#?", max_size=24), max_size=5
    ),
    url=st.sampled_from(["http://127.0.0.1:80/v1", "https://a.example/v1", "http://[::1]:9/v1"]),
    stack=st.sampled_from(sorted(STACKS)),
    socks=st.booleans(),
)
def test_no_value_breaks_a_rule(
    variables: dict[str, str], url: str, stack: str, socks: bool
) -> None:
    found = route(stack, endpoint_of(url), Variables(environment(variables)), socks)
    assert found.proxy is None or found.error is None
    if found.proxy is not None:
        assert "://" in found.proxy
        assert found.chosen is not None
