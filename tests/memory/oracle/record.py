"""Asks the real vLLM all cases and writes ``oracle_recorded.json`` anew.

    python -m tests.memory.oracle.record

Takes some minutes; needs what ``python -m tests.live.setup_servers`` prepares.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.live.setup_servers import locate
from tests.memory.oracle.cases import HERE, RECORDED, cases, worlds


def ask(wanted: list[dict[str, Any]], patience_s: float = 1800.0) -> dict[str, dict[str, Any]]:
    """vLLM's own answers, asked in a process per number of ranks."""
    python = locate().vllm.parent / "python"
    answers: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for group in worlds(wanted):
            asked, answered = Path(folder, "cases.json"), Path(folder, "answers.json")
            asked.write_text(json.dumps(group), encoding="utf-8")
            _run([str(python), str(HERE / "ask.py"), str(asked), str(answered)], patience_s)
            answers |= json.loads(answered.read_text("utf-8"))
    return answers


def _run(command: Sequence[str], patience_s: float) -> None:
    environment = {**os.environ, "VLLM_HOST_IP": "127.0.0.1", "NO_PROXY": "*"}
    subprocess.run(command, check=True, timeout=patience_s, env=environment, capture_output=True)


def main() -> None:
    answers = ask(cases())
    for answer in answers.values():
        answer.pop("cache_dtype", None)
    lines = (
        f"{json.dumps(name)}:{json.dumps(answer, separators=(',', ':'))}"
        for name, answer in answers.items()
        if "error" not in answer
    )
    RECORDED.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


if __name__ == "__main__":
    main()
