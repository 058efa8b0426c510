"""Takes a picture of the process environment and of what surrounds it."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from doctor.facts.machine import Environment

_CONTAINER_FILES = (".dockerenv", "run/.containerenv")
_CONTAINER_GROUPS = ("/docker", "/kubepods", "/containerd", "/libpod", "/lxc/")


def this_environment() -> Environment:
    """The environment of this process. Reads the system proxies of macOS and Windows."""
    variables = dict(os.environ)
    return Environment(
        variables=variables,
        platform=sys.platform,
        home=str(Path.home()),
        cwd=str(Path.cwd()),
        in_container=in_container(variables, Path("/")),
        over_ssh=over_ssh(variables),
        system_proxies=_system_proxies(),
    )


def in_container(variables: Mapping[str, str], root: Path) -> bool:
    """Whether the process runs in a container, by the marks that docker, podman, systemd-nspawn
    and Kubernetes leave. ``root`` is the root of the file system."""
    if "container" in variables or "KUBERNETES_SERVICE_HOST" in variables:
        return True
    if any(os.path.exists(root / name) for name in _CONTAINER_FILES):
        return True
    try:
        groups = (root / "proc/1/cgroup").read_text("utf-8", errors="replace")
    except OSError:
        return False
    return any(mark in groups for mark in _CONTAINER_GROUPS)


def over_ssh(variables: Mapping[str, str]) -> bool:
    """Whether a person reached this shell over SSH."""
    return any(name in variables for name in ("SSH_CONNECTION", "SSH_CLIENT", "SSH_TTY"))


def _system_proxies() -> dict[str, str] | None:
    """Scheme → proxy URL as macOS or Windows has it set; None on other systems."""
    import urllib.request

    if sys.platform == "darwin":
        return dict(urllib.request.getproxies_macosx_sysconf())
    if sys.platform == "win32":
        return dict(urllib.request.getproxies_registry())
    return None
