"""The prefix analysis on a real Ray, against the one in a single process.

Its own environment: ``uv venv kvdoctor-live/ray``, and in it ``kvdoctor[ray]``; skipped where it is
not there.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.bench.prefix_log import write

from .setup_servers import cache_folder

ROOT = Path(__file__).resolve().parents[2]
COUNT = 6_000


def analysed(python: str, folder: Path, *arguments: str) -> tuple[dict[str, Any], str]:
    done = subprocess.run(
        [python, "-m", "doctor", "prefix", "log.jsonl", "--format", "json", *arguments],
        env={"PATH": os.environ["PATH"], "HOME": str(folder), "PYTHONPATH": str(ROOT)},
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=600,
    )
    assert done.returncode in (0, 1), done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found, done.stderr


@pytest.mark.timeout(900)
def test_parts_on_ray_give_what_one_process_gives(tmp_path: Path) -> None:
    python = cache_folder() / "ray" / "bin" / "python"
    if not python.exists():
        pytest.skip("no environment with ray")
    write(tmp_path / "log.jsonl", COUNT, volatile=True)
    engine = ("--kv-tokens", "16_000")
    single, _said = analysed(sys.executable, tmp_path, *engine)
    parts, said = analysed(str(python), tmp_path, *engine, "--on", "ray", "--part-size", "4")

    assert "more than told" not in said
    for name in ("requests", "prompt_tokens", "hit_blocks", "hit_blocks_after", "lineages"):
        assert parts[name] == single[name], name

    def codes(found: dict[str, Any]) -> list[tuple[str, str]]:
        return [(finding["code"], finding["explanation"]) for finding in found["findings"]]

    assert codes(parts) == codes(single)
