from __future__ import annotations

import pytest

from tests.checks.launch.world import codes, corrected, findings, only

CODE = "KVD802"


@pytest.mark.parametrize(
    ("given", "right"), [("90", "0.9"), ("92.5", "0.925"), ("1.5", "0.9"), ("0", "0.9")]
)
def test_no_fraction(given: str, right: str) -> None:
    line = f"vllm serve m --gpu-memory-utilization {given}"

    assert only(line, CODE)["severity"] == "error"
    assert corrected(line) == f"vllm serve m --gpu-memory-utilization {right}"


@pytest.mark.parametrize("given", ["1.0", "0.98", "0.1"])
def test_too_much_or_too_little_is_a_warning_and_stays(given: str) -> None:
    line = f"vllm serve m --gpu-memory-utilization={given}"

    assert only(line, CODE)["severity"] == "warning"
    assert corrected(line) == line


def test_usual_shares() -> None:
    for given in ("0.2", "0.85", "0.9", "0.92", "0.95"):
        assert codes(f"vllm serve m --gpu-memory-utilization {given}") == []
    assert findings("vllm serve m", CODE) == []
