"""``kvdoctor demo`` itself: the list, the hint, the exit codes, and ``--serve``."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import jsonschema
import pytest

from doctor import cli
from doctor.demo.keys import GOOD
from doctor.demo.scenarios import DEFAULT, Area, scenarios
from doctor.demo.shell import quoted

ROOT = Path(__file__).parents[2]
SCHEMAS = ROOT / "doctor" / "schemas"

Capture = pytest.CaptureFixture[str]


def validate(document: Any, schema: str) -> None:
    jsonschema.validate(document, json.loads((SCHEMAS / schema).read_text("utf-8")))


# --list


def test_the_list_as_a_document(capsys: Capture) -> None:
    assert cli.main(["demo", "--list", "--format", "json"]) == 0

    document = json.loads(capsys.readouterr().out)
    validate(document, "demo-list-1.json")
    assert [entry["name"] for entry in document["scenarios"]] == [s.name for s in scenarios()]


def test_the_list_for_people_has_a_line_per_scenario(capsys: Capture) -> None:
    assert cli.main(["demo", "--list", "--plain"]) == 0

    lines = capsys.readouterr().out.splitlines()
    begun = [line for line in lines if not line.startswith(" ")]
    assert [line.split()[0] for line in begun] == [scenario.name for scenario in scenarios()]
    text = " ".join(" ".join(lines).split())
    assert "and the proxy is not running. KVD102 KVD201 KVD301 " in text


def test_the_list_as_lines_of_json(capsys: Capture) -> None:
    assert cli.main(["demo", "--list", "--format", "jsonl"]) == 0

    names = [json.loads(line)["name"] for line in capsys.readouterr().out.splitlines()]
    assert DEFAULT in names


def test_there_is_enough_to_practise() -> None:
    known = scenarios()
    names = [scenario.name for scenario in known]

    assert len(set(names)) == len(names) >= 24
    assert {scenario.area for scenario in known} == set(Area)
    combined = [len(scenario.codes) for scenario in known if scenario.area is Area.COMBINED]
    assert {2, 3} <= set(combined)


# a diagnosis


def test_the_default_is_the_triple_fault_and_no_failure(capsys: Capture) -> None:
    assert cli.main(["demo", "--plain"]) == 0

    said = capsys.readouterr()
    for code in ("KVD102", "KVD201", "KVD301"):
        assert code in said.out
    assert "With 3 changes it answers (200" in " ".join(said.out.split())


def test_the_hint_is_on_stderr_and_stdout_is_one_document(capsys: Capture) -> None:
    cli.main(["demo", "key-with-newline", "--format", "json"])

    said = capsys.readouterr()
    assert json.loads(said.out)["schema"] == "kvdoctor.report/1"
    hint = " ".join(said.err.split())
    assert hint == (
        "The demo had broken: The key ends in a line break. Right is: key sk-…0000 (51 characters)."
    )


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["key-with-newline", "--fail-on", "error"], 1),
        (["key-with-newline", "--fail-on", "critical"], 0),
        (["healthy-gateway", "--fail-on", "info"], 0),
        (["empty-choices-chunk", "--fail-on", "warning"], 1),
        (["empty-choices-chunk", "--fail-on", "error"], 0),
        (["key-with-newline"], 0),
    ],
)
def test_exit_codes(arguments: list[str], code: int, capsys: Capture) -> None:
    assert cli.main(["demo", *arguments, "--plain"]) == code


def test_never_fails_is_for_check_as_well(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1?utm_source=x")
    monkeypatch.setenv("OPENAI_API_KEY", GOOD)
    arguments = ["check", "openai-sdk", "--offline", "--plain"]

    assert cli.main(arguments) == 1
    assert cli.main([*arguments, "--fail-on", "never"]) == 0


def test_an_unknown_name_gets_the_nearest(capsys: Capture) -> None:
    assert cli.main(["demo", "key-with-newlin"]) == 2
    assert "key-with-newline" in capsys.readouterr().err


def test_an_unknown_selector_is_an_error_of_usage(capsys: Capture) -> None:
    assert cli.main(["demo", "--select", "KVD999"]) == 2
    assert "KVD999" in capsys.readouterr().err


def test_a_bundle_of_a_demo_replays(tmp_path: Path, capsys: Capture) -> None:
    bundle = tmp_path / "demo.json"
    cli.main(["demo", "base-without-v1", "--save-bundle", str(bundle), "--format", "json"])
    live = json.loads(capsys.readouterr().out)

    cli.main(["replay", str(bundle), "--format", "json"])
    replayed = json.loads(capsys.readouterr().out)

    assert replayed["diagnosis"]["root_causes"] == live["diagnosis"]["root_causes"] == ["KVD201"]
    assert replayed["diagnosis"]["proved"] is True


def test_the_real_environment_plays_no_part(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: Capture
) -> None:
    """A user with a broken setup of their own sees the demo's, and only that."""
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-real-user-0000000000000000000")
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "missing.pem"))
    (tmp_path / ".env").write_text("ANTHROPIC_API_KEY=sk-of-the-folder-000000000000000000\n")
    monkeypatch.chdir(tmp_path)

    cli.main(["demo", "healthy-gateway", "--format", "json"])

    report = json.loads(capsys.readouterr().out)
    assert len(report["targets"]) == 1
    assert report["findings"] == []


