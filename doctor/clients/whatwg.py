"""URLs as browsers, Node, Bun and Rust's url crate read them: repaired where Python refuses.

Blanks at both ends and line breaks are dropped, blanks within are quoted, a missing scheme is an
error. Observed with Codex 0.171.0, opencode 1.18.33 and Cline 3.0.65.
"""

from __future__ import annotations

import re
import urllib.parse

from doctor.clients.base import ClientRefusal
from doctor.patterns import Pattern

_ENDS = "".join(map(chr, range(0x21)))
_DROPPED = Pattern(r"[\t\n\r]")
_SPECIAL = Pattern(r"(?P<scheme>https?|ftp|wss?):[/\\]*(?P<rest>.*)", re.I | re.S)
_PARTS = Pattern(r"(?P<authority>[^/\\?#]*)(?P<path>[^?#]*)(?P<query>\?[^#]*)?(?P<hash>#.*)?", re.S)
_BAD_HOST = Pattern(r"[\x00-\x20<>^|%\"`{}\\]")
_BRACKETED = Pattern(r"\[[0-9A-Fa-f:.]+\]")
_DEFAULT_PORTS = {"http": "80", "https": "443"}
# What stays as it is; everything else, and all that is not ASCII, is percent-encoded.
_PATH_SAFE = "%!$&'()*+,/:;=@[]|~^\\"
_QUERY_SAFE = _PATH_SAFE + "?`{}"


def href(text: str, refusal: str = "Invalid URL") -> str:
    """The URL that ``text`` stands for, without its fragment, which is never sent.

    Raises ``ClientRefusal`` with ``refusal``.
    """
    whole = _SPECIAL.fullmatch(_DROPPED.sub("", text.strip(_ENDS)))
    if whole is None:
        raise ClientRefusal(refusal)
    scheme = whole["scheme"].lower()
    parts = _PARTS.fullmatch(whole["rest"])
    if parts is None or scheme not in _DEFAULT_PORTS:
        raise ClientRefusal(refusal)
    userinfo, at, place = parts["authority"].rpartition("@")
    userinfo = urllib.parse.quote(userinfo, safe="%!$&'()*+,-.:;=_~")
    host = _host(place, scheme, refusal)
    path = urllib.parse.quote(_without_dots(parts["path"].replace("\\", "/")), safe=_PATH_SAFE)
    query = urllib.parse.quote(parts["query"] or "", safe=_QUERY_SAFE).replace("'", "%27")
    return f"{scheme}://{userinfo}{at}{host}{path}{query}"


def _host(place: str, scheme: str, refusal: str) -> str:
    host, colon, port = place, "", ""
    if not place.endswith("]") and ":" in place:
        host, colon, port = place.rpartition(":")
    if port and not (port.isascii() and port.isdigit() and int(port) < 65536):
        raise ClientRefusal(refusal)
    try:
        host = host if host.isascii() else host.encode("idna").decode()
    except UnicodeError:
        raise ClientRefusal(refusal) from None
    # Full-width forms become these only now: "：" is no port's colon.
    odd = not _BRACKETED.fullmatch(host) and set(host) & set("[]:/?#@")
    if not host or odd or _BAD_HOST.search(host):
        raise ClientRefusal(refusal)
    kept = port and str(int(port)) != _DEFAULT_PORTS[scheme]
    return host.lower() + (f"{colon}{int(port)}" if kept else "")


def _without_dots(path: str) -> str:
    """The path with its "." and ".." steps taken; "/" for none."""
    kept: list[str] = []
    steps = path.split("/")[1:]
    for number, step in enumerate(steps, start=1):
        plain = step.lower().replace("%2e", ".")
        if plain == "..":
            kept[-1:] = []
        elif plain != ".":
            kept.append(step)
        if plain in (".", "..") and number == len(steps):
            kept.append("")
    return "/" + "/".join(kept)
