"""Advice that logs of others have shown to be wrong: what must not be told, and what instead."""

from __future__ import annotations

from doctor.explain.rank import rank

from .logreading import explained, first_code


def changes(text: str) -> list[str]:
    """What the likeliest cause proposes."""
    return list(rank(explained(text).seen, {})[0].cause.changes)


NO_BLOCKS = (
    "INFO 05-07 02:13:52 [gpu_model_runner.py:1347] Model loading took {weights} GiB and 0.9 s\n"
    "ERROR 05-07 02:14:18 [core.py:396] EngineCore failed to start.\n"
    "ERROR 05-07 02:14:18 [core.py:396] Traceback (most recent call last):\n"
    'ERROR 05-07 02:14:18 [core.py:396]   File "/vllm/v1/engine/core.py", line 387, in run\n'
    "ERROR 05-07 02:14:18 [core.py:396] ValueError: No available memory for the cache blocks. Try"
    " increasing `gpu_memory_utilization` when initializing the engine.\n"
)


def test_small_weights_are_not_to_blame() -> None:
    assert first_code(NO_BLOCKS.format(weights="0.2533")) == "KVD813"
    assert first_code(NO_BLOCKS.format(weights="65.97")) == "KVD806"


def test_a_sliver_of_a_card_is_no_advice() -> None:
    text = (
        "(EngineCore_0 pid=1) ERROR 09-03 11:03:37 [core.py:712] ValueError: Free memory on device"
        " ({free}/139.72 GiB) on startup is less than desired GPU memory utilization"
        " (0.9, 125.75 GiB).\n"
    )

    assert not any("utilization" in change for change in changes(text.format(free="7.34")))
    assert any("utilization 0." in change for change in changes(text.format(free="100.00")))


def test_the_subcommand_given_twice() -> None:
    text = "vllm: error: unrecognized arguments: serve /models/m\n"

    assert first_code(text) == "KVD916"
    assert changes(text) == []


def test_an_exception_whose_traceback_was_cut_off() -> None:
    text = (
        "(EngineCore_0 pid=1) ERROR 08-10 12:15:14 [core.py:700] AssertionError: Sinks are only"
        " supported in one kernel\n"
        "(APIServer pid=1) RuntimeError: Engine core initialization failed. See root cause above."
        " Failed core proc(s): {}\n"
    )

    assert any("Sinks are only" in seen.text for seen in explained(text).seen)


def test_memory_that_ends_among_the_weights() -> None:
    text = (
        "(EngineCore_DP0 pid=5) torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 80.00"
        " MiB. GPU 0 has a total capacity of 139.72 GiB of which 60.69 MiB is free.\n"
        "Loading safetensors checkpoint shards:   3% Completed | 1/37 [00:02<01:39,  2.77s/it]\n"
        "(APIServer pid=5) RuntimeError: Engine core initialization failed. See root cause above.\n"
    )

    assert first_code(text) == "KVD806"