# --serve


@pytest.mark.parametrize(
    ("value", "word"),
    [
        ("plain", "plain"),
        ("a b", "'a b'"),
        ("", "''"),
        ("line\n", "$'line\\n'"),
        ("it's\n", "$'it\\'s\\n'"),
        ("\u200b", "$'\\U0000200B'"),
        ("back\\slash\r", "$'back\\\\slash\\U0000000D'"),
    ],
)
def test_values_are_quoted_for_the_shell(value: str, word: str) -> None:
    assert quoted(value) == word


@pytest.mark.skipif(os.name == "nt", reason="bash")
@pytest.mark.parametrize("value", ["a'b\n$HOME", "“x”\u200b", "`id`", "\t\\n", "sk-你的Key"])
def test_a_shell_reads_back_what_was_quoted(value: str) -> None:
    environment = {"LC_ALL": "C.UTF-8", "PATH": os.environ["PATH"]}
    script = f"printf %s {quoted(value)}"
    done = subprocess.run(["bash", "-c", script], env=environment, capture_output=True, check=True)

    assert done.stdout.decode() == value


@contextmanager
def served(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], IO[str]]]:
    command = [sys.executable, "-m", "doctor", "demo", "--serve", *arguments]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            yield process, process.stdout
        finally:
            process.kill()


def document_of(stream: IO[str]) -> dict[str, Any]:
    """The document, read without waiting for the end of the stream."""
    lines: list[str] = []
    for line in stream:
        lines.append(line)
        if line.rstrip() == "}":
            break
    document: dict[str, Any] = json.loads("".join(lines))
    return document


@pytest.mark.skipif(os.name == "nt", reason="SIGINT to a child")
def test_serve_can_be_used_from_another_process_until_ctrl_c(tmp_path: Path) -> None:
    with served("base-with-utm", "--format", "json") as (process, out):
        document = document_of(out)
        validate(document, "demo-serve-1.json")
        environment = {
            "PATH": os.environ["PATH"],
            "PYTHONPATH": str(ROOT),
            "HOME": str(tmp_path),
            **document["variables"],
        }
        checked = subprocess.run(
            [sys.executable, "-m", "doctor", "check", *document["arguments"], "--format", "json"],
            cwd=document["folder"],
            env=environment,
            capture_output=True,
            text=True,
        )
        process.send_signal(signal.SIGINT)
        _, told = process.communicate()

    assert json.loads(checked.stdout)["diagnosis"]["root_causes"] == ["KVD205"]
    assert process.returncode == 0
    assert "The demo had broken:" in told
    assert "Traceback" not in told
    assert not Path(document["folder"]).exists()


@pytest.mark.skipif(os.name == "nt", reason="SIGTERM to a child")
def test_serve_cleans_up_when_it_is_terminated() -> None:
    with served("base-with-utm", "--format", "json") as (process, out):
        document = document_of(out)
        assert (Path(document["folder"]) / ".env").is_file()
        process.send_signal(signal.SIGTERM)
        process.communicate()

    assert process.returncode == 0
    assert not Path(document["folder"]).exists()


@pytest.mark.skipif(os.name == "nt", reason="SIGINT to a child")
def test_serve_prints_lines_for_a_shell_with_the_key_in_clear() -> None:
    with served("key-with-newline") as (process, out):
        lines = [out.readline() for _ in range(4)]
        process.send_signal(signal.SIGINT)
        _, told = process.communicate()

    assert lines[0].startswith("export OPENAI_BASE_URL=http://127.0.0.1:")
    assert lines[1] == f"export OPENAI_API_KEY=$'{GOOD}\\n'\n"
    assert lines[3] == "kvdoctor check\n"
    assert GOOD not in told
