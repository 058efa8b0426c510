"""A user's machine with servers beside it; nothing but loopback is ever contacted."""

from __future__ import annotations

import datetime
import ssl
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import trustme

from .backstage import Backstage
from .contacts import CONTACTS, LOOPBACK, Contacts
from .machine import Machine

Certified = Callable[..., ssl.SSLContext]


@pytest.fixture
def machine(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Machine:
    return Machine(tmp_path, capsys)


@pytest.fixture
def stage() -> Iterator[Backstage]:
    with Backstage() as stage:
        yield stage


@pytest.fixture(autouse=True)
def contacts() -> Iterator[Contacts]:
    CONTACTS.clear()
    CONTACTS.watching = True
    yield CONTACTS
    CONTACTS.watching = False
    assert CONTACTS.hosts <= LOOPBACK


@pytest.fixture(scope="session")
def certified(authority: trustme.CA) -> Certified:
    """The context of a server that has a certificate for these names."""

    def make(*names: str) -> ssl.SSLContext:
        start = datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=1)
        cert = authority.issue_cert(*names, organization_name="Made Up Server", not_before=start)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        cert.configure_cert(context)
        return context

    return make
