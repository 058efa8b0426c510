from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from checks.credentials.env_file_name_lost import env_file_name_lost
from doctor.connection import Connection, Origin, OriginKind, Setting
from doctor.facts.settings import EnvFile, EnvLine, EnvReader, Settings, SourceProblem
from doctor.models import Finding, Severity
from doctor.secrets import Secret
from doctor.settings.envfile import read_env_file
from doctor.settings.textfile import read
from tests.checks.credentials.world import KEY, keys, told
from tests.kit import connection, run_check

PATH = "~/app/.env"
D, K, C, S = EnvReader.DOTENV, EnvReader.DOCKER, EnvReader.COMPOSE, EnvReader.SHELL
NAME = "OPENAI_API_KEY"


def line(
    raw: str, values: dict[EnvReader, tuple[str, str] | None], number: int = 1, name: str = NAME
) -> EnvLine:
    secret = {r: None if v is None else (v[0], Secret(v[1])) for r, v in values.items()}
    return EnvLine(number, name, Secret(raw), secret)  # type: ignore[arg-type]


def files(*lines: EnvLine, readers: tuple[EnvReader, ...] = (), **more: bool) -> Settings:
    return Settings(env_files=(EnvFile(PATH, True, lines, readers=readers, **more),))


def found(settings: Settings, target: Connection | None = None) -> tuple[Finding, ...]:
    target = target or connection(key=None)
    return run_check(env_file_name_lost, target, settings=settings).findings


def bom() -> EnvLine:
    values = {D: ("\ufeff" + NAME, KEY), K: (NAME, KEY)}
    return line(f"\ufeff{NAME}={KEY}", values, name="\ufeff" + NAME)  # type: ignore[arg-type]


def test_a_byte_order_mark_hides_the_first_variable() -> None:
    (finding,) = found(files(bom(), bom=True))
    assert finding.title == f"A byte order mark hides {NAME} in {PATH}"
    assert "UTF-8 without BOM" in finding.explanation
    assert finding.severity is Severity.ERROR
    assert "KVD101" in finding.explains
    assert keys(list(finding.changes)) == [KEY]
    assert KEY not in told((finding,))


def test_a_mark_does_no_harm_where_the_key_comes_from_elsewhere() -> None:
    assert found(files(bom(), bom=True), connection()) == ()


def test_a_reader_that_drops_the_mark_is_not_blamed() -> None:
    assert found(files(bom(), bom=True, readers=(K,))) == ()


@pytest.mark.parametrize(
    ("raw", "title", "why"),
    [
        (f"export {NAME}={KEY}", "docker --env-file does not get", "a word of the shell"),
        (f"{NAME} = {KEY}", "docker --env-file does not get", 'a blank at "="'),
        (f'$env:{NAME}="{KEY}"', "PowerShell", "a command of that shell"),
        (f"set {NAME}={KEY}", "cmd", "a command of that shell"),
        (f"setx {NAME}={KEY}", "cmd", "a command of that shell"),
    ],
)
def test_syntax_that_docker_does_not_take(raw: str, title: str, why: str) -> None:
    lost = line(raw, {K: None}, name=raw.partition("=")[0])
    (finding,) = found(files(lost, readers=(K,)))
    assert title in finding.title
    assert NAME in finding.title
    assert why in finding.explanation
    assert f"{NAME}=value" in finding.explanation
    assert keys(list(finding.changes)) == [KEY]


def test_one_bad_line_that_costs_docker_the_whole_file() -> None:
    good = line(f"{NAME}={KEY}", {K: None, D: (NAME, KEY)}, 1)
    bad = line("export LANG=C", {K: None}, 2, name="export LANG")
    (finding,) = found(files(good, bad, readers=(K,)))
    assert f"does not get {NAME}" in finding.title
    assert "Line 2" in finding.explanation
    assert finding.evidence[0].location == f"{PATH}:2"


