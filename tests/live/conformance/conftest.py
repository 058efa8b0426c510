"""The recorder, once per module, and a lab per case."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.live.conftest import spread

from .lab import Lab, laboratory
from .recorder import Recorder, recording

HERE = Path(__file__).resolve().parent
# Of one matrix: enough to cover files, logins, joins, keys and proxies.
MOST = 16


@pytest.fixture(scope="module")
def recorder() -> Iterator[Recorder]:
    with recording() as recorder:
        yield recorder


@pytest.fixture
def lab(recorder: Recorder, tmp_path: Path) -> Iterator[Lab]:
    with laboratory(tmp_path, recorder) as lab:
        yield lab


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Represent each matrix by some of its cases, unless everything is asked for."""
    matrices: dict[object, list[pytest.Item]] = {}
    for item in items:
        if HERE in item.path.parents and isinstance(item, pytest.Function):
            matrices.setdefault((item.path, item.originalname), []).append(item)
    for cases in matrices.values():
        kept = {item.nodeid for item in spread(cases, MOST)}
        for item in cases:
            if item.nodeid not in kept:
                item.add_marker(pytest.mark.skip(reason="the whole matrix: KVDOCTOR_LIVE=all"))
