"""Which Python environments the examined program may run in, told by folders alone.

Nothing is executed and no file is opened: the names of ``*.dist-info`` folders say what is
installed. The environment that a shell activated comes first, then those of the working folder,
then those of the user and of the system.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

from doctor.facts import ENVIRONMENT
from doctor.facts.machine import Environment, PythonHome
from doctor.facts.store import Facts

# What decides on proxies and trust: SDKs, HTTP libraries, their SOCKS add-ons.
PACKAGES = frozenset(
    {
        "aiohttp",
        "anthropic",
        "httpx",
        "httpx2",
        "langchain-openai",
        "litellm",
        "llama-index-llms-openai",
        "openai",
        "pysocks",
        "requests",
        "socksio",
    }
)
_ACTIVATED = ("VIRTUAL_ENV", "CONDA_PREFIX")
_BESIDE = (".venv", "venv", "env")
_SITES = (
    "lib/python3*/site-packages",
    "lib64/python3*/site-packages",
    "lib/python3*/dist-packages",
    "lib/python3/dist-packages",
    "Lib/site-packages",
)
_SYSTEM = ("/usr/local", "/usr", "/opt/homebrew")


async def python_homes(facts: Facts) -> tuple[PythonHome, ...]:
    """The environments in which anything of ``PACKAGES`` is installed, likeliest first."""
    environment = await facts.get(ENVIRONMENT)
    return await asyncio.to_thread(homes_of, environment)


def homes_of(environment: Environment) -> tuple[PythonHome, ...]:
    """As ``python_homes``; reads folders, so it belongs in a thread."""
    found: dict[Path, PythonHome] = {}
    for root in _roots(environment):
        if root in found:
            continue
        packages = _packages(root)
        if packages:
            found[root] = PythonHome(_with_tilde(root, environment.home), packages)
    return tuple(found.values())


def _roots(environment: Environment) -> Iterator[Path]:
    for variable in _ACTIVATED:
        value = environment.variables.get(variable)
        if value:
            yield Path(value)
    for name in _BESIDE:
        yield Path(environment.cwd, name)
    yield Path(environment.home, ".local")
    if environment.platform != "win32":
        yield from map(Path, _SYSTEM)


def _packages(root: Path) -> dict[str, str]:
    found: dict[str, str] = {}
    for pattern in _SITES:
        try:
            folders = sorted(root.glob(f"{pattern}/*.dist-info"))
        except OSError:
            continue
        for folder in folders:
            name, _, version = folder.name.removesuffix(".dist-info").partition("-")
            name = name.lower().replace("_", "-").replace(".", "-")
            if name in PACKAGES:
                found.setdefault(name, version)
    return found


def _with_tilde(path: Path, home: str) -> str:
    try:
        return f"~/{path.relative_to(home).as_posix()}"
    except ValueError:
        return str(path)
