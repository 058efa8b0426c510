"""One HTTP client for the demo servers: no proxy of the environment, no redirects followed."""

from __future__ import annotations

import ssl
from collections.abc import AsyncIterator

import httpx
import pytest

# Trusts nobody, and costs nothing: loading the public authorities takes longer than a test.
_NO_AUTHORITIES = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


@pytest.fixture
async def http() -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(trust_env=False, timeout=5.0, verify=_NO_AUTHORITIES) as client:
        yield client
