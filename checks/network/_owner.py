"""Which code owns a request that does not get past its proxy. One fault, one code.

A dead proxy for a local target, say, is met by several checks. Whose fault it is depends on what
would repair it, so it is decided in one place: what the user evidently wanted and wrote wrongly
comes first, then what can never work, then what is broken.
"""

from __future__ import annotations

from doctor.facts.answers import OutcomeKind
from doctor.facts.network import TransportFault
from doctor.proxyrules import values
from doctor.proxyrules.stacks import PYSOCKS_MISSING, SOCKSIO_MISSING

from . import _no_proxy
from ._conflict import conflict_that_hides_exclusion
from ._way import Way
from ._words import set_by_system

F = TransportFault

DEAD, LOCAL, SOCKS, MALFORMED, CONFLICT, SYSTEM, REFUSES = (
    "KVD301",
    "KVD302",
    "KVD303",
    "KVD304",
    "KVD305",
    "KVD306",
    "KVD307",
)
ALL = (DEAD, LOCAL, SOCKS, MALFORMED, CONFLICT, SYSTEM, REFUSES)
# What is seen of a request that never got past its proxy.
CONSEQUENCES = (
    "KVD111",
    "KVD115",
    "KVD210",
    "KVD308",
    "KVD310",
    "KVD311",
    "KVD312",
    "KVD313",
    "KVD320",
    "KVD322",
    "KVD323",
    "KVD324",
    "KVD330",
    "KVD332",
)

_SOCKS_ERRORS = (SOCKSIO_MISSING, PYSOCKS_MISSING, "protocol mismatch", "unknown url type: socks")
# The proxy takes the connection, and nothing comes of it.
_CUT = frozenset({F.RESET, F.PROTOCOL, F.OTHER, F.REFUSED, F.CONNECT_TIMEOUT, F.DNS})
_TLS_TO_PROXY = frozenset({F.PROXY_SETTING, F.TLS_TO_PLAIN})
_NEVER_DIALLED = frozenset({values.Flaw.PORT, values.Flaw.HOST})


def owner(way: Way) -> str | None:
    """The code that owns the fault; None where no proxy stands between client and target, or
    the target answered through it."""
    if way.mine.error is not None:
        return SOCKS if is_socks_error(way) else MALFORMED
    if way.proxy is None or not (way.fails or way.proxy_is_dead):
        return None
    if way.by_environment:
        stack, target, variables = way.mine.stack, way.target, way.variables
        if _no_proxy.lost(stack, target, variables) is not None:
            return MALFORMED
        if conflict_that_hides_exclusion(way) is not None:
            return CONFLICT
    unusable = way.fault is F.PROXY_SETTING or is_tls_to_plain_proxy(way)
    if unusable or not _NEVER_DIALLED.isdisjoint(values.flaws(way.proxy)):
        return MALFORMED
    if way.target_is_loopback and not way.proxy_is_loopback:
        return LOCAL
    if way.proxy_is_dead:
        return DEAD
    return _of_a_living_proxy(way)


def _of_a_living_proxy(way: Way) -> str | None:
    refused = way.kind is OutcomeKind.PROXY_PAGE or way.fault is F.PROXY_REFUSES
    stuck = way.fault in _CUT or way.fault is F.READ_TIMEOUT
    if way.target_is_local and (refused or stuck):
        # A proxy that asks for a password does not serve the local network worse than any other.
        return REFUSES if way.status == 407 and not way.target_is_loopback else LOCAL
    if refused:
        return REFUSES
    if way.fault in _CUT:
        return SYSTEM if set_by_system(way) else REFUSES
    return None


def is_socks_error(way: Way) -> bool:
    """The client does not start because of a SOCKS proxy that it cannot use."""
    error = way.mine.error or ""
    if "UnsupportedProxyProtocol" in error:
        return True
    return any(error.startswith(known) for known in _SOCKS_ERRORS)


def is_tls_to_plain_proxy(way: Way) -> bool:
    """The proxy's URL says https, and the proxy itself speaks no TLS."""
    if way.proxy is None or values.scheme_of(way.proxy) != "https" or way.reached:
        return False
    return way.fault in _TLS_TO_PROXY
