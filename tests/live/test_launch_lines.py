"""Launch lines, judged by kvdoctor and by the real vLLM's own parser: both must say the same.

The lines that the guides print must be taken once they are corrected.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from doctor.launch import examine
from tests.launch.matrix import GUIDES, MATRIX, MODEL, Line, ours, recorded

from .setup_servers import VLLM_VERSION, locate

ASKER = Path(__file__).with_name("ask_vllm_parser.py")


def ask_vllm(lines: Sequence[tuple[tuple[str, ...], bool]]) -> list[dict[str, Any]]:
    """What the real vLLM says of each line."""
    prepared = locate()
    environment = {
        **{name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ},
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
        "VLLM_NO_USAGE_STATS": "1",
        "VLLM_CPU_KVCACHE_SPACE": "1",
    }
    model = str(prepared.model)
    asked = [
        {"argv": [word.replace(MODEL, model) for word in argv], "config": config}
        for argv, config in lines
    ]
    done = subprocess.run(
        [str(prepared.vllm_env / "bin" / "python"), str(ASKER)],
        input="".join(json.dumps(one) + "\n" for one in asked),
        capture_output=True, text=True, env=environment, check=False, timeout=280,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3000:]
    return [json.loads(line) for line in done.stdout.splitlines()[-len(asked) :]]


def judged(line: Line) -> dict[str, Any]:
    return ours(line.argv, str(locate().model) if line.config else None)


@pytest.fixture(scope="session")
def verdicts() -> list[dict[str, Any]]:
    return ask_vllm([(line.argv, line.config) for line in MATRIX])


@pytest.mark.parametrize("index", range(len(MATRIX)), ids=lambda i: " ".join(MATRIX[i].argv)[:80])
def test_the_verdict_is_vllms_own(index: int, verdicts: list[dict[str, Any]]) -> None:
    line, theirs = MATRIX[index], verdicts[index]

    document = judged(line)

    said = [f"{f['code']} {f['severity']} {f['title']}" for f in document["findings"]]
    assert document["accepted"] == theirs["accepted"], (theirs, said)


def test_what_is_corrected_is_taken() -> None:
    """Every wrong line of the matrix that has a correction."""
    corrected = []
    for line in MATRIX:
        document = judged(line)
        if not document["accepted"] and document["corrected"]["accepted"]:
            argv = document["corrected"]["argv"]
            words = argv[1:] if argv[0] == "vllm" else ["api_server", *argv[3:]]
            corrected.append((tuple(words), line.config))
    assert len(corrected) >= 30

    theirs = ask_vllm(corrected)

    refused = [(line, said) for line, said in zip(corrected, theirs, strict=True)
               if not said["accepted"]]  # fmt: skip
    assert not refused


def test_the_guides_lines_are_taken_once_corrected() -> None:
    corrected = {}
    for name, text in GUIDES.items():
        document = examine(text, VLLM_VERSION)
        assert document["corrected"]["accepted"], name
        argv = tuple(document["corrected"]["argv"])
        if argv[0] == "docker":
            argv = ("serve", *argv[argv.index("vllm/vllm-openai:latest") + 1 :])
        elif argv[0] == "vllm":
            argv = argv[1:]
        else:
            argv = ("serve", MODEL, *argv)
        corrected[name] = (argv, False)

    theirs = ask_vllm(list(corrected.values()))

    assert {
        name: said["said"] for name, said in zip(corrected, theirs, strict=True)
    } == dict.fromkeys(corrected, "")


def test_the_recorded_verdicts_are_still_vllms(verdicts: list[dict[str, Any]]) -> None:
    assert [said["accepted"] for said in verdicts] == recorded()
