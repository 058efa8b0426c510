"""Engine processes of this machine: who listens on a port, and those that do not listen yet.

vLLM takes its port at the start and listens only when the model is loaded, so that until then a
connection is refused as if nothing were there (facts/observed/vllm-0.32.0-startup-cpu.log).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence

from doctor.facts import ENDPOINT, LISTENERS
from doctor.facts.engine import Starting
from doctor.facts.store import Facts
from doctor.records import dataclass
from doctor.urls import is_loopback

_DEFAULT_PORT = 8000
_SERVER = "vllm.entrypoints.openai.api_server"
_COMMAND = "vllm.entrypoints.cli.main"


@dataclass(frozen=True, slots=True)
class Process:
    """What the system tells of a process; ``started`` in seconds since 1970."""

    pid: int
    arguments: tuple[str, ...]
    started: float


async def starting(facts: Facts) -> tuple[Starting, ...]:
    """Those whose port is the connection's; none where it leads to another machine."""
    endpoint = await facts.get(ENDPOINT)
    if not is_loopback(endpoint.host):
        return ()
    listening = await facts.find(LISTENERS) or ()
    if any(each.port == endpoint.port for each in listening):
        return ()
    found = await asyncio.to_thread(processes)
    return engines_on(endpoint.port, found, time.time())


def processes() -> list[Process]:
    """Every process whose arguments this user may see; blocking."""
    import psutil

    found = []
    for each in psutil.process_iter():
        try:
            arguments = tuple(each.cmdline())
            if any("vllm" in word for word in arguments[:4]):
                found.append(Process(each.pid, arguments, each.create_time()))
        except (psutil.Error, OSError):
            continue
    return found


def engines_on(port: int, found: Sequence[Process], now: float) -> tuple[Starting, ...]:
    """The API servers among ``found`` that are to listen on ``port``, oldest first."""
    return tuple(
        Starting(process.pid, "vllm serve", max(now - process.started, 0.0))
        for process in sorted(found, key=lambda each: each.started)
        if serves(process.arguments) and port_of(process.arguments) == port
    )


def serves(arguments: Sequence[str]) -> bool:
    """Whether this is the command line of vLLM's API server: the script or the module, run by
    itself or by Python."""
    words = list(arguments)
    if words and _name(words[0]).startswith("python"):
        words = words[1:]
        while words and words[0].startswith("-") and words[0] != "-m":
            words = words[1:]
    if words[:1] == ["-m"]:
        module, rest = "".join(words[1:2]), words[2:3]
        return module == _SERVER or (module == _COMMAND and rest == ["serve"])
    return bool(words) and _name(words[0]) == "vllm" and words[1:2] == ["serve"]


def _name(path: str) -> str:
    return path.replace("\\", "/").rsplit("/", 1)[-1].lower().removesuffix(".exe")


def port_of(arguments: Sequence[str]) -> int:
    """The port that the last ``--port`` names, else vLLM's own."""
    port = _DEFAULT_PORT
    for at, word in enumerate(arguments):
        name, equals, value = word.partition("=")
        if name != "--port":
            continue
        text = value if equals else "".join(arguments[at + 1 : at + 2])
        if text.isascii() and text.isdigit() and len(text) < 6:
            port = int(text)
    return port


def listening_on(port: int) -> Iterator[int]:
    """The processes of this user that listen on ``port``; blocking."""
    import psutil

    try:
        sockets = psutil.net_connections(kind="tcp")
    except (psutil.Error, OSError):
        return
    for socket in sockets:
        pid = socket.pid
        mine = socket.status == psutil.CONN_LISTEN and getattr(socket.laddr, "port", None) == port
        if mine and pid is not None:
            yield pid