def test_export_is_right_for_readers_that_take_it() -> None:
    values = {K: None, D: (NAME, KEY), C: (NAME, KEY), S: (NAME, KEY)}
    lost = line(f"export {NAME}={KEY}", values)
    for reader in (D, C, S):
        assert found(files(lost, readers=(reader,))) == ()
    assert found(files(lost)) == ()


def test_another_program_that_loses_the_key_is_a_warning() -> None:
    lost = line(f"export {NAME}={KEY}", {K: None, D: (NAME, KEY)})
    (finding,) = found(files(lost, readers=(D, K)), connection())
    assert (finding.severity, finding.changes, finding.explains) == (Severity.WARNING, (), ())


def test_windows_line_ends_in_a_shell() -> None:
    lost = line(f"{NAME}={KEY}\r", {S: (NAME, KEY + "\r"), D: (NAME, KEY)})
    (finding,) = found(files(lost, readers=(S,), crlf=True), connection())
    assert finding.title == f"shell leaves a carriage return at the end of {NAME}"
    assert "LF" in finding.explanation
    assert found(files(lost, readers=(D,), crlf=True)) == ()


@pytest.mark.parametrize("name", ["GREETING", "PATH"])
def test_lines_that_are_none_of_ours_do_not_matter(name: str) -> None:
    assert found(files(line(f"export {name}=x", {K: None}, name=name), readers=(K,))) == ()


def test_a_line_without_a_value_loses_nothing() -> None:
    assert found(files(line(f"export {NAME}=", {K: None}), readers=(K,))) == ()


def test_the_working_folder_gets_only_what_stands_beside_its_url() -> None:
    base = Origin(OriginKind.FILE, "base_url", "kvdoctor.toml", 2, project=True)
    target = connection(key=None)
    target = dataclasses.replace(target, base_url=Setting(target.base_url.value, base))
    (finding,) = found(files(bom(), bom=True), target)
    assert finding.changes == ()


def test_a_refusal_without_a_line_of_ours_is_told_with_the_readers_rule() -> None:
    lost = line(KEY, {K: None, D: (NAME, KEY)}, 4)
    settings = files(lost, readers=(K,))
    problem = SourceProblem(PATH, 2, "variable 'export LANG' contains whitespaces")
    (finding,) = found(dataclasses.replace(settings, problems=(problem,)))
    assert "refuses a whole file" in finding.explanation
    assert "Line 2: variable 'export LANG' contains whitespaces" in finding.explanation


def test_a_value_that_a_shell_computes_is_not_lost() -> None:
    computed = line("$(pass show gateway)", {S: None, D: (NAME, "$(pass show gateway)")})
    assert found(files(computed, readers=(S,)), connection()) == ()


FILES = [
    (b"\xef\xbb\xbfOPENAI_API_KEY=%s\n", D, "A byte order mark hides"),
    (b"export OPENAI_API_KEY=%s\n", K, "docker --env-file does not get"),
    (b"OPENAI_API_KEY = %s\n", K, "docker --env-file does not get"),
    (b"OPENAI_API_KEY = %s\n", S, "shell does not get"),
    (b'$env:OPENAI_API_KEY="%s"\n', D, "PowerShell"),
    (b"OPENAI_API_KEY=%s\r\n", S, "shell leaves a carriage return"),
]


@pytest.mark.parametrize(("content", "reader", "title"), FILES)
def test_files_as_they_are_really_read(
    content: bytes, reader: EnvReader, title: str, tmp_path: Path
) -> None:
    file = tmp_path / ".env"
    file.write_bytes(content % KEY.encode())
    parsed = read_env_file(read(file), PATH, {}, readers=(reader,))
    (finding,) = found(Settings(env_files=(parsed.file,)))
    assert title in finding.title
    assert NAME in finding.title


@pytest.mark.parametrize("reader", list(EnvReader))
def test_a_plain_file_is_right_for_everybody(reader: EnvReader, tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text(f"# key\n\n{NAME}={KEY}\nOPENAI_BASE_URL=https://gateway.example/v1\n")
    parsed = read_env_file(read(file), PATH, {}, readers=(reader,))
    assert found(Settings(env_files=(parsed.file,))) == ()
