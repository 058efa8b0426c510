"""A log is read whatever brings it: carriers, colours, packing, broken lines, any bytes."""

from __future__ import annotations

import gzip
import itertools
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doctor.explain.log.lines import parse
from doctor.explain.log.source import NotReadable, raw_lines

from .logreading import LOGS, explained, failures_observed, first_code

PLAIN = (
    "(EngineCore_DP0 pid=17) ERROR 09-28 15:47:24 [core.py:718] ValueError: Total number of"
    " attention heads (28) must be divisible by tensor parallel size (8)."
)


@pytest.mark.parametrize(
    "carrier",
    [
        "{}",
        "vllm-1  | {}",
        "\x1b[36mvllm-1  | \x1b[0m{}",
        "2025-03-10T15:07:20.123456789Z {}",
        "2025-03-10T15:07:20.123456789Z stderr F {}",
        "[2025-03-10T15:07:20Z] {}",
        "[pod/vllm-0/vllm] {}",
        "Nov 29 12:00:11 gpu01 vllm[1234]: {}",
        "2025-11-29T12:00:11+0000 gpu01 docker[99]: {}",
        "2026-06-09 14:01:54.604 [Info] (Process) {}",
        "INFO 2025-11-19T20:16:36.096674521Z [resource.labels.containerName: vllm] {}",
        "Loading safetensors checkpoint shards:   0% Completed | 0/1 [00:00<?, ?it/s]{}",
        "Capturing CUDA graph shapes:  10%|#  | 3/35 [00:00<00:09,  3.51it/s]\r{}",
    ],
)
def test_what_brings_a_line_is_taken_off(carrier: str) -> None:
    line = parse(1, carrier.format(PLAIN).encode())

    assert (line.process, line.level) == ("EngineCore_DP0 pid=17", "ERROR")
    assert line.text.startswith("ValueError: Total number")
    assert first_code(carrier.format(PLAIN)) == "KVD904"


@pytest.mark.parametrize(
    ("process", "name"),
    [
        ("(APIServer pid=1)", "APIServer pid=1"),
        ("(Worker_TP0_EP0 pid=4)", "Worker_TP0_EP0 pid=4"),
        ("(VllmWorkerProcess pid=507)", "VllmWorkerProcess pid=507"),
        ("(VllmWorker rank=1 pid=2445156)", "VllmWorker rank=1 pid=2445156"),
        ("(RayWorkerWrapper pid=146, ip=192.168.10.60)", "RayWorkerWrapper pid=146"),
        ("(raylet)", "raylet"),
        ("(pid=77)", "pid=77"),
    ],
)
def test_the_process_is_known(process: str, name: str) -> None:
    assert parse(1, f"{process} INFO 03-27 10:29:01 [w.py:2] x".encode()).process == name


def test_a_json_log_of_docker_is_read() -> None:
    lines = [{"log": PLAIN + "\n", "stream": "stderr", "time": "2025-03-10T15:07:20.1Z"}]

    assert first_code("\n".join(map(json.dumps, lines))) == "KVD904"


def test_a_packed_log_is_read() -> None:
    assert first_code(gzip.compress(PLAIN.encode())) == "KVD904"


def test_a_broken_pack_is_told() -> None:
    import io

    data = gzip.compress(PLAIN.encode() * 100)[:-20]
    with pytest.raises(NotReadable):
        list(raw_lines(io.BytesIO(data)))


def test_a_log_of_windows_shell_is_read() -> None:
    assert first_code(("\ufeff" + PLAIN + "\r\n").encode("utf-16-le")) == "KVD904"


def test_lines_that_a_terminal_broke_are_joined() -> None:
    text = (
        "(EngineCore pid=316) ValueError: To serve at least one request with the model's max seq"
        " len (100000), (4.26 GiB KV cach\ne is needed, which is larger than the available KV cache"
        " memory (4.25 GiB). Based on the available memory, the estimat\ned maximum model length is"
        " 99584. Try increasing `gpu_memory_utilization`\n"
    )
    assert "--max-model-len 99584" in explained(text).seen[0].causes[0].changes


