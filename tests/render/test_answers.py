"""``launch``, ``memory``, ``prefix`` and ``explain`` write the same formats as a run."""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from doctor.cli import main

from .test_html import OWN, Page
from .test_junit import assert_valid, failed, suite
from .test_markdown import kinds
from .test_sarif import run_of

NAMES = ("junit", "sarif", "github", "markdown", "html")
CLOCK = "you are a bot. it is 2030-01-31T06:22:{second}. " + "be kind and brief. " * 80
HOSTILE = "<img src=x onerror=alert(1)>![a](http://evil.example)\n::error::made up"


def log(path: Path) -> str:
    lines = []
    for second in range(10, 30):
        system = {"role": "system", "content": CLOCK.format(second=second)}
        user = {"role": "user", "content": HOSTILE}
        lines.append(json.dumps({"messages": [system, user]}))
    path.write_text("\n".join(lines), "utf-8")
    return str(path)


def commands(folder: Path) -> dict[str, tuple[list[str], str]]:
    """What is typed, and the code that it finds."""
    return {
        "launch": (["launch", "--", "vllm", "serve", "Qwen/Qwen3-8B", "--swap-space", "4"],
                   "KVD901"),
        "memory": (["memory", "Qwen/Qwen3-8B", "--gpu", "T4"], "KVD806"),
        "prefix": (["prefix", log(folder / "log.jsonl")], "KVD701"),
        "explain": (["explain", "--no-context",
                     f"Error code: 401 - Incorrect API key provided {HOSTILE}"], "KVD111"),
    }  # fmt: skip


@pytest.mark.parametrize("name", ["launch", "memory", "prefix", "explain"])
def test_an_answer_is_written_in_every_format(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    typed, code = commands(tmp_path)[name]
    outs = [f"--out={form}={tmp_path / form}" for form in NAMES]
    at = typed.index("--") if "--" in typed else len(typed)
    ended = main([*typed[:at], *outs, *typed[at:]])
    plain = capsys.readouterr().out
    texts = {form: (tmp_path / form).read_text("utf-8") for form in NAMES}

    assert ended == 1
    assert code in plain
    assert_valid(suite(texts["junit"]))
    assert code in failed(suite(texts["junit"]))
    assert code in {result["ruleId"] for result in run_of(texts["sarif"])["results"]}
    assert f"title={code} " in texts["github"]
    assert not kinds(texts["markdown"]) & {"link_open", "image", "html_block", "html_inline"}
    assert f" {code} " in texts["markdown"]
    page = Page(texts["html"])
    assert page.tags <= OWN
    assert not page.wrong
    assert code in page.shown


def test_a_format_on_stdout_is_one_document(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True)
    main(["launch", "--format", "junit", "--", "vllm", "serve", "Qwen/Qwen3-8B"])

    assert ET.fromstring(capsys.readouterr().out).tag == "testsuites"


def test_an_unknown_format_is_told(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    ended = main(["memory", "Qwen/Qwen3-8B", "--out", f"pdf={tmp_path / 'x'}"])

    assert ended == 2
    assert "FORMAT one of plain, rich, json, junit" in capsys.readouterr().err
