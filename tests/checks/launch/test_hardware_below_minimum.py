from __future__ import annotations

from tests.checks.launch.world import findings, only

CODE = "KVD920"


def test_a_gpu_that_is_too_old() -> None:
    finding = only("vllm serve m", CODE, gpu="Tesla P40")

    assert finding["severity"] == "error"
    assert "6.1" in finding["explanation"]


def test_gpus_that_are_not() -> None:
    for name in ("V100", "T4", "RTX 4090", "H200"):
        assert findings("vllm serve m", CODE, gpu=name) == []
