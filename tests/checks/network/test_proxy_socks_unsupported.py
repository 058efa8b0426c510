"""KVD303: SOCKS where the client has no support for it."""

from __future__ import annotations

from doctor import facts
from doctor.facts.machine import PythonHome
from doctor.facts.network import TransportFault
from doctor.models import Confidence
from tests.checks.network.world import (
    Given,
    broken,
    examine,
    one,
    reply,
    values,
    variables,
)

STOPPED: Given = {facts.COMPLETION: broken(TransportFault.PROXY_SETTING, "it does not start")}
CLASH = "http://127.0.0.1:7897"


def test_socks_beside_an_http_proxy_is_left_out() -> None:
    env = variables(https_proxy=CLASH, http_proxy=CLASH, all_proxy="socks5://127.0.0.1:7897")
    found = one(examine(env, STOPPED), "KVD303")
    assert [(c.value, c.guess) for c in found.changes] == [(CLASH, False)]
    assert "unset all_proxy" in found.explanation
    assert "pip install socksio" in found.explanation
    assert "~/app/.venv" in found.explanation
    assert found.confidence is Confidence.HIGH


def test_socks_for_an_excluded_host_stops_the_client_too() -> None:
    env = variables(ALL_PROXY="socks5://127.0.0.1:7897", NO_PROXY="gateway.example")
    found = one(examine(env, STOPPED), "KVD303")
    assert [(c.value, c.guess) for c in found.changes] == [("direct", False)]


def test_socks_alone_offers_the_http_port_and_the_direct_way() -> None:
    found = one(examine(variables(HTTPS_PROXY="socks5://127.0.0.1:7897"), STOPPED), "KVD303")
    assert values(found) == [CLASH, "direct"]
    assert all(change.guess for change in found.changes)


def test_a_socks_proxy_on_another_machine_is_not_waited_for_first() -> None:
    found = one(examine(variables(HTTPS_PROXY="socks5://192.168.1.50:1081"), STOPPED), "KVD303")
    assert values(found) == ["direct", "http://192.168.1.50:1081"]


def test_with_the_add_on_installed_there_is_no_finding() -> None:
    home = PythonHome(".venv", {"openai": "3.57.0", "socksio": "1.0.0"})
    given: Given = {facts.COMPLETION: reply(via="x"), facts.PYTHON_HOMES: (home,)}
    assert examine(variables(ALL_PROXY="socks5://127.0.0.1:1080"), given) == ()


def test_without_any_environment_to_look_in_it_is_likely_only() -> None:
    given: Given = {**STOPPED, facts.PYTHON_HOMES: ()}
    found = one(examine(variables(ALL_PROXY="socks5://127.0.0.1:1080"), given), "KVD303")
    assert found.confidence is Confidence.MEDIUM
    assert "likely" in found.explanation
