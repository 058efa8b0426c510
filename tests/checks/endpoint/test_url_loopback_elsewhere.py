"""KVD208 as a user meets it."""

from __future__ import annotations

import dataclasses

import pytest

from doctor.connection import Origin, OriginKind, Setting
from doctor.facts import LISTENERS, TCP
from doctor.facts.answers import OutcomeKind
from doctor.facts.machine import Listener
from doctor.facts.network import TcpAnswer, TransportFault
from doctor.facts.settings import Role, Settings, Sighting
from doctor.models import Severity
from tests.kit import connection, environment

from .world import always, look, serving

REFUSED = always(OutcomeKind.TRANSPORT, fault=TransportFault.REFUSED)
CONTAINER = environment(in_container=True)
BASE = "http://localhost:8000/v1"


def compose(value: str, *, inside: bool = True, used_by: tuple[str, ...] = ()) -> Settings:
    name = "services.api.environment.OPENAI_API_BASE"
    origin = Origin(OriginKind.FILE, name, "~/app/docker-compose.yml", 5, True)
    sighting = Sighting(
        Role.BASE_URL, name, value, origin, in_effect_for=used_by, in_container=inside
    )
    return Settings(sightings=(sighting,))


@pytest.mark.parametrize("base", [BASE, "http://127.0.0.1:8000/v1"])
def test_localhost_in_a_container(base: str) -> None:
    seen = look(base, REFUSED, env=CONTAINER)
    assert "KVD208" in seen.codes
    said = seen.said("KVD208")
    assert "http://host.docker.internal:8000/v1" in said
    assert "http://SERVICE:8000/v1" in said
    assert "host-gateway" in said
    assert seen.findings["KVD208"].changes == ()
    # A server of this container that is down looks the same, so it is only likely.
    assert seen.findings["KVD208"].severity is Severity.WARNING
    assert seen.findings["KVD208"].explains == ()


def test_refused_connections_alone_show_it_too() -> None:
    tcp = (TcpAnswer("localhost", "127.0.0.1", 8000, False, 1, "refused"),)
    assert "KVD208" in look(BASE, env=CONTAINER, given={TCP: tcp}).codes


def test_a_server_in_the_same_container_that_is_there_is_no_fault() -> None:
    assert look(BASE, serving("/v1"), env=CONTAINER).codes == []
    listening = (Listener("0.0.0.0", 8000, "vllm"),)
    assert "KVD208" not in look(BASE, REFUSED, env=CONTAINER, given={LISTENERS: listening}).codes


def test_outside_a_container_localhost_is_this_machine() -> None:
    assert "KVD208" not in look(BASE, REFUSED).codes


def test_a_compose_file_that_points_at_localhost() -> None:
    seen = look("https://gateway.example/v1", serving("/v1"), settings=compose(BASE))
    assert seen.codes == ["KVD208"]
    finding = seen.findings["KVD208"]
    assert finding.severity is Severity.WARNING
    assert "docker-compose.yml:5" in seen.said("KVD208")
    assert "http://host.docker.internal:8000/v1" in finding.explanation
    assert "network_mode: host" in finding.explanation


@pytest.mark.parametrize(
    "settings",
    [
        compose("http://vllm:8000/v1"),
        compose("http://host.docker.internal:8000/v1"),
        compose(BASE, inside=False),
        compose(BASE, used_by=("compose-api",)),
    ],
)
def test_settings_that_may_be_right_or_are_told_elsewhere_are_left_alone(
    settings: Settings,
) -> None:
    assert look("https://gateway.example/v1", serving("/v1"), settings=settings).codes == []


def test_it_is_told_by_the_target_that_uses_the_setting() -> None:
    settings = compose(BASE, used_by=("compose-api",))
    origin = settings.sightings[0].origin
    target = dataclasses.replace(connection(BASE), base_url=Setting(BASE, origin))
    # From outside the container the server answers, from inside it would not.
    answering = look("", serving("/v1"), settings=settings, target=target)
    assert answering.findings["KVD208"].severity is Severity.ERROR
    refused = look("", REFUSED, settings=settings, target=target)
    assert "KVD311" in refused.findings["KVD208"].explains


def test_a_hosted_gateways_route_to_localhost() -> None:
    message = 'Post "http://localhost:8000/v1/chat/completions": connection refused'
    server = always(OutcomeKind.UPSTREAM_UNREACHABLE, 502, message=message)
    # The base is right, so only the check of the route may speak.
    seen = look("https://gateway.example/v1", server)
    assert seen.codes == ["KVD208"]
    assert "localhost:8000" in seen.findings["KVD208"].title
    assert "KVD330" in seen.findings["KVD208"].explains


def test_a_local_gateways_route_to_localhost_is_right() -> None:
    message = "Cannot connect to host localhost:8000"
    server = always(OutcomeKind.UPSTREAM_UNREACHABLE, 502, message=message)
    assert look("http://localhost:4000/v1", server).codes == []


@pytest.mark.parametrize("base", ["https://gateway.example/v1", "http://localhost:8317/v1"])
def test_a_service_that_keeps_out_of_private_networks(base: str) -> None:
    seen = look(base, always(OutcomeKind.UPSTREAM_UNREACHABLE,
                             message="connection to private IP is blocked"))  # fmt: skip
    assert "KVD208" in seen.codes
    assert "KVD330" in seen.findings["KVD208"].explains
