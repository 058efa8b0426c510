"""KVD607."""

from __future__ import annotations

import json
from pathlib import Path

from doctor.models import Severity, Status
from tests.checks.memory.plans import of, results

QWEN = "Qwen/Qwen3-8B"


def log(tmp_path: Path, *lengths: int) -> str:
    path = tmp_path / "requests.jsonl"
    lines = (
        json.dumps({"usage": {"prompt_tokens": n - 100, "completion_tokens": 100}}) for n in lengths
    )
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


def test_short_requests_in_a_long_window_are_told_with_what_they_need(tmp_path: Path) -> None:
    (finding,) = of("KVD607", QWEN, lengths=log(tmp_path, *[1500] * 50, *[2500] * 150))
    assert finding.severity is Severity.INFO
    assert finding.title == "Window 40,960, real requests need 3,072"
    assert "--max-model-len 3072" in finding.explanation
    assert "does not reserve" in finding.explanation


def test_a_window_that_is_used_is_left_alone(tmp_path: Path) -> None:
    assert of("KVD607", QWEN, lengths=log(tmp_path, *[20_000] * 200)) == ()


def test_one_long_request_keeps_the_window(tmp_path: Path) -> None:
    assert of("KVD607", QWEN, lengths=log(tmp_path, *[1500] * 300, 39_000)) == ()


def test_a_few_requests_are_too_few(tmp_path: Path) -> None:
    found = results(QWEN, lengths=log(tmp_path, *[1500] * 20))["KVD607"]
    assert found.status is Status.SKIPPED


def test_without_lengths_it_does_not_apply() -> None:
    assert results(QWEN)["KVD607"].status is Status.SKIPPED
