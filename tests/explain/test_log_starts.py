"""Several starts in one log: the last one counts, and what was survived is no fault."""

from __future__ import annotations

import pytest

from .logreading import LOGS, explained, first_code

START = (
    "(APIServer pid={pid}) INFO 01-01 10:00:00 [utils.py:1] non-default args: {{'model': 'a/b'}}\n"
    "(EngineCore pid={pid}1) INFO 01-01 10:00:05 [core.py:133] Initializing a V1 LLM engine"
    " (v0.27.1) with config: model='a/b', dtype=torch.bfloat16,\n"
)
FAILED = (
    "(EngineCore pid={pid}1) ERROR 01-01 10:00:30 [core.py:708] ValueError: {text}\n"
    "(APIServer pid={pid}) RuntimeError: Engine core initialization failed. See root cause above."
    " Failed core proc(s): {{}}\n"
)
NO_BLOCKS = "No available memory for the cache blocks. Try increasing `gpu_memory_utilization`"
HEADS = "Total number of attention heads (28) must be divisible by tensor parallel size (8)."
UP = "INFO:     Application startup complete.\n"


def start(pid: int, text: str = "") -> str:
    return START.format(pid=pid) + (FAILED.format(pid=pid, text=text) if text else "")


def test_the_last_start_counts() -> None:
    told = explained(start(1, NO_BLOCKS) + start(2, NO_BLOCKS) + start(3, HEADS))

    assert (told.starts, told.failures, told.last_failed) == (3, 3, True)
    assert told.seen[0].causes[0].code == "KVD904"
    # The earlier fault is told, with less weight.
    assert [seen.causes[0].code for seen in told.seen] == ["KVD904", "KVD802"]
    assert told.seen[1].causes[0].likelihood < 0.5


def test_the_same_failure_again_and_again_is_one_fault() -> None:
    told = explained("".join(start(pid, HEADS) for pid in range(1, 201)))

    assert (told.starts, told.failures) == (200, 200)
    assert len(told.seen) == 1


def test_a_crash_before_a_start_that_came_up_is_told() -> None:
    crash = (
        "(EngineCore pid=11) ERROR 01-01 11:00:00 [core.py:710] torch.OutOfMemoryError: CUDA out of"
        " memory. Tried to allocate 2.00 GiB.\n"
    )
    told = explained(start(1) + UP + crash + start(2) + UP)

    assert (told.starts, told.failures, told.last_failed) == (2, 0, False)
    assert told.seen[0].causes[0].code == "KVD813"


def test_refused_flags_make_a_start_each() -> None:
    refused = "usage: vllm serve [model_tag] [options]\nvllm serve: error: unrecognized arguments: "
    told = explained(f"{refused}--swap-space 4\n" * 3)

    assert told.starts == 3
    assert first_code(f"{refused}--swap-space 4\n" * 3) == "KVD901"


def test_an_error_that_was_survived_is_no_fault() -> None:
    retried = (
        "(APIServer pid=1) ERROR 01-01 10:00:01 [repo_utils.py:126] Error parsing config for a/b:"
        " We couldn't connect to 'https://huggingface.co' to load the files, retrying 1 of 2\n"
    )
    assert explained(start(1) + retried + UP).seen == ()
    assert first_code(start(1) + retried) == "KVD913"


def test_a_healthy_start_is_no_fault() -> None:
    for path in sorted(LOGS.glob("*.log")):
        told = explained(path.read_bytes())
        assert told.seen == (), path.name
        assert told.start is not None
        assert told.start.ready is not None


def test_a_log_that_ends_while_it_loads_is_no_fault() -> None:
    lines = (LOGS / "startup-cpu-0.32.0.log").read_text("utf-8").splitlines()
    for end in range(1, len(lines)):
        assert explained("\n".join(lines[:end])).seen == ()


