"""Loaded by the examined program when it starts: nothing but loopback is to be reached.

Python's audit events tell of every connection and every name that is asked for. What would leave
this machine is refused and noted in the file that ``CASES_GUARD`` names.
"""

from __future__ import annotations

import ipaddress
import os
import socket
import sys
from typing import Any

_ASKS_FOR_A_NAME = ("socket.getaddrinfo", "socket.gethostbyname")
_NOTES = os.environ.pop("CASES_GUARD", "")


def _stays(host: Any) -> bool:
    text = host.decode("ascii", "replace") if isinstance(host, bytes) else str(host or "")
    if text in ("", "localhost", "ip6-localhost"):
        return True
    try:
        return ipaddress.ip_address(text.split("%", 1)[0]).is_loopback
    except ValueError:
        return False


def _is_address(host: Any) -> bool:
    """An address is taken apart without asking anybody."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _watch(event: str, details: tuple[Any, ...]) -> None:
    if event == "socket.connect":
        address = details[1]
        if isinstance(address, tuple) and not _stays(address[0]):
            _refuse(f"{address[0]}:{address[1]}", OSError("refused by the case runner"))
    elif event in _ASKS_FOR_A_NAME and not (_stays(details[0]) or _is_address(details[0])):
        _refuse(f"name {details[0]}", socket.gaierror(-2, "refused by the case runner"))


def _refuse(what: str, error: OSError) -> None:
    with open(_NOTES, "a", encoding="utf-8") as notes:
        notes.write(what + "\n")
    raise error


if _NOTES:
    sys.addaudithook(_watch)
    if os.environ.get("CASES_ROOT") or os.environ.get("CASES_PROXIES"):
        from machine import pretend  # type: ignore[import-not-found]  # beside this file

        pretend()
