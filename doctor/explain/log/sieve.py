"""Which lines are worth taking apart, by a look at their bytes.

Nearly all of a long log are access lines and periodic ones. Taking a line apart costs ten times
this look.
"""

from __future__ import annotations

import re

# The access lines of uvicorn, and of those the ones that were answered well.
ACCESS, ANSWERED = b" HTTP/1.", b' HTTP/1.1" 2'
# A frame of a traceback.
FRAME = b' File "'
# So many bytes hold the prefixes of a line, and in an access line all of it.
HEAD = 160
# Failures, wherever they stand, and what keeps them together.
GRAVE = re.compile(
    rb"(?:Traceback \(most|[Ee]rror|ERROR|Exception|CRITICAL|FATAL|Fatal|Killed|KILLED|SIGKILL"
    rb"|WARN|fault\b|terminate called|what\(\):|gated repo|restricted\. You|oom|OOM)"
)
# What an engine tells of itself.
TELLING = re.compile(
    rb"(?:Model loading took|model weights t|Available KV|KV cache|KV Cache|Maximum concurrency"
    rb"|total_gpu_memory|Free memory on|Actual usage|Graph capturing|CUDA graph|graph pool"
    rb"|Initial free memory|Explicitly set|Initializing a|API server version|non-default args"
    rb"|Namespace\(|  version|blocks: |max model len|Auto-fit|attention block size|padding layers"
    rb"|Application startup|Uvicorn running|Starting vLLM|Started server|Shutting down"
    rb"|Finished server|non_torch_memory|kv_cache_size|Avg prompt|gpu_memory_utilization="
    rb"|Running: \d+ reqs|core engine proc|broadcast block|placement group of specs"
    rb"|Starting to load model|checkpoint shards: )"
)
# An engine's own log, as opposed to any other text: its prefixes, paths and sentences.
OF_AN_ENGINE = re.compile(
    rb"\((?:APIServer|\w*EngineCore\w*|\w*Worker[\w-]*|ApiServer_\d+)(?: rank=\d+)? pid=\d+"
    rb"|(?:DEBUG|INFO|WARNING|ERROR) (?:\d{4}-)?\d\d-\d\d \d\d:\d\d:\d\d \[?[\w./]+\.py:\d+\]"
    rb"|vLLM API server version|[/\\]vllm[/\\]\w+[/\\.]\w|\bvllm(?: serve)?: error:"
    rb"|\bapi_server\.py: error:|^launch_server\.py: error:|NCCL WARN"
    rb"|Initializing an? (?:V1 )?LLM engine|GPU KV cache size|Engine \d{3}: Avg prompt"
    rb"|Running: \d+ reqs\b"
    rb"|Memory profiling results: |total_gpu_memory \("
    rb"|torch\.distributed\.\w+Error|\[c10d\]"
    rb"|(?:Value|Assertion|Type|NotImplemented)Error: [^\n]{0,200}\b(?:VLLM_[A-Z]|max_num_seqs"
    rb"|max_num_batched_tokens|(?:tensor|pipeline|data|expert)_parallel_size|kv_cache_dtype"
    rb"|gpu_memory_utilization|num_speculative_tokens)"
    rb"|validation errors? for (?:Vllm|Model|Cache|Scheduler|Parallel|Speculative|LoRA)Config"
)
# A general text's failures, for logs of other programs; in small letters, as that is ten times
# as fast as to ignore case. The last ones are Chinese: error, failure, exception, without.
_BAD = re.compile(
    rb"error|exce(?:ption|ed)|fail|forbidden|invalid|illegal|cannot|can't|denied|expired|panic"
    rb"|un(?:able|supported|known|authori)|re(?:fus|ject)|m(?:alformed|issing)|limit|quota"
    rb"|t(?:raceback|imeout|imed out)|not (?:found|exist)"
    rb"|\xe9\x94\x99\xe8\xaf\xaf|\xe5\xa4\xb1\xe8\xb4\xa5|\xe5\xbc\x82\xe5\xb8\xb8|\xe6\x97\xa0"
)
# A line of a log, as opposed to one of a body or a traceback that was printed.
STAMPED = re.compile(
    rb"\W{0,2}(?:\d{4}[-/]\d\d[-/]\d\d|\d\d:\d\d:\d\d|(?:INFO|DEBUG|WARN|ERROR|TRACE)\b"
    rb"|[A-Z][a-z]{2} [ \d]\d \d\d:)"
)
# Numbers, and the letters of hexadecimal ones.
_NUMERALS = b"0123456789abcdef"


def is_info(head: bytes) -> bool:
    """Whether the line says of itself that it tells of no failure; ``NCCL_DEBUG=INFO`` is advice,
    as torch gives it in each of NCCL's errors."""
    told = head.replace(b"=INFO", b"")
    return b"INFO" in told and b"ERROR" not in told and b"WARN" not in told


def is_bad(line: bytes) -> bool:
    """Whether the line speaks of something bad."""
    return _BAD.search(line.lower()) is not None


def shape(line: bytes) -> bytes:
    """The line without its numbers and ids: what repeats has one shape."""
    return line[:400].translate(None, _NUMERALS)
