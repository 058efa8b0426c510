"""From an exception to the fault that it stands for, with the text that names it.

The texts are those that users paste: an HTTP library's own is often only "All connection attempts
failed", so the innermost cause speaks.
"""

from __future__ import annotations

import errno
import os
import re
import socket
import ssl
from collections.abc import Iterator

from doctor.facts.network import TransportFault
from doctor.patterns import Pattern
from doctor.probes.phases import Phases

F = TransportFault

# What OpenSSL says when the other side speaks no TLS.
_NO_TLS = frozenset(
    {"WRONG_VERSION_NUMBER", "HTTP_REQUEST", "UNKNOWN_PROTOCOL", "RECORD_LAYER_FAILURE"}
)
# X509_V_ERR: host name, address, not yet valid, expired.
_NAME_OR_DATE = frozenset({62, 64, 9, 10})
_NAME_OR_DATE_WORDS = Pattern(
    r"hostname mismatch|ip address mismatch|not valid for|doesn't match|has expired|not yet valid"
    r"|CN name",
    re.I,
)
# What h11 says of an answer whose first byte is no text: a TLS server's alert begins with 0x15.
_NO_TEXT = "illegal request line"
_NO_WAY = (errno.ETIMEDOUT, errno.EHOSTUNREACH, errno.ENETUNREACH)


def chain_of(error: BaseException) -> Iterator[BaseException]:
    """The error, its causes and what groups of errors hold, outermost first."""
    seen: set[int] = set()
    waiting: list[BaseException] = [error]
    while waiting:
        current = waiting.pop(0)
        if id(current) in seen:
            continue
        seen.add(id(current))
        yield current
        if isinstance(current, BaseExceptionGroup):
            waiting.extend(current.exceptions)
        inner = current.__cause__ or current.__context__
        if inner is not None:
            waiting.append(inner)


def text_of(error: BaseException) -> str:
    """``[Errno 111] Connection refused``: the system's words for an OSError, else the class's."""
    winerror = getattr(error, "winerror", None)
    if isinstance(error, ssl.SSLError | socket.gaierror) or winerror:
        return str(error)
    if isinstance(error, OSError) and error.errno:
        return f"[Errno {error.errno}] {os.strerror(error.errno)}"
    return str(error) or type(error).__name__


def tls_fault(error: ssl.SSLError) -> TransportFault:
    """What went wrong in a handshake."""
    if isinstance(error, ssl.SSLCertVerificationError):
        told = f"{error.verify_message} {error}" if hasattr(error, "verify_message") else str(error)
        code = getattr(error, "verify_code", 0)
        about_name = code in _NAME_OR_DATE or _NAME_OR_DATE_WORDS.search(told) is not None
        return F.TLS_NAME_OR_DATE if about_name else F.TLS_UNTRUSTED
    return F.TLS_TO_PLAIN if error.reason in _NO_TLS else F.TLS_OTHER


def fault_of(
    error: BaseException, phases: Phases, *, proxied: bool, timeout: float
) -> tuple[TransportFault, str]:
    """The fault and its text. The text may hold the key: redact it."""
    chain = list(chain_of(error))
    names = {type(each).__name__: each for each in reversed(chain)}
    for name, fault in (
        ("UnicodeEncodeError", F.ENCODING),
        ("InvalidURL", F.INVALID_URL),
        ("UnsupportedProtocol", F.INVALID_URL),
        ("ProxyError", F.PROXY_REFUSES),
    ):
        if name in names:
            return fault, str(names[name])
    local = names.get("LocalProtocolError")
    if local is not None:
        illegal = "illegal header" in str(local).lower()
        return (F.ILLEGAL_HEADER if illegal else F.PROTOCOL), str(local)
    if isinstance(error, TimeoutError):
        return _timed_out(phases, proxied, timeout)
    return _broken(chain, phases, proxied)


def _timed_out(phases: Phases, proxied: bool, timeout: float) -> tuple[TransportFault, str]:
    limit = f"{timeout:g} s"
    if phases.on_the_way:
        if proxied:
            return F.PROXY_UNREACHABLE, f"no connection to the proxy within {limit}"
        return F.CONNECT_TIMEOUT, f"no connection within {limit}"
    if phases.handshaking:
        return F.CONNECT_TIMEOUT, f"no TLS handshake within {limit}"
    if proxied and phases.connected and not phases.sent:
        return F.CONNECT_TIMEOUT, f"the proxy opened no connection to the target within {limit}"
    return F.READ_TIMEOUT, f"no answer within {limit}"


def _broken(
    chain: list[BaseException], phases: Phases, proxied: bool
) -> tuple[TransportFault, str]:
    tls = next((e for e in chain if _is_tls(e)), None)
    system = _innermost_os_error(chain)
    text = _best_text(chain, tls or system)
    if proxied and phases.proxy_tls_failed:
        # An https:// proxy URL means TLS to the proxy itself, which few proxies speak.
        plain = isinstance(tls, ssl.SSLError) and tls_fault(tls) is F.TLS_TO_PLAIN
        return (F.PROXY_SETTING if plain else F.PROXY_UNREACHABLE), text
    if isinstance(tls, ssl.SSLError):
        return tls_fault(tls), text
    if proxied and phases.dial_failed:
        return F.PROXY_UNREACHABLE, text
    if any(isinstance(e, socket.gaierror) for e in chain):
        return F.DNS, text
    if any(isinstance(e, ConnectionRefusedError) for e in chain):
        return F.REFUSED, text
    if system is not None and system.errno in _NO_WAY:
        return F.CONNECT_TIMEOUT, text
    if phases.handshaking:
        return F.TLS_OTHER, f"the connection ended during the TLS handshake: {text}"
    if str(chain[0]) == _NO_TEXT:
        return F.PLAIN_TO_TLS, "the answer is no HTTP: its first byte is no text"
    return _after_connecting(chain, text)


def _after_connecting(chain: list[BaseException], text: str) -> tuple[TransportFault, str]:
    outer = type(chain[0]).__name__
    gone = "disconnected" in str(chain[0]) or "closed connection" in str(chain[0])
    reset = any(isinstance(e, ConnectionResetError | BrokenPipeError) for e in chain)
    if reset or gone or outer in ("ReadError", "WriteError", "CloseError"):
        return F.RESET, text
    if outer == "RemoteProtocolError":
        return F.PROTOCOL, text
    return F.OTHER, text if outer in text else f"{outer}: {text}"


def _is_tls(error: BaseException) -> bool:
    return isinstance(error, ssl.SSLError) and not isinstance(
        error, ssl.SSLWantReadError | ssl.SSLWantWriteError
    )


def _innermost_os_error(chain: list[BaseException]) -> OSError | None:
    found = [e for e in chain if isinstance(e, OSError) and e.errno and not _is_tls(e)]
    return found[-1] if found else None


def _best_text(chain: list[BaseException], cause: BaseException | None) -> str:
    if cause is not None:
        return text_of(cause)
    return next((str(e) for e in chain if str(e)), type(chain[0]).__name__)
