"""Scenarios in which the token budget is at fault."""

from __future__ import annotations

from doctor.demo.faults import Fault, Injection
from doctor.demo.messages import Answer, Request
from doctor.demo.newapi import NewApi
from doctor.demo.newapi_config import NewApiConfig
from doctor.demo.servers import Servers
from doctor.demo.vllm import Vllm, VllmConfig
from doctor.text import _

from .scenario import Area, Scenario, Setup
from .sound import base_of, env_file, shell

_CHAT = "/v1/chat/completions"
_ENGINE_MODEL = "qwen3-8b"


class _Thinker:
    """A gateway whose model needs so many tokens to think before it says a word."""

    def __init__(self, tokens: int) -> None:
        self._tokens = tokens
        cut = {_CHAT: Injection(Fault.THINKING_TOOK_BUDGET)}
        self._cut_short = NewApi(NewApiConfig(faults=cut))
        self._finishes = NewApi()

    async def __call__(self, request: Request) -> Answer:
        budget = request.json_object().get("max_tokens")
        short = isinstance(budget, int) and budget <= self._tokens
        return await (self._cut_short if short else self._finishes)(request)


def _engine_shell(origin: str, max_tokens: int) -> dict[str, str]:
    """vLLM without a key, asked for ``max_tokens``."""
    base = shell(f"{origin}/v1", key="EMPTY", model=_ENGINE_MODEL)
    return {**base, "OPENAI_MAX_TOKENS": str(max_tokens)}


async def _max_tokens_over_window(servers: Servers) -> Setup:
    engine = await servers.open(Vllm(VllmConfig(models=(_ENGINE_MODEL,), max_model_len=8192)))
    return Setup(_engine_shell(engine.origin, 32_000), right={"max_tokens": 6_144})


async def _max_tokens_over_cap(servers: Servers) -> Setup:
    """The gateway caps the answer and names the range."""
    capped = {_CHAT: Injection(Fault.MAX_TOKENS_CAPPED, limit=8_192)}
    gateway = await servers.open(NewApi(NewApiConfig(faults=capped)))
    lines = {**shell(base_of(gateway)), "OPENAI_MAX_TOKENS": "65536"}
    return Setup(files={".env": env_file(lines)}, right={"max_tokens": 8_192})


async def _max_tokens_fills_window(servers: Servers) -> Setup:
    """Engines before 0.32 refuse a budget that leaves nothing for the prompt."""
    config = VllmConfig(models=(_ENGINE_MODEL,), max_model_len=8192, version="0.31.0")
    engine = await servers.open(Vllm(config))
    return Setup(_engine_shell(engine.origin, 8_192), right={"max_tokens": 6_144})


async def _max_tokens_zero(servers: Servers) -> Setup:
    engine = await servers.open(Vllm(VllmConfig(models=(_ENGINE_MODEL,), max_model_len=8192)))
    return Setup(_engine_shell(engine.origin, 0), right={"max_tokens": 4_096})


async def _thinking_eats_budget(servers: Servers) -> Setup:
    gateway = await servers.open(_Thinker(512))
    variables = {**shell(base_of(gateway)), "OPENAI_MAX_TOKENS": "16"}
    return Setup(variables, right={"max_tokens": 4_096})


T = Area.TOKENS
SCENARIOS = (
    Scenario(
        "max-tokens-over-window",
        T,
        _("max_tokens is 32,000, and the engine's window is 8,192."),
        _max_tokens_over_window,
        ("KVD601",),
        proved=True,
    ),
    Scenario(
        "max-tokens-over-cap",
        T,
        _("max_tokens is 65,536, and the gateway allows 8,192."),
        _max_tokens_over_cap,
        ("KVD601",),
        proved=True,
    ),
    Scenario(
        "max-tokens-fills-window",
        T,
        _("max_tokens is the whole window, so that nothing is left for the prompt."),
        _max_tokens_fills_window,
        ("KVD602",),
        proved=True,
    ),
    Scenario(
        "max-tokens-zero",
        T,
        _("max_tokens is 0."),
        _max_tokens_zero,
        ("KVD606",),
        proved=True,
    ),
    Scenario(
        "thinking-eats-budget",
        T,
        _("max_tokens is 16, and the model spends them on thinking."),
        _thinking_eats_budget,
        ("KVD605",),
        proved=True,
    ),
)
