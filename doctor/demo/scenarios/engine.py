"""Scenarios in which the engine itself is at fault: its load, its memory, its prefix cache."""

from __future__ import annotations

from collections.abc import Mapping

from doctor.demo import vllm_shapes
from doctor.demo.ask import PATHS
from doctor.demo.keys import ENGINE, MASTER
from doctor.demo.litellm import LiteLlm
from doctor.demo.litellm_config import Group, LiteLlmConfig
from doctor.demo.messages import Answer, Request
from doctor.demo.servers import HOST, Servers
from doctor.demo.vllm import Vllm, VllmConfig
from doctor.text import _

from .scenario import Area, Build, Scenario, Setup
from .sound import shell

_MODEL = "qwen3-8b"
# 8,192 blocks of 16 tokens on a GPU, in place of the recorded engine's memory of a CPU.
_CACHE = {
    "block_size": "16",
    "num_gpu_blocks": "8192",
    "kv_cache_size_tokens": "131072",
    "kv_cache_max_concurrency": "4.0",
    "kv_cache_memory_bytes": "None",
    "gpu_memory_utilization": "0.9",
}
_RUNNING = "vllm:num_requests_running"
_WAITING = "vllm:num_requests_waiting"
_USAGE = "vllm:kv_cache_usage_perc"
_PREEMPTIONS = "vllm:num_preemptions_total"


def _engine(
    metrics: Mapping[str, float],
    growth: Mapping[str, float] | None = None,
    cache: Mapping[str, str] | None = None,
) -> Build:
    """vLLM itself, in order but for what its metrics say."""

    async def build(servers: Servers) -> Setup:
        config = VllmConfig(
            models=(_MODEL,),
            metrics=metrics,
            growth=growth or {},
            cache_config={**_CACHE, **(cache or {})},
        )
        engine = await servers.open(Vllm(config))
        return Setup(shell(f"{engine.origin}/v1", "EMPTY", _MODEL))

    return build


class _Dead:
    """The front of a vLLM whose engine has died (facts/vllm.md §§2.2, 5.4)."""

    def __init__(self) -> None:
        self._front = Vllm(VllmConfig(models=(_MODEL,), healthy=False))

    async def __call__(self, request: Request) -> Answer:
        if request.path in PATHS:
            text = "EngineCore encountered an issue. See stack trace (above) for the root cause."
            error = {"message": text, "type": "InternalServerError", "param": None, "code": 500}
            return vllm_shapes.reply(500, {"error": error})
        return await self._front(request)


async def _dead(servers: Servers) -> Setup:
    engine = await servers.open(_Dead())
    return Setup(shell(f"{engine.origin}/v1", "EMPTY", _MODEL))


def _named(gateway: str, engine: str) -> str:
    """A kvdoctor.toml that says which engine is behind the gateway."""
    return (
        "[targets.shop]\n"
        f'base_url = "{gateway}/v1"\n'
        'key_env = "SHOP_KEY"\n'
        f'model = "{_MODEL}"\n'
        f'engine = "{engine}/v1"\n'
    )


async def _route_to_nowhere(servers: Servers) -> Setup:
    """The engine works; the gateway's route leads to a port where it is not."""
    engine = await servers.open(Vllm(VllmConfig(models=(_MODEL,))))
    nowhere = f"http://{HOST}:{servers.silent_port()}/v1"
    route = Group(_MODEL, _MODEL, nowhere, ENGINE)
    gateway = await servers.open(LiteLlm(LiteLlmConfig(groups=(route,))))
    return Setup(
        {"SHOP_KEY": MASTER},
        files={"kvdoctor.toml": _named(gateway.origin, engine.origin)},
    )


E = Area.ENGINE
SCENARIOS = (
    Scenario(
        "kv-cache-full",
        E,
        _("The engine's KV cache is full: requests wait, and running ones are preempted."),
        _engine(
            {_RUNNING: 64, _WAITING: 37, _USAGE: 0.98, _PREEMPTIONS: 812},
            {_WAITING: 5, _PREEMPTIONS: 9},
        ),
        ("KVD807",),
        answers=True,
    ),
    Scenario(
        "requests-queue",
        E,
        _("Requests wait though the KV cache has room: the engine runs as many as it may."),
        _engine({_RUNNING: 16, _WAITING: 40, _USAGE: 0.31}, {_WAITING: 12}),
        ("KVD808",),
        answers=True,
    ),
    Scenario(
        "preemptions",
        E,
        _("The engine throws running requests out of its KV cache again and again."),
        _engine({_RUNNING: 48, _USAGE: 0.86, _PREEMPTIONS: 120}, {_PREEMPTIONS: 3}),
        ("KVD809",),
        answers=True,
    ),
    Scenario(
        "prefix-caching-off",
        E,
        _("The engine was started without prefix caching."),
        _engine({}, cache={"enable_prefix_caching": "False"}),
        ("KVD706",),
        answers=True,
    ),
    Scenario(
        "prefix-never-hits",
        E,
        _("Prefix caching is on, and something at the front of the prompts differs each time."),
        _engine(
            {
                'vllm:request_success_total{finished_reason="stop"}': 5_200,
                "vllm:prefix_cache_queries_total": 8_400_000,
                "vllm:prefix_cache_hits_total": 96_000,
            }
        ),
        ("KVD707",),
        answers=True,
    ),
    Scenario(
        "engine-dead",
        E,
        _("The engine behind vLLM's front has died."),
        _dead,
        ("KVD915",),
    ),
    Scenario(
        "route-to-nowhere",
        E,
        _("The engine works; the gateway's route to it names a wrong port."),
        _route_to_nowhere,
        ("KVD330",),
    ),
)
