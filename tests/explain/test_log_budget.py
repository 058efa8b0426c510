"""Where the GPU's memory went, by the numbers of the log."""

from __future__ import annotations

import pytest

from doctor.explain.log.budget import knobs_of, left_of, parts_of, tightest

from .logreading import LOGS, explained


def parts(text: str | bytes) -> dict[str, float]:
    start = explained(text).start
    assert start is not None
    found = tightest(start)
    assert found is not None
    left = left_of(found[1])
    return {part.name: part.gib for part in (*parts_of(found[1]), *([left] if left else []))}


def test_the_parts_of_a_recent_version() -> None:
    found = parts((LOGS / "tensor-parallel-0.27.1.log").read_bytes())

    assert found == {
        "weights": 9.61,
        "runtime": 1.86,
        "activations": 0.98,
        "cuda_graphs": 0.41,
        "kv_cache": 6.51,
        "not_requested": 4.24,
    }
    # The parts are the card, but for the graphs' estimate and rounding.
    assert sum(found.values()) == pytest.approx(23.56, abs=0.1)


def test_the_tightest_rank_counts() -> None:
    start = explained((LOGS / "tensor-parallel-0.27.1.log").read_bytes()).start
    assert start is not None
    found = tightest(start)
    assert found is not None

    assert found[0] == "Worker_TP0 pid=447"
    assert (start.version, start.kv.tokens, start.kv.concurrency) == ("0.27.1", 106_656, 3.25)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "INFO 12-20 20:25:46 worker.py:241] the current vLLM instance can use total_gpu_memory"
            " (15.77GiB) x gpu_memory_utilization (0.90) = 14.20GiB\n"
            "INFO 12-20 20:25:46 worker.py:241] model weights take 7.51GiB; non_torch_memory takes"
            " 0.39GiB; PyTorch activation peak memory takes 2.53GiB; the rest of the memory"
            " reserved for KV Cache is 3.76GiB.",
            {"weights": 7.51, "runtime": 0.39, "activations": 2.53, "kv_cache": 3.76,
             "not_requested": 1.57},
        ),
        (
            "(Worker pid=3) INFO 09-12 12:34:56 [gpu_worker.py:391] Free memory on device"
            " (78.64/79.25 GiB) on startup. Desired GPU memory utilization is (0.9, 71.33 GiB)."
            " Actual usage is 14.99 GiB for weight, 1.23 GiB for peak activation, 0.12 GiB for"
            " non-torch memory, and 0.54 GiB for CUDAGraph memory. Replace gpu_memory_utilization"
            " config with `--kv-cache-memory=58000000000` to fit into requested memory, or"
            " `--kv-cache-memory=65000000000` to fully utilize gpu memory. Current kv cache memory"
            " in use is 58905239552 bytes.",
            {"weights": 14.99, "runtime": 0.12, "activations": 1.23, "cuda_graphs": 0.54,
             "kv_cache": 54.86, "not_requested": 7.92},
        ),
        (
            "INFO 04-24 16:33:00 [gpu_model_runner.py:1316] Model loading took 14.9889 GiB and"
            " 3.652170 seconds\n"
            "INFO 06-01 16:33:13 [gpu_worker.py:227] Available KV cache memory: 53.29 GiB",
            {"weights": 14.9889, "kv_cache": 53.29},
        ),
    ],
    ids=["0.6", "0.10.2", "0.9"],
)  # fmt: skip
def test_the_parts_of_older_versions(text: str, expected: dict[str, float]) -> None:
    assert parts(text) == expected


def test_a_flag_gives_back_what_the_numbers_say() -> None:
    start = explained((LOGS / "tensor-parallel-0.27.1.log").read_bytes()).start
    assert start is not None
    found = tightest(start)
    assert found is not None
    knobs = {knob.flag: knob for knob in knobs_of(start, found[1])}

    share = knobs["--gpu-memory-utilization 0.95"]
    # 13 % of 23.56 GiB, at 106,656 tokens in 6.51 GiB.
    assert share.gib == pytest.approx(0.13 * 23.56, abs=0.01)
    assert share.tokens == pytest.approx(0.13 * 23.56 * 106_656 / 6.51, rel=0.01)
    assert knobs["--enforce-eager"].gib == 0.36


def test_no_more_is_proposed_than_was_free() -> None:
    text = (
        "INFO 01-01 10:00:00 [x.py:1] Free memory on device (20.00/23.56 GiB) on startup. Desired"
        " GPU memory utilization is (0.82, 19.32 GiB). Actual usage is 9.00 GiB for weight, 1.00"
        " GiB for peak activation, 0.10 GiB for non-torch memory, and 0.40 GiB for CUDAGraph"
        " memory. Current kv cache memory in use is 9.00 GiB.\n"
        "INFO 01-01 10:00:00 [x.py:1] GPU KV cache size: 100,000 tokens\n"
    )
    start = explained(text).start
    assert start is not None
    found = tightest(start)
    assert found is not None

    assert not any("utilization" in knob.flag for knob in knobs_of(start, found[1]))


def test_the_share_that_is_too_small_is_told_with_its_numbers() -> None:
    log = (
        "(APIServer pid=1) INFO 01-01 10:00:00 [utils.py:1] non-default args: {'model': 'a/b',"
        " 'gpu_memory_utilization': 0.1}\n"
        "(EngineCore pid=2) INFO 01-01 10:00:09 [x.py:1] Model loading took 14.99 GiB memory and 3"
        " seconds\n"
        "(EngineCore pid=2) ERROR 01-01 10:00:30 [core.py:708] ValueError: No available memory for"
        " the cache blocks. Try increasing `gpu_memory_utilization`\n"
    )
    cause = explained(log).seen[0].causes[0]

    assert cause.code == "KVD802"
    assert "0.1" in cause.tell_apart
    assert "14.99" in cause.tell_apart
