"""Servers with certificates of a made-up authority."""

from __future__ import annotations

import datetime
import ssl
from collections.abc import Callable
from typing import Any

import pytest
import trustme


@pytest.fixture(scope="session")
def server_context(authority: trustme.CA) -> Callable[..., ssl.SSLContext]:
    """The context of a server for these names; ``expired`` ended yesterday."""

    def make(*names: str, expired: bool = False) -> ssl.SSLContext:
        now = datetime.datetime.now(datetime.UTC)
        times: dict[str, Any] = {}
        if expired:
            times = {
                "not_before": now - datetime.timedelta(days=9),
                "not_after": now - datetime.timedelta(days=1),
            }
        cert = authority.issue_cert(*names, organization_name="Made Up Server", **times)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        cert.configure_cert(context)
        return context

    return make
