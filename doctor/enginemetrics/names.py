"""What vLLM's metrics are called, by version, and one name for each meaning.

Source: facts/vllm.md §3.1; facts/observed/vllm-0.32.0-metrics.txt. The prefix is ``vllm:``; where
Ray's wrappers expose them it is ``vllm_`` or ``ray_vllm_``. Counters may lack ``_total``.
"""

from __future__ import annotations

RUNNING = "running"
WAITING = "waiting"
WAITING_CAPACITY = "waiting.capacity"
WAITING_DEFERRED = "waiting.deferred"
KV_USAGE = "kv_usage"  # 0 to 1, of the blocks
HIT_RATE = "hit_rate"  # 0 to 1, of the engine's V0 alone; -1 where caching is off
PREFIX_QUERIES = "prefix_queries"  # tokens
PREFIX_HITS = "prefix_hits"  # tokens
EXTERNAL_HITS = "external_hits"  # tokens
PREEMPTIONS = "preemptions"
PROMPT_TOKENS = "prompt_tokens"
GENERATION_TOKENS = "generation_tokens"
FINISHED = "finished"  # requests, whatever the reason
FAILED = "failed"  # requests that ended with an error
REJECTED = "rejected"  # requests that the queue's limit turned away
SLEEPING = "sleeping"  # 1 where the engine sleeps

TTFT = "ttft"  # seconds
INTER_TOKEN = "inter_token"  # noqa: S105 - a name; seconds
LATENCY = "latency"  # seconds, of whole requests
QUEUE = "queue"  # seconds in the queue
PROMPT_LENGTH = "prompt_length"  # tokens of one prompt
OUTPUT_LENGTH = "output_length"  # tokens of one answer

# Two names of one meaning that stand side by side say the same; the first of a list counts.
SINGLE: dict[str, tuple[str, ...]] = {
    RUNNING: ("num_requests_running",),
    WAITING: ("num_requests_waiting",),
    KV_USAGE: ("kv_cache_usage_perc", "gpu_cache_usage_perc"),
    HIT_RATE: ("gpu_prefix_cache_hit_rate",),
    PREFIX_QUERIES: ("prefix_cache_queries", "gpu_prefix_cache_queries"),
    PREFIX_HITS: ("prefix_cache_hits", "gpu_prefix_cache_hits"),
    EXTERNAL_HITS: ("external_prefix_cache_hits",),
    PREEMPTIONS: ("num_preemptions",),
    PROMPT_TOKENS: ("prompt_tokens",),
    GENERATION_TOKENS: ("generation_tokens",),
    REJECTED: ("admission_rejections",),
}

HISTOGRAMS: dict[str, tuple[str, ...]] = {
    TTFT: ("time_to_first_token_seconds",),
    INTER_TOKEN: ("inter_token_latency_seconds", "time_per_output_token_seconds"),
    LATENCY: ("e2e_request_latency_seconds",),
    QUEUE: ("request_queue_time_seconds",),
    PROMPT_LENGTH: ("request_prompt_tokens",),
    OUTPUT_LENGTH: ("request_generation_tokens",),
}

# The meaning is told by a label: name → (label, {value: meaning}); "" stands for any other value.
SPLIT: dict[str, tuple[str, dict[str, str]]] = {
    "num_requests_waiting_by_reason": (
        "reason",
        {"capacity": WAITING_CAPACITY, "deferred": WAITING_DEFERRED},
    ),
    "request_success": ("finished_reason", {"error": FAILED, "": FINISHED}),
    "engine_sleep_state": ("sleep_state", {"weights_offloaded": SLEEPING, "discard_all": SLEEPING}),
}

CONFIG = "cache_config_info"
STARTED = "process_start_time_seconds"

# Counters, which only grow while the server runs.
GROWING = (
    PREFIX_QUERIES,
    PREFIX_HITS,
    EXTERNAL_HITS,
    PREEMPTIONS,
    PROMPT_TOKENS,
    GENERATION_TOKENS,
    FINISHED,
    FAILED,
    REJECTED,
)
# Of several processes the largest speaks, where all others add up.
SHARES = (KV_USAGE, HIT_RATE, SLEEPING)
