"""A gateway whose engine the user named: each layer is asked, and each key stays with its own."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from doctor import cli
from doctor.commands.check import diagnose
from doctor.demo.keys import ENGINE, MASTER
from doctor.demo.litellm import LiteLlm
from doctor.demo.litellm_config import Group, LiteLlmConfig
from doctor.demo.scenarios import Area, Scenario, Setup, find
from doctor.demo.servers import Servers
from doctor.demo.stage import Stage, staged
from doctor.demo.vllm import Vllm, VllmConfig
from doctor.secrets import Redactor
from doctor.text import _

Capture = pytest.CaptureFixture[str]

GATEWAY_MODEL, ENGINE_MODEL = "qwen3-8b", "tiny"


def scenario(named: str = "target", metrics: Mapping[str, float] | None = None) -> Scenario:
    """``named`` tells how the engine is: as a target of its own with a key, or by its URL."""

    async def build(servers: Servers) -> Setup:
        config = VllmConfig(models=(ENGINE_MODEL,), api_keys=(ENGINE,), metrics=metrics or {})
        engine = await servers.open(Vllm(config))
        route = Group(GATEWAY_MODEL, ENGINE_MODEL, f"{engine.origin}/v1", ENGINE)
        gateway = await servers.open(LiteLlm(LiteLlmConfig(groups=(route,))))
        text = (
            "[targets.shop]\n"
            f'base_url = "{gateway.origin}/v1"\n'
            'key_env = "SHOP_KEY"\n'
            f'model = "{GATEWAY_MODEL}"\n'
            f'engine = "{"lab" if named == "target" else engine.origin + "/v1"}"\n'
        )
        lab = (
            f'\n[targets.lab]\nbase_url = "{engine.origin}/v1"\n'
            f'key_env = "LAB_KEY"\nmodel = "{ENGINE_MODEL}"\nkind = "engine"\n'
        )
        files = {"kvdoctor.toml": text + (lab if named == "target" else "")}
        return Setup({"SHOP_KEY": MASTER, "LAB_KEY": ENGINE}, files, arguments=("shop",))

    return Scenario("layers", Area.ENGINE, _("Made up for a test."), build)


async def checked(stage: Stage, capsys: Capture) -> tuple[int, dict[str, Any]]:
    arguments = ["check", *stage.arguments, "--format", "json", "--window", "0.1"]
    options = cli.build_parser("check").parse_args(arguments)
    code = await diagnose(options, stage.environment, Redactor())
    return code, json.loads(capsys.readouterr().out)


def keys_seen(stage: Stage) -> list[set[str | None]]:
    """By server, in the order in which they were opened."""
    return [
        {request.header("authorization") for request in server.requests} for server in stage.servers
    ]


async def test_a_healthy_chain_gives_no_finding(capsys: Capture) -> None:
    async with staged(scenario()) as stage:
        code, report = await checked(stage, capsys)

        assert (code, report["findings"]) == (0, [])
        (target,) = report["targets"]
        assert int(target["measured"]["engine_ttft_ms"]) >= 0
        hops = {hop["hop"]: hop["status"] for hop in report["path"]}
        assert hops["kv"] == "ok"
        of_engine, of_gateway = keys_seen(stage)
        assert of_engine <= {None, f"Bearer {ENGINE}", "Bearer sk-kvdoctor-negative-control"}
        assert f"Bearer {ENGINE}" not in of_gateway
        assert f"Bearer {MASTER}" not in of_engine


async def test_an_engine_named_by_its_address_gets_no_key(capsys: Capture) -> None:
    async with staged(scenario(named="address")) as stage:
        code, report = await checked(stage, capsys)

        assert (code, report["findings"]) == (0, [])
        engine = stage.servers[0]
        free = [request for request in engine.requests if request.path == "/metrics"]
        assert free
        assert {request.header("authorization") for request in free} == {None}


async def test_the_load_of_the_engine_is_seen_through_the_gateway(capsys: Capture) -> None:
    full = {"vllm:num_requests_waiting": 9.0, "vllm:kv_cache_usage_perc": 0.98}
    async with staged(scenario(metrics=full)) as stage:
        code, report = await checked(stage, capsys)

        assert code == 1
        assert "KVD807" in {finding["code"] for finding in report["findings"]}


async def test_a_route_that_misses_its_engine_is_broken_there(capsys: Capture) -> None:
    async with staged(find("route-to-nowhere")) as stage:
        code, report = await checked(stage, capsys)

        assert code == 1
        assert report["diagnosis"]["root_causes"] == ["KVD330"]
        assert [hop["hop"] for hop in report["path"] if hop["status"] == "broken"] == ["route"]


async def test_with_no_spend_the_engine_is_asked_for_no_token(capsys: Capture) -> None:
    async with staged(scenario()) as stage:
        arguments = ["check", *stage.arguments, "--format", "json", "--no-spend"]
        options = cli.build_parser("check").parse_args(arguments)
        await diagnose(options, stage.environment, Redactor())
        capsys.readouterr()

        assert not [r for s in stage.servers for r in s.requests if r.method == "POST"]
