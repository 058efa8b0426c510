"""Settings of the whole suite."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, settings

if TYPE_CHECKING:
    import trustme

# No test asserts on time; a busy machine must not fail one either.
settings.register_profile("kvdoctor", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("kvdoctor")

# Texts are compared in English, whatever the developer's own language is.
for name in ("LC_ALL", "LC_MESSAGES", "LANGUAGE"):
    os.environ.pop(name, None)
os.environ["LANG"] = "C.UTF-8"


def pytest_configure() -> None:
    """In the background a shell makes its programs deaf to Ctrl-C, and they theirs: those that
    tests interrupt must hear it."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def authority() -> trustme.CA:
    """One that nobody trusts who is not told to; made once."""
    import trustme

    return trustme.CA(organization_name="Made Up Authority")


@pytest.fixture(scope="session")
def bundle(authority: trustme.CA, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with the authority's certificate."""
    path = tmp_path_factory.mktemp("ca") / "ca.pem"
    authority.cert_pem.write_to_path(path)
    return path
