"""A running server: its own command line, or what ``docker inspect`` tells of it."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from doctor.launch.model import Container, Published, Variable, Word
from doctor.launch.reading.found import Found, NothingFound
from doctor.text import _

# Of another process's environment only what decides how vLLM starts is read at all.
_PREFIXES = ("VLLM_", "CUDA_", "NVIDIA_", "HIP_", "ROCR_", "HF_HUB_OFFLINE", "TRANSFORMERS_OFFLINE")


def of_pid(pid: int) -> tuple[Found, str]:
    """The command and the working folder of a process. Raises ``NothingFound``."""
    import psutil

    try:
        process = psutil.Process(pid)
        argv = process.cmdline()
    except psutil.NoSuchProcess:
        raise NothingFound(_("process {pid}: there is none", pid=pid)) from None
    except psutil.AccessDenied:
        raise NothingFound(_("process {pid}: its command may not be read", pid=pid)) from None
    except (psutil.Error, OSError, OverflowError) as error:
        raise NothingFound(f"{pid}: {error}") from None
    variables: list[Variable] = []
    folder = ""
    try:
        folder = process.cwd()
        for name, value in process.environ().items():
            if name.startswith(_PREFIXES):
                variables.append(Variable(name, value))
    except (psutil.Error, OSError):
        pass  # another account's; the command alone is judged
    if not argv:
        raise NothingFound(_("process {pid}: it has no command line", pid=pid))
    return Found([Word(text) for text in argv], f"pid {pid}", variables=variables), folder


def is_inspect(data: Any) -> bool:
    entry = data[0] if isinstance(data, list) and data else data
    return isinstance(entry, Mapping) and "Config" in entry and "HostConfig" in entry


def of_inspect(data: Any) -> list[Found]:
    """``docker inspect NAME`` as JSON."""
    entries = data if isinstance(data, list) else [data]
    return [_inspected(entry) for entry in entries if isinstance(entry, Mapping)]


def _inspected(entry: Mapping[str, Any]) -> Found:
    config, host = _mapping(entry.get("Config")), _mapping(entry.get("HostConfig"))
    argv = [*_strings(config.get("Entrypoint")), *_strings(config.get("Cmd"))]
    variables = []
    for one in _strings(config.get("Env")):
        name, equals, value = one.partition("=")
        if equals and name.startswith((*_PREFIXES, "HF_TOKEN")):
            variables.append(Variable(name, value))
    shm = host.get("ShmSize")
    container = Container(
        "docker",
        str(config.get("Image") or ""),
        shm=shm if isinstance(shm, int) else None,
        ipc=str(host.get("IpcMode") or "").replace("private", "").replace("shareable", ""),
        network="host" if host.get("NetworkMode") == "host" else "",
        published=_published(host.get("PortBindings")),
    )
    name = str(entry.get("Name") or "container").lstrip("/")
    return Found([Word(text) for text in argv], name, variables=variables, container=container)


def _published(bindings: Any) -> tuple[Published, ...]:
    found = []
    for inner, outers in _mapping(bindings).items():
        number = str(inner).partition("/")[0]
        for outer in outers if isinstance(outers, list) else ():
            told = str(_mapping(outer).get("HostPort") or "")
            address = str(_mapping(outer).get("HostIp") or "")
            if number.isdigit():
                found.append(Published(address, int(told) if told.isdigit() else None, int(number)))
    return tuple(found)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        try:
            return shlex.split(value)
        except ValueError:
            return value.split()
    return [str(item) for item in value] if isinstance(value, list) else []
