"""``kvdoctor explain FILE`` on logs, as a user runs it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from .logreading import LOGS, failures_observed

ROOT = Path(__file__).parents[2]
SCHEMA = json.loads((ROOT / "doctor" / "schemas" / "explain-1.json").read_text("utf-8"))
KEY = "sk-made-up-0123456789abcdef"


def run(home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "PYTHONPATH": str(ROOT),
        "PYTHONUTF8": "1",
    }
    return subprocess.run(
        [sys.executable, "-m", "doctor", "explain", "--no-context", *arguments],
        cwd=home,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


def document(home: Path, path: Path) -> dict[str, Any]:
    ran = run(home, "--format", "json", str(path))
    value: dict[str, Any] = json.loads(ran.stdout)
    jsonschema.validate(value, SCHEMA)
    return value


def test_a_healthy_log_shows_the_budget_and_ends_well(tmp_path: Path) -> None:
    ran = run(tmp_path, str(LOGS / "tensor-parallel-0.27.1.log"))

    assert ran.returncode == 0, ran.stderr
    assert "No fault found" in ran.stdout
    assert "9.61 GiB" in ran.stdout
    assert "106,656 tokens" in ran.stdout
    assert "--kv-cache-dtype fp8" in ran.stdout
    assert max(map(len, ran.stdout.splitlines())) <= 120


def test_the_document_of_a_healthy_log(tmp_path: Path) -> None:
    found = document(tmp_path, LOGS / "tensor-parallel-0.27.1.log")

    assert found["findings"] == []
    engine = found["engine"]
    assert engine["version"] == "0.27.1"
    assert engine["args"]["tensor_parallel_size"] == 2
    assert engine["kv"]["tokens"] == 106_656
    assert {part["name"]: part["gib"] for part in engine["budget"]["parts"]}["weights"] == 9.61
    assert engine["load"]["peak_waiting"] == 2


def test_a_failed_start_ends_with_one_and_names_the_flag(tmp_path: Path) -> None:
    log = tmp_path / "vllm.log"
    log.write_text(failures_observed()["tp3"], "utf-8")
    ran = run(tmp_path, str(log))

    assert ran.returncode == 1
    assert "KVD904" in ran.stdout
    assert "--tensor-parallel-size 2" in ran.stdout
    fixes = document(tmp_path, log)["findings"][0]["fixes"]
    assert fixes[0]["preview"] == "--tensor-parallel-size 2"


@pytest.mark.parametrize("name", ["mml", "blk", "mtype", "env"])
def test_every_document_keeps_the_contract(name: str, tmp_path: Path) -> None:
    log = tmp_path / "vllm.log"
    log.write_text(failures_observed()[name], "utf-8")

    assert document(tmp_path, log)["findings"]


def test_a_text_that_is_no_log_has_no_engine(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("openai.APIConnectionError: Connection error.\n", "utf-8")

    assert "engine" not in document(tmp_path, text)


@pytest.mark.parametrize("format_name", ["plain", "json"])
def test_a_key_in_the_arguments_is_shown_nowhere(format_name: str, tmp_path: Path) -> None:
    log = tmp_path / "vllm.log"
    secret = "canary-Zq7Xw9Kp3Rt5Vn2Mb8"
    log.write_text(
        "(APIServer pid=1) INFO 01-01 10:00:00 [utils.py:1] non-default args: {'model': 'a/b',"
        f" 'api_key': ['{secret}'], 'hf_token': '{KEY}'}}\n"
        "INFO 01-01 10:00:00 api_server.py:840] args: Namespace(model='a/b',"
        f" api_key='{secret}', port=8000)\n"
        f"(EngineCore pid=2) ERROR 01-01 10:00:09 [core.py:1] KeyError: '{secret} {KEY}'\n"
        "(APIServer pid=1) RuntimeError: Engine core initialization failed. See root cause above\n",
        "utf-8",
    )
    ran = run(tmp_path, "--format", format_name, str(log))

    assert secret not in ran.stdout + ran.stderr
    assert KEY not in ran.stdout + ran.stderr


def test_a_broken_pack_is_a_mistake_of_the_user(tmp_path: Path) -> None:
    log = tmp_path / "vllm.log.gz"
    log.write_bytes(b"\x1f\x8b\x08\x00 no gzip at all")
    ran = run(tmp_path, str(log))

    assert ran.returncode == 2
    assert "Traceback" not in ran.stderr


def test_memory_does_not_grow_with_the_log(tmp_path: Path) -> None:
    import tracemalloc

    from doctor.explain.answer import answer
    from doctor.explain.log.source import raw_lines
    from doctor.explain.rank import rank
    from tests.bench.logs import write_log

    peaks = []
    for mib in (6, 30):
        path = tmp_path / f"{mib}.log"
        write_log(path, mib)
        tracemalloc.start()
        with path.open("rb") as stream:
            told = answer(raw_lines(stream), {})
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        # Refused requests all along, and then the engine died.
        assert rank(told.seen, {})[0].cause.code == "KVD813"

    assert peaks[1] < 1.2 * peaks[0]