def test_refused_requests_and_other_programs_lines_are_no_fault_of_the_engine() -> None:
    lines = (
        'INFO:     10.0.0.1:4 - "POST /v1/chat/completions HTTP/1.1" 401 Unauthorized\n'
        'INFO:     10.0.0.1:4 - "GET /favicon.ico HTTP/1.1" 404 Not Found\n'
        "WARNING 01-01 10:00:01 [x.py:1] Using 'pin_memory=False' as WSL is detected.\n"
        "(EngineCore pid=11) WARNING 01-01 10:00:01 [shm.py:1] No available shared memory broadcast"
        " block found in 60 seconds.\n"
        "/x/torch/cuda/__init__.py:61: FutureWarning: The pynvml package is deprecated.\n"
    )
    assert explained(start(1) + UP + lines).seen == ()


BEGUN = """\
(APIServer pid=1) INFO 11-14 09:12:03 [api_server.py:1896] vLLM API server version 0.10.2
(EngineCore_DP0 pid=212) INFO 11-14 09:12:31 [core.py:76] Initializing a V1 LLM engine (v0.10.2) \
with config: model='m', tensor_parallel_size=8
"""
LOADS = """\
(Worker_TP0 pid=301) INFO 11-14 09:12:58 [gpu_model_runner.py:2338] Starting to load model m...
"""
LOADED = """\
(Worker_TP0 pid=301) INFO 11-14 09:14:58 [gpu_model_runner.py:2392] Model loading took 8.3 GiB
"""
WAITS = """\
(APIServer pid=1) DEBUG 11-14 09:13:08 [utils.py:741] Waiting for 1 local, 0 remote core engine \
proc(s) to start.
"""
STALLS = """\
(EngineCore_DP0 pid=212) INFO 11-14 09:15:08 [shm_broadcast.py:466] No available shared memory \
broadcast block found in 60 seconds. This typically happens when some processes are hanging
"""


@pytest.mark.parametrize(
    ("log", "code", "told"),
    [
        (BEGUN + LOADS + WAITS + WAITS, "KVD915", "HF_HOME"),
        (BEGUN + LOADS + LOADED + WAITS, "KVD915", "compiled"),
        (BEGUN + LOADS + LOADED + STALLS, "KVD915", "compiled"),
        (WAITS, "KVD915", "still move"),
        (WAITS.replace("1 local, 0 remote", "0 local, 2 remote"), "KVD923", "2 are missing"),
        (
            "INFO 02-24 00:15:52 [ray_utils.py:475] Waiting for creating a placement group of specs"
            " for 10 seconds. specs=[{'GPU': 1.0}]. Check `ray status`\n",
            "KVD904",
            "ray status",
        ),
    ],
)
def test_a_start_that_is_awaited_when_the_log_ends(log: str, code: str, told: str) -> None:
    (seen,) = explained(log).seen
    assert seen.causes[0].code == code
    assert told in seen.causes[0].tell_apart


@pytest.mark.parametrize(
    "log",
    [
        BEGUN + LOADS + WAITS + LOADED + UP,
        BEGUN + LOADS + LOADED + WAITS + "INFO 11-14 09:20:08 [loggers.py:123] Engine 000: Avg"
        " prompt throughput: 1.0 tokens/s, Running: 1 reqs, Waiting: 0 reqs\n",
        # Without the beginning of the log this may be an engine at rest.
        STALLS,
        BEGUN + LOADS + LOADED + UP + STALLS,
        BEGUN + LOADS,
    ],
)
def test_what_came_up_or_may_rest_is_not_awaited(log: str) -> None:
    assert explained(log).seen == ()


def test_an_error_counts_and_not_that_others_waited_meanwhile() -> None:
    error = (
        "(EngineCore_DP0 pid=212) ERROR 11-14 09:14:21 [core.py:700] ValueError: Free memory on"
        " device (31.44/47.38 GiB) on startup is less than desired GPU memory utilization (0.95,"
        " 45.01 GiB).\n"
    )
    assert {seen.causes[0].code for seen in explained(BEGUN + WAITS + error + WAITS).seen} == {
        "KVD805"
    }
