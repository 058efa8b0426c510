"""What this process contacts and starts, told by the interpreter itself."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

LOOPBACK = frozenset({"127.0.0.1", "127.0.0.2", "::1", "localhost", "None"})
_STARTS = ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.startfile")


class Contacts:
    """Hosts that are connected to or looked up, and programs that are started, while ``watching``.

    An audit hook stays for the life of the process, so there is one for all tests.
    """

    def __init__(self) -> None:
        self.watching = False
        self.hosts: set[str] = set()
        self.started: list[str] = []
        sys.addaudithook(self._hear)

    def clear(self) -> None:
        self.hosts.clear()
        self.started.clear()

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        if not self.watching:
            return
        if event in ("socket.connect", "socket.sendto") and isinstance(arguments[1], tuple):
            self.hosts.add(_name(arguments[1][0]))
        elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
            self.hosts.add(_name(arguments[0]))
        elif event in _STARTS:
            self.started.append(_command(arguments))


def _name(host: object) -> str:
    return host.decode("ascii", "replace") if isinstance(host, bytes) else str(host)


def _command(arguments: Iterable[Any]) -> str:
    return " ".join(
        " ".join(map(str, each)) if isinstance(each, list | tuple) else str(each)
        for each in list(arguments)[:2]
    )


CONTACTS = Contacts()
