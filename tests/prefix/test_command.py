"""``kvdoctor prefix`` as its user runs it."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from .requests import RULES, chat

SCHEMA = json.loads(
    (Path(__file__).parents[2] / "doctor" / "schemas" / "prefix-1.json").read_text("utf-8")
)


def run(
    *arguments: str, stdin: bytes = b"", cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "doctor", "prefix", *arguments],
        input=stdin,
        capture_output=True,
        cwd=cwd,
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


def sick(count: int = 40) -> bytes:
    records = (
        chat(f"Current time: 2026-03-01 09:{n // 60:02}:{n % 60:02}\n{RULES}", f"question {n}")
        for n in range(count)
    )
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def healthy() -> bytes:
    return b"".join(json.dumps(chat(RULES, f"question {n}")).encode() + b"\n" for n in range(40))


def document(*arguments: str, stdin: bytes = b"") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(*arguments, "--format", "json", stdin=stdin).stdout)
    jsonschema.validate(found, SCHEMA)
    return found


def test_a_sick_log_is_named_priced_and_fails(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_bytes(sick())
    done = run("log.jsonl", "--rate", "2", cwd=tmp_path)

    assert done.returncode == 1
    assert "KVD701  the system prompt holds a clock" in done.stdout
    assert "Current time: 2026-03-01 09:00:00" in done.stdout
    assert "At the given rate that is" in done.stdout


def test_a_healthy_log_passes_with_nothing_to_say() -> None:
    done = run("-", stdin=healthy())
    assert done.returncode == 0
    assert "KVD" not in done.stdout
    assert document("-", stdin=healthy())["findings"] == []


def test_the_document_holds_what_its_contract_says() -> None:
    found = document("-", stdin=sick())
    assert found["schema"] == "kvdoctor.prefix/1"
    assert (found["requests"], found["exact"]) == (40, False)
    assert found["hit_rate"] < 0.05 < 0.9 < found["hit_rate_after"]
    (finding,) = found["findings"]
    assert (finding["code"], finding["slug"]) == ("KVD701", "prefix-holds-clock")


def test_a_compressed_log_and_several_files_read_alike(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(sick()))
    (tmp_path / "b.jsonl").write_bytes(sick())
    packed = document(str(tmp_path / "a.jsonl.gz"))
    both = document(str(tmp_path))
    assert packed["requests"] == 40
    assert both["requests"] == 80


@pytest.mark.parametrize(
    ("stdin", "code", "said"),
    [
        (b"", 3, "the log is empty"),
        (b"not json\n", 3, "stdin:1"),
        (b'{"a": 1}\n', 3, "--field"),
        (b"\xff\xfe\x00", 3, "stdin:1"),
    ],
)
def test_what_is_no_log_is_told_with_its_place(stdin: bytes, code: int, said: str) -> None:
    done = run("-", stdin=stdin)
    assert done.returncode == code
    assert said in done.stderr.replace("-:1", "stdin:1")
    assert "Traceback" not in done.stderr


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    done = run(str(tmp_path / "no.jsonl"))
    assert (done.returncode, "no.jsonl: No such file" in done.stderr) == (2, True)


def test_a_key_in_a_prompt_shows_nowhere() -> None:
    key = "sk-proj-made0up0made0up0made0up0made0up"
    records = [chat(f"Auth: {key}{n:04}\n{RULES}", f"question {n}") for n in range(20)]
    stdin = b"".join(json.dumps(record).encode() + b"\n" for record in records)
    for format_ in ("plain", "json"):
        done = run("-", "--format", format_, stdin=stdin)
        assert key not in done.stdout + done.stderr


def test_of_a_prompt_only_short_examples_are_shown() -> None:
    secret_of_a_customer = "the invoice of Mrs Example from 14 March about the blue chair. " * 8
    records = [
        chat(
            f"Current time: 2026-03-01 09:00:{n:02}\n{RULES}{secret_of_a_customer}",
            f"{secret_of_a_customer} {n}",
            "an answer that nobody else should read",
            f"question {n}",
        )
        for n in range(20)
    ]
    stdin = b"".join(json.dumps(record).encode() + b"\n" for record in records)
    for format_ in ("plain", "json"):
        done = run("-", "--format", format_, stdin=stdin)
        assert "blue chair" not in done.stdout + done.stderr
        assert "nobody else" not in done.stdout + done.stderr
    for finding in document("-", stdin=stdin)["findings"]:
        assert all(len(evidence["value"]) <= 61 for evidence in finding["evidence"])


def test_a_reader_that_has_seen_enough_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_bytes(sick(400))
    command = f"{sys.executable} -m doctor prefix log.jsonl | head -c 10"
    root = str(Path(__file__).parents[2])
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": root},
    )
    assert done.stderr == ""
