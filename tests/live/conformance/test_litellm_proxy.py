"""The LiteLLM proxy sends what the module of its configuration predicts, route by route."""

from __future__ import annotations

import http.client
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from doctor.clients.prediction import Prediction, predict
from doctor.facts.machine import Environment
from doctor.settings.discover import TargetRequest, discover
from tests.live.servers import RunningServer, start_litellm
from tests.live.setup_servers import locate

from .case import Case, Scene
from .comparing import mismatches
from .recorder import Recorded, Recorder, asks_a_model

KEY = "sk-made-up-000000000000000000"
ROUTES: dict[str, dict[str, Any]] = {
    "plain": {"model": "openai/tiny", "api_base": "{base}/v1", "api_key": KEY},
    "with-slash": {"model": "openai/org/tiny", "api_base": "{base}/v1/", "api_key": KEY},
    "without-version": {"model": "openai/tiny", "api_base": "{base}", "api_key": KEY},
    "whole-address": {
        "model": "openai/tiny",
        "api_base": "{base}/v1/chat/completions",
        "api_key": KEY,
    },
    "with-query": {"model": "openai/tiny", "api_base": "{base}/v1?utm=x", "api_key": KEY},
    "budget": {
        "model": "openai/tiny",
        "api_base": "{base}/v1",
        "api_key": KEY,
        "max_tokens": 777,
    },
    "headers": {
        "model": "openai/tiny",
        "api_base": "{base}/v1",
        "api_key": KEY,
        "extra_headers": {"X-Own": "a"},
    },
    "vllm": {"model": "hosted_vllm/tiny", "api_base": "{base}/v1", "api_key": KEY},
    "vllm-with-slash": {"model": "hosted_vllm/tiny", "api_base": "{base}/v1/", "api_key": KEY},
    "another-proxy": {"model": "litellm_proxy/tiny", "api_base": "{base}/v1", "api_key": KEY},
    "zai": {"model": "zai/glm-5", "api_base": "{base}/api/paas/v4", "api_key": KEY},
    "openrouter": {"model": "openrouter/a/b", "api_base": "{base}/api/v1", "api_key": KEY},
    "deepseek": {"model": "deepseek/deepseek-chat", "api_base": "{base}/v1", "api_key": KEY},
    "known-name": {"model": "gpt-4o", "api_base": "{base}/v1", "api_key": KEY},
    "anthropic": {"model": "anthropic/claude-x", "api_base": "{base}", "api_key": KEY},
    "anthropic-slash": {"model": "anthropic/claude-x", "api_base": "{base}/a/", "api_key": KEY},
    "empty-key": {"model": "openai/tiny", "api_base": "{base}/v1", "api_key": "EMPTY"},
    "key-ends-in-blank": {"model": "openai/tiny", "api_base": "{base}/v1", "api_key": f"{KEY} "},
    "key-ends-in-newline": {"model": "openai/t", "api_base": "{base}/v1", "api_key": f"{KEY}\n"},
    "key-not-ascii": {"model": "openai/tiny", "api_base": "{base}/v1", "api_key": f"{KEY}é"},
}
# litellm has a number of its own for each of Anthropic's models.
UNPREDICTED = {name: frozenset({"max_tokens"}) for name in ("anthropic", "anthropic-slash")}


def model_list(base: str) -> list[dict[str, Any]]:
    text = json.dumps(
        [
            # A key of its own for each, so that no two are the same connection.
            {
                "model_name": name,
                "litellm_params": {**params, "api_key": params["api_key"].replace(KEY, KEY + name)},
            }
            for name, params in ROUTES.items()
        ]
    )
    listed: list[dict[str, Any]] = json.loads(text.replace("{base}", base))
    return listed


@pytest.fixture(scope="module")
def proxy(recorder: Recorder) -> Iterator[RunningServer]:
    settings = {
        "model_list": model_list(recorder.base),
        "router_settings": {"num_retries": 0},
        "litellm_settings": {"num_retries": 0},
    }
    with start_litellm([], settings=settings) as server:
        yield server


@pytest.fixture
def predictions(recorder: Recorder, tmp_path: Path) -> dict[str, Prediction]:
    file = tmp_path / "home" / "work" / "config.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"model_list": model_list(recorder.base)}))
    home, cwd = str(tmp_path / "home"), str(file.parent)
    environment = Environment({}, "linux", home=home, cwd=cwd)
    targets = discover(TargetRequest(names=("litellm-proxy",)), environment).targets
    return {
        target.label.rpartition("(")[2].rstrip(")"): predict(target.connection, environment)
        for target in targets
    }


@pytest.mark.parametrize("name", ROUTES)
def test_a_route_is_asked_as_predicted(
    name: str, proxy: RunningServer, predictions: dict[str, Prediction], recorder: Recorder
) -> None:
    recorder.clear()
    ask(proxy, name)
    case = Case(name, unpredicted=UNPREDICTED.get(name, frozenset()))
    here = {"base": recorder.base, "port": str(recorder.port), "proxy": recorder.proxy}
    scene = Scene(Path(), Path(), Path(), here)

    request = recorder.first(asks_a_model)

    assert list(mismatches(case, scene, predictions[name], request)) == []


def ask(proxy: RunningServer, model: str) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", proxy.port, timeout=30)
    body = {"model": model, "messages": [{"role": "user", "content": "hi"}]}
    headers = {"authorization": f"Bearer {proxy.api_key}", "content-type": "application/json"}
    connection.request("POST", "/v1/chat/completions", json.dumps(body), headers)
    connection.getresponse().read()
    connection.close()


_ASK = """
import asyncio, litellm, sys
asyncio.run(litellm.acompletion(model="openai/tiny", api_base=sys.argv[1], api_key="sk-made-up",
    messages=[{"role": "user", "content": "hi"}], num_retries=0, max_retries=0))
"""
WAYS = {
    "proxy": {"HTTP_PROXY": "{proxy}"},
    "exception": {"HTTP_PROXY": "{proxy}", "NO_PROXY": "127.0.0.1"},
    "exception-network": {"HTTP_PROXY": "{proxy}", "NO_PROXY": "127.0.0.0/8"},
    "all-proxy": {"ALL_PROXY": "{proxy}"},
}


@pytest.mark.parametrize("name", WAYS)
def test_the_library_goes_the_predicted_way(name: str, recorder: Recorder, tmp_path: Path) -> None:
    recorder.clear()
    (tmp_path / "config.yaml").write_text(json.dumps({"model_list": model_list(recorder.base)}))
    values = {k: v.replace("{proxy}", recorder.proxy) for k, v in WAYS[name].items()}
    environment = Environment(values, "linux", home=str(tmp_path), cwd=str(tmp_path))
    targets = discover(TargetRequest(names=("litellm-proxy",)), environment).targets
    prediction = predict(targets[0].connection, environment)
    variables = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), **values}
    variables["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    line = [str(locate().litellm_env / "bin" / "python"), "-c", _ASK, f"{recorder.base}/v1"]
    subprocess.run(line, env=variables, cwd=tmp_path, capture_output=True, timeout=60, check=False)

    request: Recorded | None = recorder.first(asks_a_model)

    assert request is not None
    assert request.through_proxy == (prediction.proxy is not None)
