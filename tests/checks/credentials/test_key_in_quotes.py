from __future__ import annotations

from pathlib import Path

import pytest

from checks.credentials.key_in_quotes import key_in_quotes
from doctor.connection import AuthHeader
from doctor.facts.settings import EnvFile, EnvLine, EnvReader, Settings
from doctor.models import Finding, Severity
from doctor.secrets import Secret
from doctor.settings.envfile import read_env_file
from doctor.settings.textfile import read
from tests.checks.credentials.world import HEALTHY, KEY, NOT_SENT, REFUSED, Given, keys, told
from tests.kit import connection, run_check


def found(
    key: str, given: Given = REFUSED, settings: Settings | None = None
) -> tuple[Finding, ...]:
    return run_check(key_in_quotes, connection(key=key), given, settings=settings).findings


def env_file(value: str, *readers: EnvReader, name: str = "OPENAI_API_KEY") -> Settings:
    """A file whose line docker takes as it stands and the others unquote."""
    bare = (name, Secret(value.strip("\"'")))
    line = EnvLine(
        1,
        name,
        Secret(value),
        {EnvReader.DOCKER: (name, Secret(value)), EnvReader.DOTENV: bare, EnvReader.COMPOSE: bare},
    )
    return Settings(env_files=(EnvFile("~/app/.env", True, (line,), readers=readers),))


@pytest.mark.parametrize(
    ("key", "title"),
    [
        (f'"{KEY}"', "The key is in quotes that are part of it"),
        (f"“{KEY}”", "The key is in quotes that are part of it"),
        (f"{KEY}”", "The key ends in a quote"),
        (f"'{KEY}", "The key begins with a quote"),
    ],
)
def test_the_quotes_are_taken_off(key: str, title: str) -> None:
    (finding,) = found(key)
    assert finding.title == title
    assert keys(list(finding.changes)) == [KEY]


@pytest.mark.parametrize(
    ("key", "auth", "position"),
    [
        (f"’{KEY}’", AuthHeader.BEARER, 7),
        (f"’{KEY}’", AuthHeader.X_API_KEY, 0),
        (f"{KEY}”", AuthHeader.BEARER, 58),
    ],
)
def test_the_position_is_the_one_that_python_reports(
    key: str, auth: AuthHeader, position: int
) -> None:
    target = connection(key=key, auth=auth)
    (finding,) = run_check(key_in_quotes, target, NOT_SENT).findings
    assert f"at position {position}, before anything is sent" in finding.explanation


def test_a_line_that_docker_takes_with_its_quotes() -> None:
    (finding,) = found(KEY, HEALTHY, env_file(f'"{KEY}"', EnvReader.DOCKER))
    assert finding.title == "docker --env-file keeps the quotes around OPENAI_API_KEY"
    assert finding.severity is Severity.WARNING
    assert "~/app/.env:1" in finding.explanation
    assert KEY not in told((finding,))


@pytest.mark.parametrize("readers", [(), (EnvReader.DOTENV,), (EnvReader.COMPOSE,)])
def test_a_quoted_line_is_right_for_readers_that_unquote_it(
    readers: tuple[EnvReader, ...],
) -> None:
    assert found(KEY, HEALTHY, env_file(f'"{KEY}"', *readers)) == ()


def test_quoted_values_that_are_no_keys_are_none_of_its_business() -> None:
    settings = env_file('"value"', EnvReader.DOCKER, name="GREETING")
    assert found(KEY, HEALTHY, settings) == ()


def test_the_same_fault_is_told_once() -> None:
    quoted = f'"{KEY}"'
    assert len(found(quoted, REFUSED, env_file(quoted, EnvReader.DOCKER))) == 1


@pytest.mark.parametrize("reader", list(EnvReader))
def test_files_as_they_are_really_read(reader: EnvReader, tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_text(f'OPENAI_API_KEY="{KEY}"\nOTHER_API_KEY={KEY}\n')
    parsed = read_env_file(read(file), "~/app/.env", {}, readers=(reader,))
    findings = found(KEY, HEALTHY, Settings(env_files=(parsed.file,)))
    assert len(findings) == (1 if reader is EnvReader.DOCKER else 0)
