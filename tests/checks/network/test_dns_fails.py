"""KVD310: names."""

from __future__ import annotations

import pytest

from doctor import facts
from doctor.facts.network import TransportFault
from doctor.models import Hop, Status
from tests.checks.network.world import (
    PROXY,
    Given,
    broken,
    dns,
    examine,
    in_container,
    one,
    results_of,
    variables,
)
from tests.kit import connection

F = TransportFault
UNKNOWN = "[Errno -2] Name or service not known"


def unresolved(host: str, error: str = UNKNOWN) -> Given:
    return {facts.DNS: dns(host, error), facts.COMPLETION: broken(F.DNS, error)}


def test_a_name_that_does_not_exist() -> None:
    found = one(examine(variables(), unresolved("gateway.example")), "KVD310")
    assert found.title == "The name gateway.example does not exist"
    assert found.hop is Hop.DNS


@pytest.mark.parametrize(
    "error", ["[Errno -3] Temporary failure in name resolution", "no answer within 10 s"]
)
def test_a_silent_resolver_says_nothing_about_the_name(error: str) -> None:
    found = one(examine(variables(), unresolved("gateway.example", error)), "KVD310")
    assert found.title == "The resolver does not answer for gateway.example"
    assert "says nothing about the name" in found.explanation


def test_a_misspelt_provider_is_named_and_never_asked() -> None:
    target = connection("https://taotokn.net/api/v1")
    found = one(examine(variables(), unresolved("taotokn.net"), target), "KVD310")
    assert "Likely taotoken.net is meant" in found.explanation
    assert found.changes == ()


def test_a_name_like_nobodys_gets_no_suggestion() -> None:
    found = one(examine(variables(), unresolved("gateway.example")), "KVD310")
    assert "is meant" not in found.explanation


@pytest.mark.parametrize(
    ("base", "words"),
    [
        ("http://litellm:4000/v1", "One-word names"),
        ("http://host.docker.internal:8000/v1", "Only containers know it"),
    ],
)
def test_names_of_other_networks_are_explained(base: str, words: str) -> None:
    host = base.split("/")[2].split(":")[0]
    found = one(examine(variables(), unresolved(host), connection(base)), "KVD310")
    assert words in found.explanation


def test_in_a_container_the_docker_hosts_name_needs_an_entry() -> None:
    target = connection("http://host.docker.internal:8000/v1")
    env = in_container(variables())
    found = one(examine(env, unresolved("host.docker.internal"), target), "KVD310")
    assert "extra_hosts" in found.explanation


def test_a_proxy_that_others_would_use_is_named() -> None:
    env = variables(HTTP_PROXY=PROXY, NO_PROXY="gateway.example")
    target = connection("http://gateway.example/v1")
    found = one(examine(env, unresolved("gateway.example"), target), "KVD310")
    assert "would go through" not in found.explanation
    upper = variables(HTTPS_PROXY="http://proxy.corp.example:3128", https_proxy="")
    found = one(examine(upper, unresolved("gateway.example")), "KVD310")
    assert "proxy.corp.example:3128 (HTTPS_PROXY)" in found.explanation


def test_behind_a_proxy_the_name_is_not_this_machines_business() -> None:
    results = results_of(variables(HTTPS_PROXY=PROXY), unresolved("gateway.example"))
    status = {result.code: result.status for result in results}
    assert status["KVD310"] is Status.SKIPPED
    assert status["KVD311"] is Status.SKIPPED
