"""Installs the engines of load that ``kvdoctor bench --export`` writes for: Locust and GuideLLM.

Each has an environment of its own beside those of the servers. GuideLLM, 0.6 GB and a minute, is
made only with KVDOCTOR_LIVE=all. ``setup_servers.py`` calls this.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from .setup_servers import (
    VLLM_REQUIREMENTS,
    Part,
    Prepared,
    cache_folder,
    make_environment,
    one_at_a_time,
    pip,
    ready_or_made,
    run_step,
    site_packages,
)

HERE = Path(__file__).resolve().parent
LOADS = ("locust", "guidellm")
LARGE = "guidellm"


def load_part(name: str, prepared: Prepared) -> Part:
    """What there is to prepare for one of ``LOADS``."""
    pins = HERE / f"requirements-{name}.txt"
    folder = prepared.cache / name

    def make(prepared: Prepared) -> None:
        python = make_environment(prepared, name, folder)
        line = [*pip(python), "--no-deps", "--requirement", str(pins)]
        run_step(prepared, name, f"install {name} and what it needs", line)
        if name == LARGE:
            # It imports torch and computes nothing with it: that of vLLM will do.
            borrowed = site_packages(prepared.vllm_env)
            own = site_packages(folder)
            (own / "torch-of-vllm.pth").write_text(f"{borrowed}\n", encoding="utf-8")
        see = [str(folder / "bin" / name), "--version"]
        run_step(prepared, name, f"see that {name} starts", see)

    inputs = (pins, VLLM_REQUIREMENTS) if name == LARGE else (pins,)
    return Part(name, folder, inputs, folder / "bin" / name, make)


def load_program(name: str) -> Path | None:
    """The command of one of ``LOADS``; None where it is not prepared."""
    part = load_part(name, Prepared(cache_folder()))
    return part.product if part.is_ready() else None


def prepare_loads(*, again: bool = False, say: Callable[[str], None] = print) -> None:
    """Make what is missing. Raises SetupError."""
    prepared = Prepared(cache_folder())
    everything = os.environ.get("KVDOCTOR_LIVE", "").strip().lower() == "all"
    with one_at_a_time(prepared.cache):
        for name in LOADS:
            if name != LARGE or everything:
                ready_or_made(load_part(name, prepared), prepared, again=again, say=say)
