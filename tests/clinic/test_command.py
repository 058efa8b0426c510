"""``kvdoctor demo --clinic`` on a command line."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from doctor.cli import main
from doctor.clinic.sandbox import VARIABLE
from tests.fixes.shells import need

SCHEMAS = Path(__file__).parents[2] / "doctor" / "schemas"


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    return tmp_path


def clinic(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, str]:
    code = main(["demo", "--clinic", *words])
    return code, capsys.readouterr().out


def document(capsys: pytest.CaptureFixture[str], schema: str, *words: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(clinic(capsys, *words, "--format", "json")[1])
    jsonschema.validate(found, json.loads((SCHEMAS / schema).read_text("utf-8")))
    return found


def test_a_case_from_its_task_to_its_solution(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, told = clinic(capsys, "1.4")
    assert code == 0
    assert "401" in told
    assert "Bearer" not in told
    startup = root / "1.4" / "home" / ".bashrc"
    assert str(startup) in told

    code, told = clinic(capsys, "1.4", "--check")
    assert code == 1
    assert "Not yet" in told

    assert "Hint 1" in clinic(capsys, "1.4", "--hint")[1]
    assert "Hint 2: One setting has to change: key." in clinic(capsys, "1.4", "--hint")[1]

    startup.write_text(startup.read_text().replace("Bearer ", ""))
    code, told = clinic(capsys, "1.4", "--check")
    assert code == 0
    assert "Solved" in told
    assert "Next: kvdoctor demo --clinic 1.5" in told

    assert "✓ 1.4   tries: 1, hints: 2  key-with-bearer" in clinic(capsys)[1]


def test_its_shell_holds_what_the_case_has_and_nothing_else(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    need("bash")
    monkeypatch.setenv("OPENAI_MODEL", "mine")
    monkeypatch.setenv("MINE", "mine")
    # The reader's language is no part of what is broken.
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    monkeypatch.delenv("LC_ALL", raising=False)
    told = document(capsys, "clinic-case-1.json", "1.4")

    # env and bash take nothing but the line; -i reads the start-up file as a terminal would.
    line = Path(told["shell"].removeprefix("sh ")).read_text().replace(" bash", " bash -ic env")
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, check=True)

    held = dict(row.split("=", 1) for row in done.stdout.splitlines() if "=" in row)
    assert held["OPENAI_API_KEY"].startswith("Bearer sk-demo")
    assert held["OPENAI_MODEL"] != "mine"
    assert held["HOME"] == told["folder"]
    assert held["PWD"].startswith(told["folder"])
    assert held[VARIABLE] == str(root)
    assert held["LANG"] == "zh_CN.UTF-8"
    assert {"MINE", "LC_ALL"} & set(held) == set()


def test_what_is_to_be_typed_is_short_where_it_lies_at_home(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(root.parent))
    below = f"~/{root.name}/1.2"

    told = clinic(capsys, "1.2")[1].splitlines()
    assert f"  {below}/home/app/.env" in told
    assert f"  sh {below}/shell" in told
    # In that shell's folder.
    assert any(line.startswith("  kvdoctor check --env-file .env ") for line in told)


def test_a_solved_case_is_not_told_to_be_broken(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    clinic(capsys, "1.4")
    startup = root / "1.4" / "home" / ".bashrc"
    startup.write_text(startup.read_text().replace("Bearer ", ""))
    clinic(capsys, "1.4", "--check")

    told = clinic(capsys, "1.4")[1]
    assert "nothing is left to mend" in told
    assert "something is wrong" not in told


def test_the_levels_fit_on_a_screen(capsys: pytest.CaptureFixture[str]) -> None:
    assert len(clinic(capsys)[1].splitlines()) < 24


def test_mistakes_are_told_in_the_readers_language(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    monkeypatch.delenv("LC_ALL", raising=False)
    for typed, told in (
        (("key-with-newlin",), "最接近的是 key-with-newline"),
        (("5.1", "--check"), "不是修复，而是指出"),
        (("1.1", "--answer", "KVD102"), "在其文件中修复"),
    ):
        assert main(["demo", "--clinic", *typed]) == 2
        assert told in capsys.readouterr().err


def test_a_level_leads_to_its_first_case_that_is_not_solved(
    capsys: pytest.CaptureFixture[str],
) -> None:
    first = document(capsys, "clinic-case-1.json", "5")
    assert first["id"] == "5.1"
    assert first["task"] == "name"

    code, told = clinic(capsys, "5.1", "--answer", "KVD112")
    assert code == 1
    assert "It is not KVD112" in told
    assert clinic(capsys, "5.1", "--answer", "key-is-placeholder")[0] == 0
    assert document(capsys, "clinic-case-1.json", "5")["id"] == "5.2"


def test_reset_lays_the_files_anew(root: Path, capsys: pytest.CaptureFixture[str]) -> None:
    clinic(capsys, "1.4")
    startup = root / "1.4" / "home" / ".bashrc"
    startup.write_text("")

    clinic(capsys, "1.4", "--reset")

    assert "Bearer" in startup.read_text()


def test_documents(capsys: pytest.CaptureFixture[str]) -> None:
    opened = document(capsys, "clinic-case-1.json", "key-with-bearer")
    assert opened["symptom"]
    assert opened["files"] == [".bashrc"]
    judged = document(capsys, "clinic-case-1.json", "1.4", "--check")
    assert judged["verdict"]["solved"] is False
    hinted = document(capsys, "clinic-case-1.json", "1.4", "--hint")
    assert len(hinted["shown_hints"]) == 1
    levels = document(capsys, "clinic-1.json")["levels"]
    assert [level["level"] for level in levels] == [1, 2, 3, 4, 5]
    (case,) = [one for one in levels[0]["cases"] if one["id"] == "1.4"]
    assert case["tries"] == 1


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--clinic", "99"], "no level and no case"),
        (["--clinic", "key-with-baerer"], "the nearest is key-with-bearer"),
        (["--clinic", "5.1", "--check"], "--answer CODE"),
        (["--clinic", "1.1", "--answer", "KVD102"], "--check"),
        (["--check"], "--clinic"),
    ],
)
def test_misuse_is_told(words: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["demo", *words]) == 2
    assert told in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", "[1]", "{", '{"key-with-bearer": {"tries": "x"}}', "\x00"])
def test_damaged_progress_is_begun_anew(
    text: str, root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (root / "progress.json").write_text(text)

    assert "0 of 8 solved" in clinic(capsys)[1]
    clinic(capsys, "1.4", "--hint")
    assert json.loads((root / "progress.json").read_text())["key-with-bearer"]["hints"] == 1


def test_a_clinic_that_cannot_be_written_is_told(
    root: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    blocked = root / "file"
    blocked.write_text("")
    monkeypatch.setenv(VARIABLE, str(blocked))

    assert main(["demo", "--clinic", "1.4"]) == 2
    assert str(blocked) in capsys.readouterr().err