def test_what_stands_late_in_a_log_is_found() -> None:
    before = "2026-01-01 10:00:00 the pod is being prepared\n" * 5_000
    refused = explained(f"{before}{'401 Unauthorized' + chr(10)}" * 2)
    engine = before + (
        "(EngineCore pid=7) ERROR 11-29 12:01:56 [core.py:1] ValueError: LoRA rank 64 is greater"
        " than max_lora_rank 16."
    )

    assert [(seen.line, seen.times) for seen in refused.seen] == [(5_001, 2)]
    assert refused.start is None
    assert first_code(engine) == "KVD919"
    assert explained(engine).start is not None


def test_empty_lines_are_nothing_but_a_word_behind_them_is() -> None:
    assert explained("\n" * 5_000).blank
    assert not explained("\n" * 5_000 + "hello").blank


def test_a_long_line_is_no_burden() -> None:
    assert first_code(b"x" * 3_000_000 + b"\n" + PLAIN.encode()) == "KVD904"


WORKER = """\
(Worker_TP0 pid=41) ERROR 01-01 10:00:00 [multiproc_executor.py:600] Traceback (most recent call last):
(Worker_TP0 pid=41) ERROR 01-01 10:00:00 [multiproc_executor.py:600]   File "/x/gpu_worker.py", line 9, in load_model
(Worker_TP0 pid=41) ERROR 01-01 10:00:00 [multiproc_executor.py:600]     self.model_runner.load_model()
(Worker_TP0 pid=41) ERROR 01-01 10:00:00 [multiproc_executor.py:600] torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 MiB.
""".splitlines()  # noqa: E501
CORE = """\
(EngineCore pid=30) ERROR 01-01 10:00:01 [core.py:708] EngineCore failed to start.
(EngineCore pid=30) ERROR 01-01 10:00:01 [core.py:708] Traceback (most recent call last):
(EngineCore pid=30) ERROR 01-01 10:00:01 [core.py:708]   File "/x/core.py", line 387, in run_engine_core
(EngineCore pid=30) ERROR 01-01 10:00:01 [core.py:708] Exception: WorkerProc initialization failed due to an exception in a background process. See stack trace for root cause.
""".splitlines()  # noqa: E501


@given(st.lists(st.booleans(), min_size=8, max_size=8))
def test_the_order_in_which_processes_write_changes_nothing(choices: list[bool]) -> None:
    worker, core, mixed = iter(WORKER), iter(CORE), []
    for choice in choices:
        mixed.append(next(worker if choice else core, None))
    mixed += [*worker, *core]

    assert first_code("\n".join(line for line in mixed if line is not None)) == "KVD806"


PIECES = [
    *itertools.chain.from_iterable(text.splitlines() for text in failures_observed().values()),
    *(LOGS / "tensor-parallel-0.27.1.log").read_text("utf-8").splitlines(),
    "Traceback (most recent call last):",
    "The above exception was the direct cause of the following exception:",
    "vllm-1 | (EngineCore pid=1) ",
]


@given(st.lists(st.one_of(st.sampled_from(PIECES), st.text(max_size=60)), max_size=30))
def test_any_scraps_of_logs_are_read(lines: list[str]) -> None:
    for seen in explained("\n".join(lines).encode("utf-8", "surrogatepass")).seen:
        assert seen.text.isprintable()


@settings(max_examples=200)
@given(st.binary(max_size=400))
def test_any_bytes_are_read(data: bytes) -> None:
    try:
        explained(b"(EngineCore pid=1) ERROR 01-01 10:00:00 [a.py:1] " + data)
        explained(data)
    except NotReadable:
        assert data.startswith(b"\x1f\x8b")
