"""NO_PROXY as it was meant, and as every library reads it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from checks.network import _no_proxy as lists
from doctor.clients.base import endpoint_of
from doctor.facts.network import Endpoint
from doctor.proxyrules import STACKS, Variables, route
from doctor.proxyrules.portable import crashing, pieces, portable
from tests.kit import environment

PROXY = "http://127.0.0.1:7890"
TARGETS = [
    endpoint_of(f"http://{host}/v1")
    for host in (
        "127.0.0.1:8000",
        "localhost:8000",
        "10.1.2.3:4000",
        "gateway.example",
        "litellm:1",
    )
]

_entries = st.sampled_from(
    [
        "localhost",
        "127.*",
        "127.0.0.0/8",
        "10.0.0.0/8",
        "fe80::/10",
        "[::1]:8000",
        "*.example",
        "http://gateway.example",
        "<local>",
        "gateway.example:80",
        "“litellm”",
        ".corp.example",
        "x.*",
    ]
)
_lists = st.lists(_entries, max_size=5).flatmap(
    lambda entries: st.sampled_from([",", ";", " ", ", ", "，"]).map(lambda s: s.join(entries))
)


@given(value=_lists, target=st.sampled_from(TARGETS))
def test_the_portable_list_excludes_the_target_in_every_library(
    value: str, target: Endpoint
) -> None:
    better = portable(value, target)
    names = ("http_proxy", "HTTP_PROXY", "no_proxy", "NO_PROXY")
    variables = Variables(
        environment(dict(zip(names, (PROXY, PROXY, better, better), strict=True)))
    )
    for stack in STACKS:
        found = route(stack, target, variables)
        assert (found.proxy, found.error) == (None, None), (stack, better)


@given(value=_lists, target=st.sampled_from(TARGETS))
def test_writing_it_portably_twice_changes_nothing(value: str, target: Endpoint) -> None:
    once = portable(value, target)
    assert portable(once, target) == once


@pytest.mark.parametrize(
    ("value", "better"),
    [
        ("fe80::/10,10.0.0.0/8,.corp", "10.0.0.0/8,.corp"),  # httpx 0.28 dies of the first
        ("127.*; http://a.example/，'b'", "a.example,b"),
        ("*", "*"),
    ],
)
def test_what_some_library_reads_stays_in_the_list(value: str, better: str) -> None:
    assert portable(value, TARGETS[0]) == f"{better},localhost,127.0.0.1,::1"


@given(value=st.text(max_size=60), target=st.sampled_from(TARGETS))
def test_any_text_can_be_read(value: str, target: Endpoint) -> None:
    for piece in pieces(value):
        lists.means(piece, target)
        lists.trouble_with(piece, value)
    portable(value, target)
    crashing(value)


@pytest.mark.parametrize(
    ("piece", "host", "meant"),
    [
        ("127.*", "127.0.0.1", True),
        ("192.168.*", "192.168.1.5", True),
        ("192.168.*", "10.0.0.1", False),
        ("10.0.0.0/8", "10.1.2.3", True),
        ("*.example", "gateway.example", True),
        ("gateway.example:81", "gateway.example", False),
        ("gateway.example:80", "gateway.example", True),
        ("way.example", "gateway.example", False),
        ("<local>", "litellm", True),
        ("<local>", "gateway.example", False),
        ("localhost", "127.0.0.1", False),
    ],
)
def test_what_an_entry_was_meant_to_exclude(piece: str, host: str, meant: bool) -> None:
    assert lists.means(piece, endpoint_of(f"http://{host}/v1")) is meant
