"""A real LiteLLM proxy in front of a real vLLM that kvdoctor.toml names: whose fault is it?"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from .conftest import MODEL
from .servers import RunningServer

ROOT = Path(__file__).resolve().parents[2]
ENGINE_MODEL = "tiny"


def check(home: Path, gateway: RunningServer, engine: RunningServer) -> tuple[int, dict[str, Any]]:
    """``kvdoctor check shop`` with the engine as a target of its own."""
    (home / "kvdoctor.toml").write_text(
        "[targets.shop]\n"
        f'base_url = "{gateway.base_url}"\n'
        'key_env = "SHOP_KEY"\n'
        f'model = "{MODEL}"\n'
        'engine = "lab"\n'
        "\n[targets.lab]\n"
        f'base_url = "{engine.base_url}"\n'
        'key_env = "LAB_KEY"\n'
        f'model = "{ENGINE_MODEL}"\n'
        'kind = "engine"\n',
        "utf-8",
    )
    done = subprocess.run(
        [sys.executable, "-m", "doctor", "check", "shop", "--format", "json", "--timeout", "60"],
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "PYTHONPATH": str(ROOT),
            "SHOP_KEY": gateway.api_key,
            "LAB_KEY": engine.api_key,
        },
        cwd=home,
        capture_output=True,
        text=True,
    )
    assert done.returncode in (0, 1), done.stderr
    for key in (gateway.api_key, engine.api_key):
        assert key not in done.stdout + done.stderr
    return done.returncode, json.loads(done.stdout)


def statuses(report: dict[str, Any]) -> dict[str, str]:
    return {hop["hop"]: hop["status"] for hop in report["path"]}


def test_both_layers_are_well(
    litellm_server: RunningServer, vllm_server: RunningServer, tmp_path: Path
) -> None:
    code, report = check(tmp_path, litellm_server, vllm_server)

    assert (code, report["findings"]) == (0, [])
    assert statuses(report)["kv"] == "ok"
    assert "engine_ttft_ms" in report["targets"][0]["measured"]


def test_the_engine_is_well_and_the_route_is_not(
    litellm_engine_down: RunningServer, vllm_server: RunningServer, tmp_path: Path
) -> None:
    code, report = check(tmp_path, litellm_engine_down, vllm_server)

    assert code == 1
    assert report["diagnosis"]["root_causes"] == ["KVD330"]
    (finding,) = (each for each in report["findings"] if each["code"] == "KVD330")
    assert f"the engine at {vllm_server.base_url} answers" in finding["explanation"]
    assert [hop for hop, status in statuses(report).items() if status == "broken"] == ["route"]
