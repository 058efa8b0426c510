"""A log without any error can show that requests wait, or that nothing is left for the cache."""

from __future__ import annotations

import pytest

from doctor.explain.rank import Ranked, rank

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


def metrics(running: float, waiting: float, usage: float, preemptions: float) -> str:
    labels = '{engine="0",model_name="made-up"}'
    return (
        "# TYPE vllm:num_preemptions_total counter\n"
        f"vllm:num_requests_running{labels} {running}\n"
        f"vllm:num_requests_waiting{labels} {waiting}\n"
        f"vllm:kv_cache_usage_perc{labels} {usage}\n"
        f"vllm:num_preemptions_total{labels} {preemptions}\n"
        f"vllm:num_preemptions_created{labels} 1.7e+09\n"
    )


def ranked(text: str) -> tuple[Ranked, ...]:
    return rank(explained(text).seen, {})


@pytest.mark.parametrize(
    "text",
    [
        metrics(3, 0, 0.2, 0),
        metrics(3, 2, 0.3, 0),
        metrics(3, 0, 1.0, 0),
        "vllm:num_preemptions_total 0.0",
        "Running: 4 reqs, Waiting: 0 reqs, GPU KV cache usage: 98.0%",
    ],
)
def test_a_look_at_a_healthy_engine_is_no_fault(text: str) -> None:
    assert explained(text).seen == ()


def test_preemptions_tell_that_more_are_let_in_than_the_cache_holds() -> None:
    (first, *rest) = ranked(metrics(1, 0, 0.255, 165))
    assert (first.cause.code, first.cause.changes) == ("KVD804", ("--max-num-seqs 3",))
    assert [one.cause.code for one in rest] == ["KVD809"]
    # With hardly anything in the cache, or nothing known of it, nobody can tell how many.
    assert [one.cause.code for one in ranked(metrics(1, 0, 0.02, 165))] == ["KVD809"]
    assert first_code("vllm:num_preemptions_total 165.0") == "KVD809"


def test_metrics_beside_the_lines_of_a_log() -> None:
    log = (
        "INFO [kv_cache_utils.py:9] GPU KV cache size: 77,088 tokens\n"
        "Engine 000: Running: 72 reqs, Waiting: 184 reqs, GPU KV cache usage: 100.0%\n"
    )
    assert [one.cause.code for one in ranked(log)][:2] == ["KVD807", "KVD804"]
    (first, *_rest) = ranked(log + 'vllm:num_preemptions_total{model_name="m"} 480.0\n')
    assert (first.cause.code, first.cause.changes) == ("KVD804", ("--max-num-seqs 72",))


def test_more_slots_than_fit_are_named_by_the_log_itself() -> None:
    args = "INFO 11-30 12:00:00 [api_server.py:1] non-default args: {'max_num_seqs': %s}\n"
    full = periodic(8, 4, 98.9) * 3
    assert first_code(START + args % 64 + full) == "KVD804"
    assert first_code(START + args % 8 + full) == "KVD807"


def test_preemptions_of_a_whole_log_count_where_they_come_again() -> None:
    line = periodic(8, 0, 97.0).replace("GPU KV", "Preemptions: 2, GPU KV")
    assert explained(START + line + periodic(8, 0, 60.0) * 9).seen == ()
    assert first_code(START + line * 3) == "KVD804"


def test_an_error_counts_more_than_the_metrics_beside_it() -> None:
    text = "openai.AuthenticationError: Error code: 401 - {'error': {'message': 'Invalid token'}}\n"
    assert "KVD804" not in {one.cause.code for one in ranked(text + metrics(8, 2, 1.0, 5))}
