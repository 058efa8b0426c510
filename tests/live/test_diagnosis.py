"""kvdoctor, run as its user runs it, against real vLLM and a real LiteLLM proxy.

Each single fault must be the one root cause, with the corrected value named and, where a value
can mend it, proved by a completion of the real server.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from .servers import RunningServer, refusing_port

ROOT = Path(__file__).resolve().parents[2]
VLLM_MODEL, LITELLM_MODEL = "tiny", "qwen3-8b"
BEARER_TWICE = "bearer-twice"


@dataclass(frozen=True, slots=True)
class Fault:
    """What a user has wrong: variables that differ from the right ones, and what must come out.

    ``value`` is a part of the corrected value that the report must name.
    """

    name: str
    roots: frozenset[str]
    key: str = "{key}"
    base: str = "{base}"
    model: str = "{model}"
    more: dict[str, str] = field(default_factory=dict)
    proved: bool = True
    value: str | None = None


FAULTS = [
    Fault("wrong-key", frozenset({"KVD111"}), key="sk-live-wrong-made-up-key", proved=False),
    Fault("key-with-newline", frozenset({"KVD102"}), key="{key}\n"),
    Fault(BEARER_TWICE, frozenset({"KVD105"}), key="Bearer {key}"),
    Fault("wrong-case", frozenset({"KVD502"}), model="{MODEL}", value="{model}"),
    Fault(
        "max-tokens-over-window",
        frozenset({"KVD601"}),
        more={"OPENAI_MAX_TOKENS": "4096"},
    ),
    Fault(
        "dead-proxy",
        frozenset({"KVD301"}),
        more={"HTTP_PROXY": "http://127.0.0.1:{dead}", "http_proxy": "http://127.0.0.1:{dead}"},
    ),
    Fault(
        "triple",
        frozenset({"KVD102", "KVD301", "KVD201"}),
        key="{key}\n",
        base="{root}",
        more={"HTTP_PROXY": "http://127.0.0.1:{dead}", "http_proxy": "http://127.0.0.1:{dead}"},
        value="{base}",
    ),
]
BASE_WITHOUT_V1 = Fault("base-without-v1", frozenset({"KVD201"}), base="{root}", value="{base}")
WRONG_MODEL = Fault(
    "wrong-model", frozenset({"KVD501"}), model="gpt-nothing-like-it", value="{model}"
)


def check(
    tmp_path: Path, server: RunningServer, model: str, fault: Fault | None, dead: int, *more: str
) -> tuple[int, dict[str, Any], str]:
    """Exit code, report and everything printed of ``kvdoctor check`` in an empty home."""
    right = {
        "key": server.api_key,
        "base": server.base_url,
        "root": server.root_url,
        "model": model,
        "MODEL": model.upper(),
        "dead": str(dead),
    }
    fault = fault or Fault("healthy", frozenset())
    variables = {
        "OPENAI_API_KEY": fault.key.format(**right),
        "OPENAI_BASE_URL": fault.base.format(**right),
        "OPENAI_MODEL": fault.model.format(**right),
        **{name: value.format(**right) for name, value in fault.more.items()},
    }
    done = subprocess.run(
        [sys.executable, "-m", "doctor", "check", "--format", "json", "--timeout", "60", *more],
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path),
            "PYTHONPATH": str(ROOT),
            **variables,
        },
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode in (0, 1), done.stderr
    return done.returncode, json.loads(done.stdout), done.stdout + done.stderr


def examine(tmp_path: Path, server: RunningServer, model: str, fault: Fault) -> None:
    with refusing_port() as dead:
        code, report, printed = check(tmp_path, server, model, fault, dead)
    diagnosis = report["diagnosis"]
    assert set(diagnosis["root_causes"]) == fault.roots, diagnosis
    assert diagnosis["proved"] is fault.proved, diagnosis
    assert code == 1
    assert server.api_key not in printed
    if fault.proved:
        assert diagnosis["after"]["status"] == 200
    if fault.value is not None:
        wanted = fault.value.format(base=server.base_url, model=model)
        assert wanted in {change["value"] for change in diagnosis["changes"]}


@pytest.mark.parametrize("fault", [*FAULTS, BASE_WITHOUT_V1, WRONG_MODEL], ids=lambda f: f.name)
def test_a_fault_in_front_of_vllm(fault: Fault, vllm_server: RunningServer, tmp_path: Path) -> None:
    examine(tmp_path, vllm_server, VLLM_MODEL, fault)


# LiteLLM serves its API without /v1 as well, so a base without it is no fault there; and it
# takes a key with Bearer in front.
@pytest.mark.parametrize(
    "fault",
    [*(f for f in FAULTS if f.name not in ("triple", BEARER_TWICE)), WRONG_MODEL],
    ids=lambda f: f.name,
)
def test_a_fault_in_front_of_litellm(
    fault: Fault, litellm_server: RunningServer, tmp_path: Path
) -> None:
    examine(tmp_path, litellm_server, LITELLM_MODEL, fault)


@pytest.mark.parametrize(("fixture", "model"), [
    ("vllm_server", VLLM_MODEL),
    ("litellm_server", LITELLM_MODEL),
])  # fmt: skip
def test_a_healthy_setup_gives_no_finding(
    fixture: str, model: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    server: RunningServer = request.getfixturevalue(fixture)

    code, report, printed = check(tmp_path, server, model, None, 9)

    assert (code, report["findings"]) == (0, [])
    verdicts = report["targets"][0]["verdicts"]
    assert (verdicts["reachable"], verdicts["authenticated"], verdicts["model_answers"]) == (
        True,
        True,
        True,
    )
    # Of an engine the metrics are asked for as well.
    assert report["requests"]["free"] <= (3 if fixture == "vllm_server" else 2)
    assert report["requests"]["billable"] == 1
    assert server.api_key not in printed


def test_bearer_in_the_key_is_told_where_litellm_puts_up_with_it(
    litellm_server: RunningServer, tmp_path: Path
) -> None:
    fault = next(f for f in FAULTS if f.name == BEARER_TWICE)

    code, report, _printed = check(tmp_path, litellm_server, LITELLM_MODEL, fault, 9)

    assert code == 0
    assert report["diagnosis"]["before"]["answered"]
    assert [(f["code"], f["severity"]) for f in report["findings"]] == [("KVD105", "warning")]


def test_a_server_that_is_down(tmp_path: Path) -> None:
    with refusing_port() as port:
        environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path),
            "PYTHONPATH": str(ROOT),
            "OPENAI_API_KEY": "sk-live-made-up-key-0000",
            "OPENAI_BASE_URL": f"http://127.0.0.1:{port}/v1",
            "OPENAI_MODEL": "tiny",
        }
        done = subprocess.run(
            [sys.executable, "-m", "doctor", "check", "--format", "json"],
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
    report = json.loads(done.stdout)

    assert report["diagnosis"]["root_causes"] == ["KVD311"]
    assert [hop["hop"] for hop in report["path"] if hop["status"] == "broken"] == ["tcp"]


def test_a_gateway_whose_engine_is_down(litellm_engine_down: RunningServer, tmp_path: Path) -> None:
    _code, report, _printed = check(tmp_path, litellm_engine_down, LITELLM_MODEL, None, 9)

    assert report["diagnosis"]["root_causes"] == ["KVD330"]
    assert [hop["hop"] for hop in report["path"] if hop["status"] == "broken"] == ["engine"]
