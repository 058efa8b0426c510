"""The real servers as fixtures.

These tests run only when asked for, with ``pytest tests/live --live`` or with KVDOCTOR_LIVE=1 in
the environment (then with any arguments), and only after ``python tests/live/setup_servers.py``.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TypeVar

import pytest

from .servers import Route, RunningServer, refusing_port, start_litellm, start_vllm

T = TypeVar("T")
HERE = Path(__file__).resolve().parent
# A test's own limit includes the fixtures that it is the first to ask for: a cold start of vLLM.
LIMIT_S = 300
MODEL = "qwen3-8b"
SHARED = {"vllm_server", "litellm_server", "litellm_engine_down"}
# Minutes each: begun first, so that none of them is left alone at the end.
LONG = ("test_engine_load", "test_memory_oracle", "test_installing", "test_prefix_proof")


def pytest_addoption(parser: pytest.Parser) -> None:
    # pytest knows this option only when the folder is named on its command line: it reads
    # the other conftest files too late for that.
    with contextlib.suppress(ValueError):  # added elsewhere already
        parser.addoption(
            "--live", action="store_true", default=False, help="run the tests with real servers"
        )


def wanted(config: pytest.Config) -> bool:
    """Whether this run is to use the real servers."""
    asked = os.environ.get("KVDOCTOR_LIVE", "").strip().lower() not in {"", "0", "false", "no"}
    return asked or bool(config.getoption("--live", default=False))


def thorough() -> bool:
    """Whether everything is to run: KVDOCTOR_LIVE=all. Else each matrix is represented by cases
    spread over it, so that the gate ends in time."""
    return os.environ.get("KVDOCTOR_LIVE", "").strip().lower() == "all"


def spread(items: Sequence[T], most: int) -> list[T]:
    """At most ``most`` of ``items``, at even distances."""
    if thorough() or len(items) <= most:
        return list(items)
    return [items[index * len(items) // most] for index in range(most)]


# Before pytest-xdist's own hook, which reads the groups.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    # This hook sees the items of the whole run, whichever conftest file it stands in.
    mine = [item for item in items if HERE in item.path.parents]
    reason = None
    if not wanted(config):
        reason = "needs real servers: --live or KVDOCTOR_LIVE=1"
    elif sys.platform != "linux":
        reason = "the CPU build of vLLM exists for Linux only"
    for item in mine:
        if reason is not None:
            item.add_marker(pytest.mark.skip(reason=reason))
        if item.get_closest_marker("timeout") is None:
            item.add_marker(pytest.mark.timeout(LIMIT_S))
        # With pytest-xdist and --dist loadgroup: one process for all that needs the servers below,
        # so that there is one set of them; each other file by itself beside it.
        shares = isinstance(item, pytest.Function) and not SHARED.isdisjoint(item.fixturenames)
        item.add_marker(pytest.mark.xdist_group("servers" if shares else item.path.stem))
    if reason is None:
        items.sort(key=lambda item: LONG.index(item.path.stem) if item.path.stem in LONG else 99)


@pytest.fixture(scope="session")
def vllm_server() -> Iterator[RunningServer]:
    """The one vLLM of the session; it serves ``tiny`` with a context of 2,048 tokens."""
    with start_vllm() as server:
        yield server


@pytest.fixture(scope="session")
def litellm_server(vllm_server: RunningServer) -> Iterator[RunningServer]:
    """A LiteLLM proxy that leads ``qwen3-8b`` to the vLLM."""
    with start_litellm([Route.to(vllm_server, MODEL)]) as server:
        yield server


@pytest.fixture(scope="session")
def litellm_engine_down() -> Iterator[RunningServer]:
    """A LiteLLM proxy whose engine is down: the port behind ``qwen3-8b`` refuses connections."""
    with refusing_port() as port:
        route = Route(MODEL, "openai/tiny", f"http://127.0.0.1:{port}/v1", "sk-live-made-up-key")
        with start_litellm([route]) as server:
            yield server
