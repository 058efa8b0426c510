from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from checks.credentials._key_text import before_comment
from checks.credentials.comment_taken_as_value import comment_taken_as_value
from doctor.connection import Connection, Origin, OriginKind, Setting, SettingName
from doctor.facts.machine import Environment
from doctor.facts.settings import EnvFile, EnvLine, EnvReader, Settings
from doctor.models import Finding, Severity
from doctor.secrets import Secret
from doctor.settings.envfile import read_env_file
from doctor.settings.textfile import read
from tests.checks.credentials.world import KEY, REFUSED, Given, keys, models_list, told
from tests.kit import connection, environment, run_check

LOCAL = "http://localhost:8000/v1"


def found(
    target: Connection,
    given: Given = REFUSED,
    env: Environment | None = None,
    settings: Settings | None = None,
) -> tuple[Finding, ...]:
    return run_check(comment_taken_as_value, target, given, env, settings).findings


def test_the_comment_is_dropped_from_the_key() -> None:
    (finding,) = found(connection(key=f"{KEY} # production"))
    assert finding.title == "A comment is part of OPENAI_API_KEY"
    assert keys(list(finding.changes)) == [KEY]
    assert "# production" in finding.evidence[0].value
    assert KEY not in told((finding,))


def test_the_comment_is_dropped_from_the_url_and_the_model() -> None:
    url, model = found(connection("http://host/v1  # inner net", model="qwen3-8b # fast"))
    assert [c.value for c in (*url.changes, *model.changes)] == ["http://host/v1", "qwen3-8b"]
    assert [c.setting for c in url.changes] == [SettingName.BASE_URL]


def test_a_key_that_is_all_comment_was_meant_to_be_empty() -> None:
    comment = "# optional; blank = no auth on the endpoint"
    (finding,) = found(connection(LOCAL, comment))
    assert finding.title == "OPENAI_API_KEY holds a comment in place of a value"
    assert keys(list(finding.changes)) == ["EMPTY"]
    assert finding.changes[0].guess
    (public,) = found(connection(key=comment))
    assert public.changes == ()


@pytest.mark.parametrize(("served", "guess"), [(("qwen3-8b",), False), (("a", "b"), True)])
def test_a_model_that_is_all_comment_is_taken_from_the_list(
    served: tuple[str, ...], guess: bool
) -> None:
    target = connection(model="# Optional override. Each provider has a sensible default")
    (finding,) = found(target, models_list(*served))
    assert [change.value for change in finding.changes] == list(served)
    assert {change.guess for change in finding.changes} == {guess}


def test_a_variable_that_is_not_in_use_is_a_warning() -> None:
    env = environment({"LLM_PROVIDER_API_KEY": "# optional; blank = no auth", "EDITOR": "# no"})
    (finding,) = found(connection(), {}, env)
    assert "LLM_PROVIDER_API_KEY" in finding.title
    assert (finding.severity, finding.explains) == (Severity.WARNING, ())


def test_the_only_model_that_was_meant_is_an_error() -> None:
    env = environment({"LLM_MODEL": "# required when LLM_PROVIDER=custom"})
    (finding,) = found(connection(model=None), {}, env)
    assert finding.severity is Severity.ERROR
    assert "KVD501" in finding.explains


def env_file(*readers: EnvReader) -> Settings:
    name, value = "LLM_MODEL", "# Optional override"
    read = {EnvReader.DOCKER: (name, value), EnvReader.DOTENV: (name, "")}
    line = EnvLine(2, name, value, read)  # type: ignore[arg-type]  # a wider value type
    return Settings(env_files=(EnvFile("~/app/.env", True, (line,), readers=readers),))


def test_a_line_counts_for_the_program_that_reads_it() -> None:
    (finding,) = found(connection(), {}, settings=env_file(EnvReader.DOCKER))
    assert "docker --env-file takes the comment in LLM_MODEL" in finding.explanation
    assert "~/app/.env:2" in finding.explanation
    assert found(connection(), {}, settings=env_file(EnvReader.DOTENV)) == ()
    assert found(connection(), {}, settings=env_file()) == ()


def test_one_variable_is_told_once() -> None:
    name, comment = "OPENAI_API_KEY", "# optional"
    target = connection(LOCAL, comment)
    target = dataclasses.replace(
        target,
        key=Setting(Secret(comment), Origin(OriginKind.FILE, f"env.{name}", "~/s.json")),
    )
    assert len(found(target, {}, environment({name: comment}))) == 1


@pytest.mark.parametrize("text", [KEY, "a#b", "sk-made#up", "http://host/v1#part", ""])
def test_a_sign_inside_is_no_comment(text: str) -> None:
    assert before_comment(text) is None


@given(
    st.text("abcdefghij0123456789-_.:/", min_size=1, max_size=40),
    st.text(" \t", min_size=1, max_size=5),
    st.text(max_size=30),
)
@settings(max_examples=100, deadline=None)
def test_what_stands_ahead_of_a_comment_is_found(value: str, blank: str, comment: str) -> None:
    assert before_comment(f"{value}{blank}#{comment}") == value


@pytest.mark.parametrize(
    ("content", "reader", "title"),
    [
        ("LLM_MODEL=   # optional\n", EnvReader.COMPOSE, "LLM_MODEL holds a comment"),
        ("LLM_MODEL=# optional\n", EnvReader.DOCKER, "LLM_MODEL holds a comment"),
        ("LLM_API_KEY=sk-made-up  # shop\n", EnvReader.DOCKER, "A comment is part of LLM_API_KEY"),
    ],
)
def test_files_as_they_are_really_read(
    content: str, reader: EnvReader, title: str, tmp_path: Path
) -> None:
    file = tmp_path / ".env"
    file.write_text(content)
    parsed = read_env_file(read(file), "~/app/.env", {}, readers=(reader,))
    (finding,) = found(connection(), {}, settings=Settings(env_files=(parsed.file,)))
    assert title in finding.title


@pytest.mark.parametrize("reader", [EnvReader.COMPOSE, EnvReader.DOTENV, EnvReader.SHELL])
def test_a_comment_behind_a_blank_is_right_for_most_readers(
    reader: EnvReader, tmp_path: Path
) -> None:
    file = tmp_path / ".env"
    file.write_text("LLM_API_KEY=sk-made-up  # shop\n# a line of its own\nLLM_MODEL=qwen3-8b\n")
    parsed = read_env_file(read(file), "~/app/.env", {}, readers=(reader,))
    assert found(connection(), {}, settings=Settings(env_files=(parsed.file,))) == ()
