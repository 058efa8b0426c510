"""The installed plugin, as a user of kvdoctor meets it. Nothing is asked: the runs are offline."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest


def check(base_url: str, home: Path) -> dict[str, Any]:
    """The document of ``kvdoctor check`` in a shell that holds nothing but this address."""
    kept = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    done = subprocess.run(
        [sys.executable, "-m", "doctor", "check", "--offline", "--format", "json"],
        env={
            **kept,
            "HOME": str(home),
            "OPENAI_BASE_URL": base_url,
            "OPENAI_API_KEY": "sk-made-up",
        },
        cwd=home,
        capture_output=True,
        text=True,
        check=False,
    )
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def findings(document: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for one in document["findings"] if one["code"] == "ACME001"]


def test_a_gateway_of_others_is_told_with_the_variable_that_names_it(tmp_path: Path) -> None:
    (found,) = findings(check("https://elsewhere.example/v1", tmp_path))

    assert "elsewhere.example" in found["title"]
    assert found["severity"] == "warning"
    assert "OPENAI_BASE_URL" in found["evidence"][0]["location"]


@pytest.mark.parametrize("host", ["llm.acme.example", "taotoken.net", "127.0.0.1:8000"])
def test_an_approved_gateway_gives_no_finding(host: str, tmp_path: Path) -> None:
    document = check(f"https://{host}/v1", tmp_path)

    assert not findings(document)
    (status,) = [one["status"] for one in document["checks"] if one["code"] == "ACME001"]
    assert status == "pass"
