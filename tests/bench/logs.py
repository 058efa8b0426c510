# ruff: noqa: E501 - lines of a log
"""The log reader on a long log: how fast, and whether its memory stays where it was.

The log is a server's: a start, then access lines and periodic ones, some requests that are refused
and, in the end, an engine that dies.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Iterator
from pathlib import Path

from .measure import cost_of

_START = """\
(APIServer pid=100) INFO 11-29 11:47:55 [api_utils.py:286] non-default args: {'model': 'a/b', 'port': 8000}
(EngineCore pid=200) INFO 11-29 11:48:18 [core.py:133] Initializing a V1 LLM engine (v0.32.0) with config: model='a/b', dtype=torch.bfloat16, kv_cache_dtype=auto,
(EngineCore pid=200) INFO 11-29 11:48:30 [gpu_model_runner.py:5150] Model loading took 14.99 GiB memory and 3.661570 seconds
(EngineCore pid=200) INFO 11-29 11:48:40 [gpu_worker.py:760] Available KV cache memory: 19.30 GiB
(EngineCore pid=200) INFO 11-29 11:48:41 [kv_cache_utils.py:2327] GPU KV cache size: 158,656 tokens, Maximum concurrency for 32,768 tokens per request: 4.84x
INFO:     Application startup complete.
"""
_REFUSED = """\
(APIServer pid=100) ERROR 11-29 12:00:00 [serving.py:274] Error in preprocessing prompt inputs
(APIServer pid=100) ERROR 11-29 12:00:00 [serving.py:274] Traceback (most recent call last):
(APIServer pid=100) ERROR 11-29 12:00:00 [serving.py:274]   File "/opt/vllm/entrypoints/openai/serving.py", line 270, in create
(APIServer pid=100) ERROR 11-29 12:00:00 [serving.py:274] ValueError: This model's maximum context length is 32768 tokens. However, your request has {tokens} input tokens. Please reduce the length of the input messages.
"""
_END = """\
(EngineCore pid=200) ERROR 11-29 13:00:00 [core.py:710] torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 39.38 GiB of which 1.10 GiB is free.
(APIServer pid=100) vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue. See stack trace (above) for the root cause.
"""


def write_log(path: Path, mib: int) -> int:
    """A log of ``mib`` MiB; the value is its size in bytes."""
    with path.open("w", encoding="utf-8") as file:
        file.write(_START)
        block = "".join(_block())
        for _number in range(mib * 2**20 // len(block)):
            file.write(block)
        file.write(_END)
    return path.stat().st_size


def _block() -> Iterator[str]:
    """About one MiB."""
    made = random.Random(7)
    for number in range(9_000):
        port, tokens = made.randrange(30_000, 60_000), made.randrange(33_000, 90_000)
        yield f'INFO:     10.0.0.{port % 250}:{port} - "POST /v1/chat/completions HTTP/1.1" 200 OK\n'
        if number % 40 == 0:
            yield (
                "(APIServer pid=100) INFO 11-29 12:00:00 [loggers.py:257] Engine 000: Avg prompt"
                f" throughput: {tokens / 10} tokens/s, Avg generation throughput: 512.3 tokens/s,"
                f" Running: {port % 64} reqs, Waiting: 0 reqs, GPU KV cache usage: 31.4%, Prefix"
                " cache hit rate: 12.1%\n"
            )
        if number % 450 == 0:
            yield _REFUSED.format(tokens=tokens)


def figures(folder: Path, environment: dict[str, str]) -> Iterator[tuple[str, float, float, str]]:
    """Name, measured, budget, unit; as those of ``python -m tests.bench``."""
    explain = [sys.executable, "-m", "doctor", "explain", "--no-context", "--format", "json"]
    small, large = folder / "small.log", folder / "large.log"
    write_log(small, 20)
    size = write_log(large, 200)
    least = cost_of([*explain, str(small)], environment, runs=2)
    most = cost_of([*explain, str(large)], environment, runs=2)
    # Less is better, as of the other figures: seconds for 100 MB.
    yield "log of 200 MiB, CPU for each 100 MB", most.cpu / (size / 1e8), 2.0, "s"
    yield "log, peak memory of 200 MiB against 20 MiB", most.peak / least.peak, 1.1, "x"
    yield "log of 200 MiB, peak memory", most.peak, 100.0, "MiB"
