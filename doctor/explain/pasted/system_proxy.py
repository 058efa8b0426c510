"""A proxy in the system's settings, as the system's own tools print it.

``scutil --proxy`` and ``networksetup`` (macOS), ``reg query`` of the Internet Settings (Windows),
``gsettings`` (GNOME). Programs follow it without any variable.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from doctor.patterns import Pattern
from doctor.records import dataclass

_ADDRESS = r"(?:[\w-]+=)?(?:\w+://)?(?P<host>[\w.-]+|\[[\da-f:]+\]):(?P<port>\d{1,5})\b"
# One line each: whether it is on, the host, the port.
_SCUTIL = (
    Pattern(r"^\s*(?:HTTPS?|SOCKS)Enable : 1\b"),
    Pattern(r"^\s*(?:HTTPS?|SOCKS)Proxy : (?P<host>\S+)"),
    Pattern(r"^\s*(?:HTTPS?|SOCKS)Port : (?P<port>\d+)"),
)
_NETWORKSETUP = (
    Pattern(r"^\s*Enabled: Yes\b"),
    Pattern(r"^\s*Server: (?P<host>\S+)"),
    Pattern(r"^\s*Port: (?P<port>\d+)"),
)
_GSETTINGS = (
    Pattern(r"(?:^|\s)'manual'\s*$|\bproxy mode ['\"]manual"),
    Pattern(r"\bproxy\.(?:https?|socks) host '(?P<host>[^']+)'"),
    Pattern(r"\bproxy\.(?:https?|socks) port (?P<port>[1-9]\d*)"),
)
_REGISTRY_ON = Pattern(r"\bProxyEnable\s+REG_DWORD\s+0x0*1\b", re.IGNORECASE)
_REGISTRY = Pattern(rf"\bProxyServer\s+REG_SZ\s+{_ADDRESS}", re.IGNORECASE)
# The system's own list of what goes around the proxy.
_SPARED = Pattern(
    r"^\s*\d+ : (?:127\.|localhost)|ProxyOverride\s.*(?:127\.|localhost|<local>)"
    r"|ignore-hosts .*(?:127\.|localhost)",
    re.IGNORECASE,
)
_LOCAL = r"(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])"
_LOCAL_URL = Pattern(rf"https?://{_LOCAL}(?::(?P<port>\d+))?", re.IGNORECASE)
_REFUSED = Pattern(
    r"connection ?refused|econnrefused|actively refused|积极拒绝|拒绝连接|os error (?:61|111|10061)"
    r"|winerror 10061",
    re.IGNORECASE,
)
_NAMED = Pattern(r"(?:\d+\.\d+\.\d+\.\d+|localhost|::1\]?):(?P<port>\d{1,5})\b")
_PASSED_ON = Pattern(r"\b50[234]\b")
_NEAR = 3


@dataclass(frozen=True, slots=True)
class _Proxy:
    line: int
    host: str
    port: str


def system_proxies_in(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Number of the line and ``system proxy HOST:PORT``; with ``: refused`` or ``: took ADDRESS
    (502)`` where the text shows that, and ``, excepted`` where the system's list has loopback."""
    proxy = _registry(lines) or next(
        (found for tool in (_SCUTIL, _NETWORKSETUP, _GSETTINGS) if (found := _read(lines, tool))),
        None,
    )
    if proxy is None:
        return
    address = f"{proxy.host}:{proxy.port}"
    taken = _taken(lines, proxy)
    if taken is not None:
        yield proxy.line, f"system proxy {address}: took {taken}"
    elif _refuses(lines, proxy):
        yield proxy.line, f"system proxy {address}: refused"
    else:
        yield proxy.line, f"system proxy {address}"


def _registry(lines: Sequence[str]) -> _Proxy | None:
    if not any(map(_REGISTRY_ON.search, lines)):
        return None
    for number, line in enumerate(lines, 1):
        match = _REGISTRY.search(line)
        if match is not None:
            return _Proxy(number, match["host"], match["port"])
    return None


def _read(lines: Sequence[str], tool: tuple[Pattern, Pattern, Pattern]) -> _Proxy | None:
    is_on, host, port = tool
    if not any(map(is_on.search, lines)):
        return None
    hosts = [(n, m["host"]) for n, line in enumerate(lines, 1) if (m := host.search(line))]
    ports = [m["port"] for line in lines if (m := port.search(line))]
    return _Proxy(hosts[0][0], hosts[0][1], ports[0]) if hosts and ports else None


def _taken(lines: Sequence[str], proxy: _Proxy) -> str | None:
    """A loopback address that was asked, and answered as something in between answers."""
    spared = ", excepted" if any(map(_SPARED.search, lines)) else ""
    for index, line in enumerate(lines):
        match = _LOCAL_URL.search(line)
        if match is None or match["port"] == proxy.port:
            continue
        near = lines[max(0, index - _NEAR) : index + 1 + _NEAR]
        status = next((m for m in map(_PASSED_ON.search, near) if m is not None), None)
        if status is not None:
            return f"{match.group()} ({status.group()}){spared}"
    return None


def _refuses(lines: Sequence[str], proxy: _Proxy) -> bool:
    """A refused connection that may have been the one to the proxy."""
    for index, line in enumerate(lines):
        if _REFUSED.search(line) is None:
            continue
        named = _NAMED.search(line)
        if named is not None:
            if named["port"] == proxy.port:
                return True
            continue
        near = lines[max(0, index - _NEAR) : index + 1]
        if not any(map(_LOCAL_URL.search, near)):
            return True
    return False
