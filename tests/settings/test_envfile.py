from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doctor.facts.settings import EnvReader
from doctor.secrets import Secret
from doctor.settings import textfile
from doctor.settings.envfile import ReadEnvFile, read_env_file
from tests.settings.machine import KEY


def read(tmp_path: Path, data: str | bytes, *, new_dotenv: bool = False) -> ReadEnvFile:
    path = tmp_path / ".env"
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return read_env_file(textfile.read(path), ".env", {}, dotenv_since_1_2_3=new_dotenv)


def by_reader(found: ReadEnvFile, index: int = 0) -> dict[EnvReader, tuple[str, str] | None]:
    return {
        reader: pair and (pair[0], pair[1].reveal() if isinstance(pair[1], Secret) else pair[1])
        for reader, pair in found.file.lines[index].values.items()
    }


def test_quotes_are_part_of_the_value_for_docker_alone(tmp_path: Path) -> None:
    found = read(tmp_path, f'OPENAI_API_KEY="{KEY}"\n')
    right = ("OPENAI_API_KEY", KEY)
    assert by_reader(found) == {
        EnvReader.DOTENV: right,
        EnvReader.DOCKER: ("OPENAI_API_KEY", f'"{KEY}"'),
        EnvReader.COMPOSE: right,
        EnvReader.SHELL: right,
    }


def test_a_carriage_return_reaches_the_shell_alone(tmp_path: Path) -> None:
    found = read(tmp_path, f"OPENAI_API_KEY={KEY}\r\n")
    assert found.file.crlf
    values = by_reader(found)
    assert values.pop(EnvReader.SHELL) == ("OPENAI_API_KEY", KEY + "\r")
    assert set(values.values()) == {("OPENAI_API_KEY", KEY)}


def test_a_bom_loses_the_name_for_some(tmp_path: Path) -> None:
    found = read(tmp_path, f"\ufeffOPENAI_API_KEY={KEY}\n")
    assert found.file.bom
    line = found.file.lines[0]
    assert line.name == "OPENAI_API_KEY"
    values = by_reader(found)
    assert values[EnvReader.SHELL] is None
    assert values[EnvReader.DOTENV] == ("\ufeffOPENAI_API_KEY", KEY)
    newer = read(tmp_path, f"\ufeffOPENAI_API_KEY={KEY}\n", new_dotenv=True)
    assert by_reader(newer)[EnvReader.DOTENV] == ("OPENAI_API_KEY", KEY)


def test_one_bad_line_makes_docker_and_compose_refuse_the_whole_file(tmp_path: Path) -> None:
    found = read(tmp_path, 'OPENAI_MODEL=b\nexport C=d\nE="f\n')
    assert by_reader(found)[EnvReader.DOCKER] is None
    assert by_reader(found)[EnvReader.COMPOSE] is None
    assert by_reader(found)[EnvReader.DOTENV] == ("OPENAI_MODEL", "b")
    assert found.readings[EnvReader.DOCKER].refusal_line == 2
    assert found.readings[EnvReader.COMPOSE].refusal_line == 3


def test_raw_is_what_stands_in_the_file_and_keys_are_secrets(tmp_path: Path) -> None:
    found = read(tmp_path, f"OPENAI_API_KEY = '{KEY}'  # mine\nOPENAI_MODEL=m # c\n")
    key, model = found.file.lines
    assert isinstance(key.raw, Secret)
    assert key.raw.reveal() == f"'{KEY}'  # mine"
    assert model.raw == "m # c"
    assert KEY not in repr(found.file)


def test_a_key_under_the_wrong_name_is_a_secret_too(tmp_path: Path) -> None:
    found = read(tmp_path, f"OPENAI_BASE_URL={KEY}\n")
    assert KEY not in repr(found.file)


def test_a_value_that_spans_lines_is_one_line(tmp_path: Path) -> None:
    found = read(tmp_path, 'CERT="a\nB=c\n"\nD=e\n')
    assert [(line.number, line.name) for line in found.file.lines] == [(1, "CERT"), (4, "D")]


def test_utf_16_is_lost_for_everybody_but_its_names_are_told(tmp_path: Path) -> None:
    text = f"OPENAI_API_KEY={KEY}\r\n"
    found = read(tmp_path, b"\xff\xfe" + text.encode("utf-16-le"))
    assert [line.name for line in found.file.lines] == ["OPENAI_API_KEY"]
    assert set(by_reader(found).values()) == {None}
    assert found.readings[EnvReader.DOTENV].refusal == "the file is UTF-16-LE, not UTF-8"


def test_bytes_that_are_no_utf_8_stop_python_and_docker(tmp_path: Path) -> None:
    found = read(tmp_path, b"OPENAI_MODEL=b\n# \xd6\xd0\xce\xc4\n")
    values = by_reader(found)
    assert values[EnvReader.DOTENV] is None
    assert values[EnvReader.DOCKER] is None
    assert values[EnvReader.SHELL] == ("OPENAI_MODEL", "b")
    assert found.readings[EnvReader.DOTENV].refusal_line == 2


def test_what_other_programs_keep_there_is_not_held(tmp_path: Path) -> None:
    [line] = read(tmp_path, "GREETING=hello\n").file.lines
    assert (line.name, line.raw, line.values[EnvReader.DOTENV]) == (
        "GREETING",
        "",
        ("GREETING", ""),
    )


@pytest.mark.parametrize("text", ["", "\n\n", "# only\n# comments\n", "not an assignment\n"])
def test_nothing_is_assigned(tmp_path: Path, text: str) -> None:
    assert read(tmp_path, text).file.lines == ()


@given(st.text())
def test_no_file_is_too_strange(text: str) -> None:
    read_env_file(textfile.TextFile("x", text), "x", {"A": "b"})


def test_only_regular_small_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "big").write_bytes(b"x" * (textfile.LIMIT + 1))
    for path in (tmp_path, tmp_path / "big", tmp_path / "none", tmp_path / "\0"):
        with pytest.raises(textfile.Unreadable):
            textfile.read(path)
