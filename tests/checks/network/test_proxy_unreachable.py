"""KVD301: what the reader is told about a dead proxy, and what is tried."""

from __future__ import annotations

import dataclasses

import pytest

from doctor import facts
from doctor.connection import Origin, OriginKind, Setting
from doctor.facts.network import TransportFault
from doctor.facts.settings import EnvFile, EnvLine, EnvReader, Role, Settings, Sighting
from doctor.models import Severity, Status
from tests.checks.network.world import (
    PROXY,
    Given,
    broken,
    dead_proxy,
    examine,
    in_container,
    listener,
    one,
    reply,
    results_of,
    roots,
    said,
    tcp,
    values,
    variables,
)
from tests.kit import connection, environment


def test_it_names_the_variable_the_address_and_what_takes_it_away() -> None:
    found = one(examine(variables(HTTPS_PROXY=PROXY, ALL_PROXY=PROXY), dead_proxy()), "KVD301")
    assert found.title == "The proxy 127.0.0.1:7890 is not running"
    assert "HTTPS_PROXY" in found.explanation
    assert "[Errno 111] Connection refused" in found.explanation
    assert "unset HTTPS_PROXY ALL_PROXY" in found.explanation
    assert values(found) == ["direct"]
    assert not found.changes[0].guess


def test_it_says_whom_it_hits_and_whom_not() -> None:
    found = one(examine(variables(HTTPS_PROXY=PROXY), dead_proxy()), "KVD301")
    assert "requests" in found.clients
    assert "Node's fetch" not in found.clients
    assert "Node's fetch would go direct" in found.explanation


def test_another_proxy_that_listens_is_tried_first() -> None:
    given: Given = {
        **dead_proxy(),
        facts.LISTENERS: (
            listener(9097, "mihomo"),
            listener(7897, "mihomo"),
            listener(8000, "python3"),
        ),
    }
    found = one(examine(variables(HTTPS_PROXY=PROXY), given), "KVD301")
    assert values(found) == ["http://127.0.0.1:7897", "direct"]
    assert all(change.guess for change in found.changes)
    assert "mihomo listens on port 7897" in found.explanation


def test_a_key_in_clear_text_never_goes_to_a_proxy_that_was_not_configured() -> None:
    given: Given = {**dead_proxy(), facts.LISTENERS: (listener(7897, "mihomo"),)}
    target = connection("http://gateway.example/v1")
    found = one(examine(variables(HTTP_PROXY=PROXY), given, target), "KVD301")
    assert values(found) == ["direct"]


@pytest.mark.parametrize(
    "other",
    [listener(7897, "nginx"), listener(8000, "python3"), listener(9090, "mihomo")],
    ids=["other-program", "server", "control-port"],
)
def test_what_is_no_proxy_is_not_suggested(other: object) -> None:
    given: Given = {**dead_proxy(), facts.LISTENERS: (other,)}
    assert values(one(examine(variables(HTTPS_PROXY=PROXY), given), "KVD301")) == ["direct"]


def test_in_a_container_the_hosts_proxy_is_named() -> None:
    env = in_container(variables(HTTPS_PROXY=PROXY))
    found = one(examine(env, dead_proxy()), "KVD301")
    assert "http://host.docker.internal:7890" in found.explanation
    assert (
        "host.docker.internal"
        not in one(examine(variables(HTTPS_PROXY=PROXY), dead_proxy()), "KVD301").explanation
    )


def test_the_line_of_the_env_file_is_evidence() -> None:
    line = EnvLine(3, "HTTPS_PROXY", PROXY, {EnvReader.DOTENV: ("HTTPS_PROXY", PROXY)})
    settings = Settings(env_files=(EnvFile(".env", True, (line,)),))
    env = variables(HTTPS_PROXY=PROXY)
    assert ".env:3" in said(one(examine(env, dead_proxy(), settings=settings), "KVD301"))
    other = variables(HTTPS_PROXY="http://127.0.0.1:1")
    found = one(examine(other, dead_proxy("http://127.0.0.1:1"), settings=settings), "KVD301")
    assert ".env:3" not in said(found)


