"""Loopback addresses in the variables of a container."""

from __future__ import annotations

import pytest

from doctor.facts.settings import Role
from tests.settings.machine import Machine

MODEL = "OPENAI_API_KEY: sk-made-up-000000000000"


def proxies(machine: Machine, service: str, more: str = "") -> list[tuple[str, str | object]]:
    text = f"services:\n  app:\n{service}{more}"
    found = machine.discover({"compose.yaml": text})
    return [(s.name, s.value) for s in found.settings.sightings if s.role is Role.PROXY]


def service(*variables: str, more: str = "") -> str:
    lines = "".join(f"      {line}\n" for line in variables)
    return f"    image: app\n{more}    environment:\n{lines}"


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("GO_CHATGPT_API_PROXY", "socks5://127.0.0.1:40000", "socks5://127.0.0.1:40000"),
        ("https_proxy", "http://localhost:7890/", "http://localhost:7890"),
        ("PROXY_URL", "http://a:made-up@127.0.0.1:7890", "http://127.0.0.1:7890"),
    ],
)
def test_a_proxy_on_the_containers_own_localhost(
    machine: Machine, name: str, value: str, told: str
) -> None:
    assert proxies(machine, service(MODEL, f"{name}: {value}")) == [(name, told)]


@pytest.mark.parametrize(
    "value",
    [
        "http://host.docker.internal:7890",
        "http://proxy.example:7890",
        "socks5://warp:1080",
        "127.0.0.1:7890",
        "'true'",
    ],
)
def test_other_proxies_are_none_of_its_localhost(machine: Machine, value: str) -> None:
    assert proxies(machine, service(MODEL, f"HTTP_PROXY: {value}")) == []


@pytest.mark.parametrize(
    "more",
    [
        "    network_mode: host\n",
        "    network_mode: service:warp\n",
        "    ports:\n      - 7890:7890\n",
        "    ports:\n      - '127.0.0.1:9:7890/tcp'\n",
        "    ports:\n      - {target: 7890}\n",
        "    expose:\n      - 7880-7899\n",
        "    command: clash -p 7890\n",
    ],
)
def test_what_listens_in_the_container_itself(machine: Machine, more: str) -> None:
    given = service(MODEL, "HTTP_PROXY: http://127.0.0.1:7890", more=more)
    assert proxies(machine, given) == []


def test_a_port_that_another_variable_tells(machine: Machine) -> None:
    lines = (MODEL, "HTTP_PROXY: http://127.0.0.1:7890", "MIXED_PORT: 7890")
    assert proxies(machine, service(*lines)) == []


def test_a_service_that_shares_its_network(machine: Machine) -> None:
    beside = "  clash:\n    image: clash\n    network_mode: service:app\n"
    given = service(MODEL, "HTTP_PROXY: http://127.0.0.1:7890")
    assert proxies(machine, given, beside) == []


def test_a_service_that_has_nothing_to_do_with_models(machine: Machine) -> None:
    assert proxies(machine, service("HTTP_PROXY: http://127.0.0.1:7890")) == []


@pytest.mark.parametrize(("more", "seen"), [("", True), ("    ports:\n      - 8000:8000\n", False)])
def test_a_base_url_of_the_service_itself(machine: Machine, more: str, seen: bool) -> None:
    text = service(MODEL, "OPENAI_BASE_URL: http://localhost:8000/v1", more=more)
    found = machine.discover({"compose.yaml": f"services:\n  app:\n{text}"})
    bases = [s for s in found.settings.sightings if s.role is Role.BASE_URL]
    assert [base.in_container for base in bases] == [seen]


def test_the_target_of_the_service_has_its_proxy(machine: Machine) -> None:
    text = service(MODEL, "OPENAI_BASE_URL: https://a.example/v1", "HTTP_PROXY: http://localhost:9")
    found = machine.discover({"compose.yaml": f"services:\n  app:\n{text}"})
    (seen,) = [s for s in found.settings.sightings if s.role is Role.PROXY]
    assert seen.in_effect_for == tuple(target.id for target in found.targets) != ()
