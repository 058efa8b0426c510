"""A log without any error can show that requests wait, or that nothing is left for the cache."""

from __future__ import annotations

import pytest

from .logreading import explained, first_code

START = "INFO 11-30 12:00:00 [api_server.py:1] vLLM API server version 0.32.0\n"


def periodic(running: int, waiting: int, percent: float, word: str = "Waiting") -> str:
    return (
        "INFO 11-30 12:00:10 [loggers.py:118] Engine 000: Avg prompt throughput: 9.0 tokens/s, Avg"
        f" generation throughput: 44.9 tokens/s, Running: {running} reqs, {word}: {waiting} reqs,"
        f" GPU KV cache usage: {percent}%, Prefix cache hit rate: 0.0%\n"
    )


@pytest.mark.parametrize("word", ["Waiting", "Pending"])
def test_who_waits_for_what(word: str) -> None:
    assert first_code(periodic(8, 4, 98.9, word)) == "KVD807"
    assert first_code(periodic(8, 4, 30.0, word)) == "KVD808"
    assert first_code(START + periodic(8, 4, 98.9, word) * 3) == "KVD807"


def test_a_queue_that_empties_again_is_no_fault() -> None:
    busy = periodic(5, 0, 20.0) * 20
    assert explained(busy + periodic(6, 1, 22.0)).seen == ()
    assert explained(START + periodic(5, 2, 20.0) + busy).seen == ()
    assert explained(START + periodic(5, 2, 20.0)).seen == ()
    assert explained(periodic(0, 0, 0.0) * 5).seen == ()


def test_the_first_line_that_shows_it_is_named() -> None:
    text = periodic(1, 0, 9.0) + periodic(8, 3, 99.0) * 2
    (seen,) = explained(text).seen
    assert (seen.line, seen.times) == (2, 2)
    assert "Waiting: 3 reqs" in seen.text


def test_a_cache_of_less_than_nothing() -> None:
    log = (
        "(EngineCore_0 pid=5) INFO 08-20 18:04:10 [gpu_model_runner.py:2007] Model loading took"
        " 65.9651 GiB and 12.799889 seconds\n"
        "(EngineCore_0 pid=5) INFO 08-20 18:04:22 [gpu_worker.py:276] Available KV cache memory:"
        " -2.14 GiB\n"
        "(EngineCore_0 pid=5) ERROR 08-20 18:04:22 [core.py:700] EngineCore failed to start.\n"
    )
    assert first_code(log) in ("KVD806", "KVD802")
    (seen,) = explained(log).seen
    assert "-2.14 GiB" in seen.text
