"""NO_PROXY written so that every library reads it.

Portable are exact host names and addresses between commas, in both cases of the variable
(facts/gateway-clients.md §2.5); everything else works in some libraries only.
"""

from __future__ import annotations

from doctor.facts.network import Endpoint
from doctor.patterns import Pattern
from doctor.proxyrules import no_proxy
from doctor.urls import is_loopback

NAMES = ("no_proxy", "NO_PROXY")
QUOTES = "\"'`“”‘’"
_SEPARATORS = Pattern(r"[,;\s，；、]+")
_SCHEME = Pattern(r"[A-Za-z][A-Za-z0-9+.\-]*://")
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


def pieces(value: str) -> tuple[str, ...]:
    """The entries by every separator that people use, without quotes."""
    parts = (part.strip(QUOTES) for part in _SEPARATORS.split(value.strip()))
    return tuple(part for part in parts if part)


def without_scheme(piece: str) -> str:
    """An entry without the scheme and the slash of a URL."""
    match = _SCHEME.match(piece)
    return piece[match.end() if match else 0 :].rstrip("/")


def crashing(value: str) -> tuple[str, ...]:
    """The entries with which httpx 0.28 does not start."""
    anywhere = Endpoint(url="http://host.invalid", scheme="http", host="host.invalid", port=80)

    def crashes(entry: str) -> bool:
        try:
            no_proxy.httpx(entry, anywhere)
        except no_proxy.Refused:
            return True
        return False

    if "*" in no_proxy.separated(value):
        return ()
    return tuple(entry for entry in no_proxy.separated(value) if crashes(entry))


def with_target(entries: tuple[str, ...], target: Endpoint) -> str:
    """The list of ``entries`` and ``target``'s own name; for this machine all its usual names."""
    wanted = [target.host]
    if is_loopback(target.host):
        wanted = [*_LOOPBACK, *(() if target.host in _LOOPBACK else (target.host,))]
    return ",".join(dict.fromkeys((*entries, *wanted)))


def portable(value: str, target: Endpoint) -> str:
    """The list in the form that all libraries read, with ``target`` in it.

    Entries that some library understands stay; those that none does make way for the target's
    own name.
    """
    kept: list[str] = []
    for piece in pieces(value):
        plain = without_scheme(piece)
        useless = "*" in plain.removeprefix("*.") or piece == "<local>" or crashing(plain)
        if piece == "*" or not useless:
            kept.append(piece if piece == "*" else plain)
    return with_target(tuple(kept), target)
