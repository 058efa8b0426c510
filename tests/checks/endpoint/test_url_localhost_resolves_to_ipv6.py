"""KVD213 as a user meets it."""

from __future__ import annotations

import pytest

from doctor.facts import LISTENERS, TCP
from doctor.facts.answers import OutcomeKind, Reply
from doctor.facts.machine import Listener
from doctor.facts.network import TcpAnswer, TransportFault
from doctor.models import Status

from .world import Given, Server, always, answer, look, reply, serving

REFUSED = always(OutcomeKind.TRANSPORT, fault=TransportFault.REFUSED)


def tcp(address: str, *, ok: bool = False) -> TcpAnswer:
    return TcpAnswer("localhost", address, 11434, ok, 1, None if ok else "refused")


def on(*hosts: str) -> Server:
    """A server that listens on these hosts of the URL only."""

    def serve(method: str, url: str) -> Reply:
        if any(f"//{host}:" in url for host in hosts):
            return answer(method, url)
        return reply(OutcomeKind.TRANSPORT, method=method, url=url, fault=TransportFault.REFUSED)

    return serve


def test_localhost_reaches_the_address_on_which_nothing_listens() -> None:
    given: Given = {TCP: (tcp("::1"), tcp("127.0.0.1", ok=True))}
    seen = look("http://localhost:11434/v1", on("127.0.0.1"), given=given)
    assert (seen.roots, seen.base) == (["KVD213"], "http://127.0.0.1:11434/v1")
    assert "asked at ::1, the server listens on 127.0.0.1" in seen.said("KVD213")
    assert "KVD311" in seen.findings["KVD213"].explains


@pytest.mark.parametrize(
    ("base", "listens", "right"),
    [
        ("http://[::1]:11434/v1", "127.0.0.1", "http://127.0.0.1:11434/v1"),
        ("http://[::1]:11434/v1", "0.0.0.0", "http://127.0.0.1:11434/v1"),
        ("http://127.0.0.1:11434/v1", "::1", "http://[::1]:11434/v1"),
    ],
)
def test_what_listens_here_shows_the_other_address(base: str, listens: str, right: str) -> None:
    given: Given = {
        LISTENERS: (Listener(listens, 11434, "ollama"), Listener("0.0.0.0", 22, "sshd"))
    }
    finding = look(base, REFUSED, given=given).findings["KVD213"]
    assert [change.value for change in finding.changes] == [right]


@pytest.mark.parametrize(
    "listeners",
    [(), (Listener("127.0.0.1", 8000),), (Listener("127.0.0.1", 11434), Listener("::1", 11434))],
)
def test_without_a_listener_on_the_other_address_nothing_is_said(
    listeners: tuple[Listener, ...],
) -> None:
    given: Given = {LISTENERS: listeners}
    assert "KVD213" not in look("http://[::1]:11434/v1", REFUSED, given=given).codes


def test_a_server_on_one_address_that_answers_is_healthy() -> None:
    given: Given = {TCP: (tcp("::1"), tcp("127.0.0.1", ok=True))}
    assert look("http://localhost:11434/v1", serving("/v1"), given=given).codes == []


def test_a_proxy_in_between_is_another_matter() -> None:
    through = always(
        OutcomeKind.TRANSPORT, fault=TransportFault.REFUSED, via="http://127.0.0.1:7890"
    )
    given: Given = {TCP: (tcp("::1"), tcp("127.0.0.1", ok=True))}
    assert "KVD213" not in look("http://localhost:11434/v1", through, given=given).codes


def test_other_machines_are_not_looked_at() -> None:
    seen = look("https://gateway.example/v1", REFUSED)
    assert seen.results["KVD213"].status is Status.SKIPPED