def test_a_setting_of_the_client_is_named_with_its_file() -> None:
    origin = Origin(OriginKind.FILE, "HTTPS_PROXY", "~/.claude/settings.json", 4)
    target = dataclasses.replace(connection(), proxy=Setting(PROXY, origin))
    found = one(examine(environment(), dead_proxy(), target), "KVD301")
    assert "~/.claude/settings.json:4" in found.explanation


def test_a_password_in_the_proxy_is_not_shown() -> None:
    proxy = "http://user:made-up-word@127.0.0.1:7890"
    for finding in examine(variables(HTTPS_PROXY=proxy), dead_proxy()):
        assert "made-up-word" not in said(finding)


def test_a_proxy_that_does_not_resolve_is_not_called_not_running() -> None:
    given: Given = {
        facts.PROXY_TCP: tcp("proxy.corp.example", 3128, "other", "Name or service not known"),
        facts.COMPLETION: broken(
            TransportFault.PROXY_UNREACHABLE,
            "[Errno -2] Name or service not known",
            "http://proxy.corp.example:3128",
        ),
    }
    findings = examine(variables(https_proxy="http://proxy.corp.example:3128"), given)
    found = one(findings, "KVD301")
    assert found.title == "The proxy proxy.corp.example:3128 cannot be reached"
    assert "Name or service not known" in found.explanation


def test_a_proxy_that_answered_is_not_dead_whatever_one_connect_says() -> None:
    given: Given = {
        facts.PROXY_TCP: tcp("127.0.0.1", 7890, "timeout"),
        facts.COMPLETION: reply(via=PROXY),
    }
    assert roots(examine(variables(HTTPS_PROXY=PROXY), given)) == []


def test_a_variable_for_the_other_scheme_is_not_looked_at() -> None:
    results = results_of(variables(HTTP_PROXY=PROXY), {facts.COMPLETION: reply()})
    status = {result.code: result.status for result in results}
    assert status["KVD301"] is Status.PASS


@pytest.mark.parametrize("fault", [TransportFault.READ_TIMEOUT, TransportFault.TLS_UNTRUSTED])
def test_a_request_that_got_past_the_proxy_proves_it_alive(fault: TransportFault) -> None:
    given: Given = {
        facts.PROXY_TCP: tcp("127.0.0.1", 7890, "timeout"),
        facts.COMPLETION: broken(fault, "it fails", PROXY),
    }
    codes = {finding.code for finding in examine(variables(HTTPS_PROXY=PROXY), given)}
    assert "KVD301" not in codes


def test_a_variable_that_leads_elsewhere_is_not_to_be_unset() -> None:
    env = variables(HTTPS_PROXY=PROXY, ALL_PROXY="http://proxy.corp.example:3128")
    found = one(examine(env, dead_proxy()), "KVD301")
    assert "`unset HTTPS_PROXY`" in found.explanation


def of_container(**more: object) -> Sighting:
    place = Origin(OriginKind.FILE, "services.app.environment.HTTP_PROXY", "compose.yaml", 6)
    value = "http://127.0.0.1:7890"
    seen = Sighting(Role.PROXY, "HTTP_PROXY", value, place, in_container=True)
    return dataclasses.replace(seen, **more)  # type: ignore[arg-type]


def test_a_proxy_on_a_containers_localhost() -> None:
    given: Given = {facts.SETTINGS: Settings(sightings=(of_container(),))}
    found = one(examine(variables(), given), "KVD301")
    assert found.title == "HTTP_PROXY points a container at a proxy on its own localhost"
    assert "http://host.docker.internal:7890" in found.explanation
    assert "compose.yaml:6" in found.explanation
    assert (found.severity, found.changes) == (Severity.WARNING, ())


def test_a_proxy_of_another_containers_target_is_told_there() -> None:
    given: Given = {facts.SETTINGS: Settings(sightings=(of_container(in_effect_for=("web",)),))}
    assert not [f for f in examine(variables(), given) if f.code == "KVD301"]
