"""Installs the client programs that the conformance tests run, each in a folder of its own.

Every folder of ``tests/live/clients`` is one client: a ``package.json`` with exact versions (npm)
or a ``requirements.txt`` (PyPI). ``setup_servers.py`` calls this.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from .setup_servers import (
    Part,
    Prepared,
    SetupError,
    cache_folder,
    make_environment,
    one_at_a_time,
    pip,
    run_step,
)

PINS = Path(__file__).resolve().parent / "clients"
PACKAGE, REQUIREMENTS = "package.json", "requirements.txt"
AT_ONCE = 3


def client_names() -> tuple[str, ...]:
    """The clients that there are pins of."""
    return tuple(sorted(folder.name for folder in PINS.iterdir() if _pins(folder) is not None))


def client_part(name: str) -> Part:
    """What there is to prepare for one client. Raises SetupError for an unknown one."""
    pins = _pins(PINS / name)
    if pins is None:
        raise SetupError(f"no client {name!r} below {PINS}; there are: {', '.join(client_names())}")
    folder = cache_folder() / "clients" / name
    node = pins.name == PACKAGE
    product = folder / "node_modules" if node else folder / "env" / "bin" / "python"

    def make(prepared: Prepared) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        (_install_npm if node else _install_pypi)(prepared, name, folder, pins)

    return Part(name=name, folder=folder, inputs=(pins,), product=product, make=make)


def installed_folder(name: str) -> Path | None:
    """Where a client lies, None where it is not installed or its pins have changed."""
    part = client_part(name)
    return part.folder if part.is_ready() else None


def prepare_clients(
    names: Sequence[str] = (), *, again: bool = False, say: Callable[[str], None] = print
) -> list[str]:
    """Install what is missing of ``names`` (all by default), some at once.

    Returns the names of those that could not be: what is known of them is from documentation.
    """
    with ThreadPoolExecutor(AT_ONCE) as pool:
        results = list(pool.map(lambda name: _prepare(name, again), names or client_names()))
    for line, _failed in results:
        say(line)
    return [failed for _line, failed in results if failed is not None]


def _prepare(name: str, again: bool) -> tuple[str, str | None]:
    part = client_part(name)
    prepared = Prepared(cache_folder())
    part.folder.mkdir(parents=True, exist_ok=True)
    with one_at_a_time(part.folder):
        if part.is_ready() and not again:
            return f"client {name}: ready", None
        part.stamp.unlink(missing_ok=True)
        try:
            part.make(prepared)
        except SetupError as error:
            return f"client {name}: from documentation, cannot be installed here: {error}", name
        part.stamp.write_text(part.recipe() + "\n", encoding="ascii")
    return f"client {name}: installed {', '.join(versions(name))}", None


def _install_npm(prepared: Prepared, name: str, folder: Path, pins: Path) -> None:
    shutil.rmtree(folder / "node_modules", ignore_errors=True)
    shutil.copy(pins, folder / PACKAGE)
    quiet = ("--no-audit", "--no-fund", "--no-package-lock", "--no-update-notifier")
    # Scripts of packages are not run: the programs that the tests start need none.
    line = ["npm", "install", "--prefix", str(folder), *quiet, "--ignore-scripts"]
    run_step(prepared, f"client-{name}", f"npm install of {pins.name}", line)


def _install_pypi(prepared: Prepared, name: str, folder: Path, pins: Path) -> None:
    python = make_environment(prepared, f"client-{name}", folder / "env")
    line = [*pip(python), "--requirement", str(pins)]
    run_step(prepared, f"client-{name}", f"pip install of {pins.name}", line)


def _pins(folder: Path) -> Path | None:
    found = [folder / name for name in (PACKAGE, REQUIREMENTS) if (folder / name).is_file()]
    return found[0] if found else None


def versions(name: str) -> list[str]:
    """The pins of a client as "package version"."""
    pins = _pins(PINS / name)
    if pins is None:
        return []
    if pins.name == PACKAGE:
        wanted = json.loads(pins.read_text(encoding="utf-8"))["dependencies"]
        return [f"{package} {version}" for package, version in wanted.items()]
    lines = pins.read_text(encoding="utf-8").splitlines()
    return [line.replace("==", " ") for line in lines if "==" in line and line[0] != "#"]


def node_version() -> str | None:
    """The version of ``node`` on the PATH, None without one."""
    node = shutil.which("node")
    if node is None:
        return None
    done = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)
    return done.stdout.strip().removeprefix("v") or None
