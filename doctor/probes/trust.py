"""Which certificates a client trusts, and the TLS context that trusts the same.

Facts: facts/gateway-clients.md §2.5: httpx2 takes the store of the system, httpx certifi's, and
SSL_CERT_FILE, else SSL_CERT_DIR, replaces either. requests has variables of its own; Node adds a
file to the roots that it brings.
"""

from __future__ import annotations

import contextlib
import os
import ssl
import sys
from typing import TYPE_CHECKING

from doctor.clients.surroundings import environment_of
from doctor.connection import OriginKind
from doctor.patterns import Pattern
from doctor.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from doctor.facts.store import Facts

SYSTEM = "system"
CERTIFI = "certifi"

# By the names of ``doctor.proxyrules.STACKS``. Node's own roots are Mozilla's, as certifi's are.
_ON_NODE = ("node-fetch", "node-env-proxy", "axios", "gemini-cli", "qwen-code")
_BRINGS_ROOTS = frozenset({"httpx", "requests", *_ON_NODE})
_ADDING = {
    **dict.fromkeys((*_ON_NODE, "claude-code"), ("NODE_EXTRA_CA_CERTS",)),
    "bun": ("NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"),
}
_REPLACING = {
    "requests": ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"),
    "curl": ("CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR"),
    "codex": ("CODEX_CA_CERTIFICATE", "SSL_CERT_FILE", "SSL_CERT_DIR"),
}
_FILE = "SSL_CERT_FILE"
_FOLDER = "SSL_CERT_DIR"
# Where distributions keep the system's store, for an OpenSSL that was built to look elsewhere.
_BUNDLES = (
    "/etc/ssl/cert.pem",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/pki/tls/cert.pem",
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/ssl/ca-bundle.pem",
)
_HASHED = Pattern(r"[0-9a-fA-F]{8}\.\d")


@dataclass(frozen=True, slots=True)
class Trust:
    """``store`` is system or certifi. ``bundle`` is a file or folder that replaces it, or is added
    to it where ``adds``; ``variable`` is what named the bundle."""

    store: str = SYSTEM
    bundle: str | None = None
    adds: bool = False
    variable: str = ""

    @property
    def label(self) -> str:
        if self.bundle is None:
            return self.store
        shown = f"{self.variable}={self.bundle}" if self.variable else self.bundle
        return f"{self.store} + {shown}" if self.adds else shown


def trust_of(facts: Facts, stack: str) -> Trust:
    """What the client of ``facts`` trusts, whose HTTP library is ``stack``.

    A candidate repair comes before ``--ca-bundle``, that before the client's own setting, that
    before the environment. An empty setting stands for the store without any bundle.
    """
    environment = environment_of(facts.connection, facts.run.environment)
    store = CERTIFI if stack in _BRINGS_ROOTS else SYSTEM
    own = facts.connection.ca_bundle
    option = facts.run.options.ca_bundle
    if own is not None and (own.origin.kind is OriginKind.CHANGE or option is None):
        if not own.value:
            return Trust(store)
        return Trust(store, os.path.join(environment.cwd, own.value))
    if option is not None:
        return Trust(store, os.path.abspath(option))
    return _from_environment(store, stack, environment.variables, environment.cwd)


def _from_environment(store: str, stack: str, variables: Mapping[str, str], cwd: str) -> Trust:
    adding = _ADDING.get(stack)
    for name in adding or _REPLACING.get(stack, (_FILE, _FOLDER)):
        value = variables.get(name)
        if value:
            # Several folders may stand behind one another; they are not joined to anything.
            path = value if name == _FOLDER else os.path.join(cwd, value)
            return Trust(store, path, adds=adding is not None, variable=name)
    return Trust(store)


def build_context(trust: Trust) -> ssl.SSLContext:
    """The context that trusts what ``trust`` says. Blocking.

    Raises ``OSError`` (``ssl.SSLError`` among them) where a bundle cannot be used.
    """
    if trust.bundle is not None and not trust.adds:
        return _of_bundle(trust)
    if trust.store == CERTIFI:
        import certifi

        context = ssl.create_default_context(cafile=certifi.where())
    else:
        context = _of_system()
    if trust.bundle is not None:
        # Node warns about a file that it cannot use, and goes on without.
        with contextlib.suppress(OSError):
            context.load_verify_locations(cafile=trust.bundle)
    return context


def _of_bundle(trust: Trust) -> ssl.SSLContext:
    bundle = trust.bundle
    if trust.variable == _FOLDER or (trust.variable != _FILE and os.path.isdir(bundle or "")):
        return ssl.create_default_context(capath=bundle)
    return ssl.create_default_context(cafile=bundle)


def _of_system() -> ssl.SSLContext:
    if sys.platform in ("darwin", "win32"):
        import truststore

        return truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    # The places built into OpenSSL: its "default" ones would read the doctor's own SSL_CERT_FILE.
    built_in = ssl.get_default_verify_paths()
    file = built_in.openssl_cafile if os.path.isfile(built_in.openssl_cafile) else None
    folder = built_in.openssl_capath if _holds_certificates(built_in.openssl_capath) else None
    if file is None and folder is None:
        file = next((path for path in _BUNDLES if os.path.isfile(path)), None)
    if file is not None or folder is not None:
        context.load_verify_locations(file, folder)
    return context


def _holds_certificates(folder: str) -> bool:
    try:
        return any(_HASHED.fullmatch(name) for name in os.listdir(folder))
    except OSError:
        return False
