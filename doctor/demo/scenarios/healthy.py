"""Sound setups: nothing is to be found, and little is to be asked."""

from __future__ import annotations

from doctor.demo.keys import GOOD, MASTER
from doctor.demo.litellm import LiteLlm
from doctor.demo.newapi import NewApi
from doctor.demo.servers import Servers
from doctor.demo.vllm import Vllm, VllmConfig
from doctor.text import _

from .scenario import Area, Scenario, Setup
from .sound import MODEL, base_of, env_file, shell


async def _gateway(servers: Servers) -> Setup:
    gateway = await servers.open(NewApi())
    return Setup(shell(base_of(gateway)))


async def _vllm(servers: Servers) -> Setup:
    """An engine that asks for no key gets any word in its place."""
    engine = await servers.open(Vllm(VllmConfig(models=("qwen3-8b",))))
    return Setup(shell(f"{engine.origin}/v1", "EMPTY", "qwen3-8b"))


async def _litellm(servers: Servers) -> Setup:
    proxy = await servers.open(LiteLlm())
    lines = shell(f"{proxy.origin}/v1", MASTER, "qwen3-8b")
    return Setup(files={".env": env_file(lines)})


async def _anthropic(servers: Servers) -> Setup:
    gateway = await servers.open(NewApi())
    variables = {
        "ANTHROPIC_BASE_URL": f"{gateway.origin}/api",
        "ANTHROPIC_AUTH_TOKEN": GOOD,
        "ANTHROPIC_MODEL": MODEL,
    }
    return Setup(variables)


H = Area.HEALTHY
SCENARIOS = (
    Scenario("healthy-gateway", H, _("Nothing: an OpenAI client at a gateway."), _gateway),
    Scenario("healthy-vllm", H, _("Nothing: an OpenAI client at vLLM itself."), _vllm),
    Scenario("healthy-litellm", H, _("Nothing: an OpenAI client at a LiteLLM proxy."), _litellm),
    Scenario(
        "healthy-anthropic",
        H,
        _("Nothing: the Anthropic SDK at a gateway that speaks its protocol."),
        _anthropic,
    ),
)
