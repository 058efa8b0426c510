"""What stands at the paths that variables name as CA certificates."""

from __future__ import annotations

from pathlib import Path

import pytest
import trustme

from doctor.facts.machine import CaState, Environment
from doctor.probes.ca_paths import ca_paths_of


def environment_in(folder: Path, **variables: str) -> Environment:
    return Environment(variables=variables, platform="linux", home=str(folder), cwd=str(folder))


def test_a_bundle_is_counted(tmp_path: Path) -> None:
    authority = trustme.CA()
    (tmp_path / "ca.pem").write_bytes(authority.cert_pem.bytes() * 2)
    (found,) = ca_paths_of(environment_in(tmp_path, SSL_CERT_FILE="ca.pem"))
    assert (found.variable, found.path) == ("SSL_CERT_FILE", "ca.pem")
    assert (found.state, found.certificates) == (CaState.OK, 2)


@pytest.mark.parametrize(
    ("variable", "path", "state"),
    [
        ("SSL_CERT_FILE", "gone.pem", CaState.MISSING),
        ("SSL_CERT_FILE", "folder", CaState.DIRECTORY),
        ("SSL_CERT_FILE", "text.txt", CaState.NOT_PEM),
        ("SSL_CERT_FILE", "~/ca.pem", CaState.MISSING),
        ("REQUESTS_CA_BUNDLE", "folder", CaState.OK),
        ("NODE_EXTRA_CA_CERTS", "der.crt", CaState.NOT_PEM),
        ("SSL_CERT_DIR", "folder", CaState.OK),
        ("SSL_CERT_DIR", "text.txt", CaState.FILE),
        ("SSL_CERT_DIR", "gone:folder", CaState.OK),
        ("SSL_CERT_DIR", "gone", CaState.MISSING),
    ],
)
def test_what_stands_there(tmp_path: Path, variable: str, path: str, state: CaState) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "text.txt").write_text("not a certificate")
    (tmp_path / "der.crt").write_bytes(b"\x30\x82\x03\x5a")
    (found,) = ca_paths_of(environment_in(tmp_path, **{variable: path}))
    assert found.state is state


def test_unset_and_empty_variables_are_not_looked_at(tmp_path: Path) -> None:
    assert ca_paths_of(environment_in(tmp_path, SSL_CERT_FILE="", HOME="/x")) == ()
