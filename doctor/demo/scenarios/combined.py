"""Scenarios with several faults, each hidden behind another."""

from __future__ import annotations

from doctor.demo.keys import GOOD
from doctor.demo.newapi import NewApi
from doctor.demo.newapi_config import NewApiConfig
from doctor.demo.servers import Servers
from doctor.demo.vllm import Vllm, VllmConfig
from doctor.secrets import Secret
from doctor.text import _

from .scenario import Area, Scenario, Setup
from .sound import MODEL, base_of, env_file, shell


async def _triple_fault(servers: Servers) -> Setup:
    gateway = await servers.open(NewApi(NewApiConfig(prefix="")))
    proxy = f"http://127.0.0.1:{servers.silent_port()}"
    variables = {
        **shell(gateway.origin, GOOD + "\n"),
        "HTTP_PROXY": proxy,
        "HTTPS_PROXY": proxy,
    }
    return Setup(
        variables,
        right={"key": Secret(GOOD), "base_url": f"{gateway.origin}/v1", "proxy": "direct"},
    )


async def _key_and_model(servers: Servers) -> Setup:
    gateway = await servers.open(NewApi())
    lines = shell(base_of(gateway), f"Bearer {GOOD}", "DeepSeek-V4-Flash")
    return Setup(files={".env": env_file(lines)}, right={"key": Secret(GOOD), "model": MODEL})


async def _proxy_and_model(servers: Servers) -> Setup:
    gateway = await servers.open(NewApi())
    proxy = f"http://127.0.0.1:{servers.silent_port()}"
    variables = {**shell(base_of(gateway), model="deepseek-v4-flesh"), "ALL_PROXY": proxy}
    return Setup(variables, right={"proxy": "direct", "model": MODEL})


async def _base_and_budget(servers: Servers) -> Setup:
    engine = await servers.open(Vllm(VllmConfig(models=("qwen3-8b",), max_model_len=8192)))
    variables = {
        **shell(f"{engine.origin}/v1/chat/completions", "EMPTY", "qwen3-8b"),
        "OPENAI_MAX_TOKENS": "32000",
    }
    return Setup(variables, right={"base_url": f"{engine.origin}/v1", "max_tokens": 6_144})


async def _key_base_and_model(servers: Servers) -> Setup:
    gateway = await servers.open(NewApi())
    lines = shell(f"{base_of(gateway)}?utm_source=blog", f"“{GOOD}”", f"openai/{MODEL}")
    return Setup(
        files={".env": env_file(lines)},
        right={"key": Secret(GOOD), "base_url": base_of(gateway), "model": MODEL},
    )


A = Area.COMBINED
SCENARIOS = (
    Scenario(
        "triple-fault",
        A,
        _("The key ends in a line break, the base URL lacks /v1, and the proxy is not running."),
        _triple_fault,
        ("KVD102", "KVD201", "KVD301"),
        proved=True,
    ),
    Scenario(
        "key-and-model",
        A,
        _('The key begins with "Bearer ", and the model id is written with capitals.'),
        _key_and_model,
        ("KVD105", "KVD502"),
        proved=True,
    ),
    Scenario(
        "proxy-and-model",
        A,
        _("The proxy is not running, and the model id has a slip of the pen."),
        _proxy_and_model,
        ("KVD301", "KVD501"),
        proved=True,
    ),
    Scenario(
        "base-and-budget",
        A,
        _("/chat/completions was pasted into the base URL, and max_tokens exceeds the window."),
        _base_and_budget,
        ("KVD204", "KVD601"),
        proved=True,
    ),
    Scenario(
        "key-base-and-model",
        A,
        _(
            "The key stands in typographic quotes, the base URL carries ?utm_source=…, and the "
            'model id begins with "openai/".'
        ),
        _key_base_and_model,
        ("KVD103", "KVD205", "KVD506"),
        proved=True,
    ),
)
