"""Env files: the reader sees the new value and everything else as before; bytes around it stay."""

from __future__ import annotations

import io
import subprocess
from pathlib import Path

import pytest
from dotenv import dotenv_values
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from doctor.facts.settings import EnvReader
from doctor.fixes.editors import edit
from doctor.fixes.editors.envfile import readings
from doctor.fixes.refusal import RefusedEdit
from doctor.fixes.steps import EditFile, Format, Operation
from doctor.secrets import Secret
from tests.fixes.strategies import COMMENTS, HARD_TEXT, KEY, LINE_ENDS, NEW_VALUES, SHELL_NAMES

READERS = [EnvReader.DOTENV, EnvReader.DOCKER, EnvReader.COMPOSE, EnvReader.SHELL]


def step(
    name: str, line: int, old: str, new: str | None, reader: EnvReader, secret: bool = False
) -> EditFile:
    return EditFile(
        path="/nowhere/.env",
        shown=".env",
        format=Format.ENV,
        at=(name,),
        line=line,
        old=Secret(old) if secret else old,
        new=None if new is None else Secret(new) if secret else new,
        operation=Operation.REMOVE if new is None else Operation.SET,
        reader=reader,
    )


@st.composite
def env_files(draw: st.DrawFn) -> str:
    end = draw(LINE_ENDS)
    lines: list[str] = []
    for _line in range(draw(st.integers(1, 5))):
        kind = draw(st.integers(0, 5))
        name, text = draw(SHELL_NAMES), draw(st.one_of(HARD_TEXT, NEW_VALUES, NEW_VALUES))
        value = {
            0: text,
            1: '"' + text.replace("\\", "").replace('"', "") + '"',
            2: "'" + text.replace("\\", "").replace("'", "") + "'",
            3: f"{draw(NEW_VALUES)}  # {draw(COMMENTS)}",
            4: f'"{draw(NEW_VALUES)}{draw(st.sampled_from([" ", "", end]))}" # {draw(COMMENTS)}',
            5: draw(NEW_VALUES) + draw(st.sampled_from(["", " ", "\t"])),
        }[kind]
        prefix = draw(st.sampled_from(["", "", "", "export ", "  "]))
        lines.append(f"{prefix}{name}={value}")
        if draw(st.booleans()):
            lines.append(draw(st.sampled_from(["", f"# {draw(COMMENTS)}"])))
    bom = "\ufeff" if draw(st.integers(0, 4)) == 0 else ""
    return bom + end.join(lines) + draw(st.sampled_from(["", end]))


@settings(deadline=None, max_examples=300)
@given(env_files(), st.sampled_from(READERS), st.data(), NEW_VALUES)
def test_the_reader_sees_one_new_value_and_all_others_as_before(
    text: str, reader: EnvReader, data: st.DataObject, new: str
) -> None:
    read = readings({})[reader]
    before = read(text).assignments
    if not before:
        return
    index = data.draw(st.integers(0, len(before) - 1))
    chosen = before[index]

    try:
        made = edit(text, step(chosen.name, chosen.line, chosen.value, new, reader))
    except RefusedEdit:
        return
    after = made.applied(text)

    expected = [(a.name, a.value) for a in before]
    expected[index] = (chosen.name, new)
    assert [(a.name, a.value) for a in read(after).assignments] == expected
    assert after[: made.start] + after[made.start + len(made.text) :] == (
        text[: made.start] + text[made.end :]
    )


ORDINARY = st.sampled_from(
    [
        KEY + " ",
        f'"{KEY} "',
        f"'{KEY}\t'",
        f"Bearer {KEY}",
        f'"Bearer {KEY}"',
        f"“{KEY}”",
        f"\u200b{KEY}",
        "http://gateway.example",
        '"http://gateway.example/?utm_source=x"',
        "'http://gateway.example' # the gateway",
    ]
)


@settings(deadline=None, max_examples=60)
@given(ORDINARY, st.sampled_from(READERS), LINE_ENDS, st.sampled_from(["", "export "]))
def test_an_ordinary_line_is_never_refused(
    raw: str, reader: EnvReader, end: str, prefix: str
) -> None:
    prefix = "" if reader is EnvReader.DOCKER else prefix
    text = f"# mine{end}OPENAI_MODEL=gpt{end}{prefix}NAME={raw}{end}LAST=1{end}"
    found = [a for a in readings({})[reader](text).assignments if a.name == "NAME"]
    if not found:
        return  # a shell takes a blank for the end of the assignment

    after = edit(text, step("NAME", 3, found[0].value, KEY, reader)).applied(text)

    assert f"# mine{end}OPENAI_MODEL=gpt{end}{prefix}NAME=" in after
    assert after.endswith(f"LAST=1{end}")


@settings(deadline=None, max_examples=150)
@given(env_files(), st.data(), NEW_VALUES)
def test_python_dotenv_itself_reads_the_new_value(text: str, data: st.DataObject, new: str) -> None:
    before = readings({})[EnvReader.DOTENV](text).assignments
    names = [a for a in before if sum(b.name == a.name for b in before) == 1]
    if not names or text.startswith("\ufeff"):
        return
    chosen = data.draw(st.sampled_from(names))
    try:
        after = edit(
            text, step(chosen.name, chosen.line, chosen.value, new, EnvReader.DOTENV)
        ).applied(text)
    except RefusedEdit:
        return

    assert _dotenv(after)[chosen.name] == new


def _dotenv(text: str) -> dict[str, str | None]:
    # As it opens files: line ends are translated.
    plain = text.replace("\r\n", "\n").replace("\r", "\n")
    return dotenv_values(stream=io.StringIO(plain), interpolate=False)


@settings(
    deadline=None, max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(text=env_files(), data=st.data(), new=NEW_VALUES)
def test_a_real_shell_reads_the_new_value(
    tmp_path: Path, text: str, data: st.DataObject, new: str
) -> None:
    found = readings({})[EnvReader.SHELL](text)
    names = [a for a in found.assignments if sum(b.name == a.name for b in found.assignments) == 1]
    if not names or found.refusal is not None:
        return
    chosen = data.draw(st.sampled_from(names))
    try:
        after = edit(
            text, step(chosen.name, chosen.line, chosen.value, new, EnvReader.SHELL)
        ).applied(text)
    except RefusedEdit:
        return
    path = tmp_path / ".env"
    path.write_bytes(after.encode("utf-8", "surrogateescape"))

    done = subprocess.run(
        ["sh", "-c", f'PATH=/nonexistent; . "$1" >&2; printf %s "${chosen.name}"', "sh", str(path)],
        capture_output=True,
        cwd=tmp_path,
    )

    assert done.stdout.decode() == new


@pytest.mark.parametrize(
    ("reader", "line", "old", "new", "expected"),
    [
        (EnvReader.DOCKER, f'KEY="{KEY}"', f'"{KEY}"', KEY, f"KEY={KEY}"),
        (EnvReader.DOCKER, f"KEY={KEY} # mine", f"{KEY} # mine", KEY, f"KEY={KEY}"),
        (EnvReader.DOTENV, f'KEY="{KEY} " # mine', f"{KEY} ", KEY, f'KEY="{KEY}" # mine'),
        (EnvReader.DOTENV, "export U=http://h # mine", "http://h", "http://h/v1", None),
        (EnvReader.COMPOSE, "U: http://h", "http://h", "http://h/v1", "U: http://h/v1"),
        (EnvReader.SHELL, f"KEY={KEY}\r", f"{KEY}\r", KEY, f"KEY={KEY}"),
        (EnvReader.SHELL, "U='http://h?a&b'", "http://h?a&b", "http://h", "U='http://h'"),
    ],
)
def test_the_spelling_of_the_file_is_kept(
    reader: EnvReader, line: str, old: str, new: str, expected: str | None
) -> None:
    text = f"A=1\n{line}\nB=2\n"
    name = line.removeprefix("export ").replace(":", "=").split("=")[0]

    after = edit(text, step(name, 2, old, new, reader)).applied(text)

    wanted = expected if expected is not None else line.replace(old, new)
    assert after == f"A=1\n{wanted}\nB=2\n"


@pytest.mark.parametrize("reader", READERS)
def test_a_line_is_commented_out(reader: EnvReader) -> None:
    text = f"A=1\nOPENAI_API_KEY={KEY}\nB=2\n"

    after = edit(text, step("OPENAI_API_KEY", 2, KEY, None, reader)).applied(text)

    assert after == f"A=1\n# OPENAI_API_KEY={KEY}\nB=2\n"


def test_a_bom_stays_and_does_not_hide_the_first_name() -> None:
    text = f"\ufeffOPENAI_API_KEY={KEY} \nB=2\n"

    after = edit(text, step("OPENAI_API_KEY", 1, KEY, "new", EnvReader.DOTENV)).applied(text)

    assert after == "\ufeffOPENAI_API_KEY=new \nB=2\n"


def test_a_value_made_of_other_variables_is_refused() -> None:
    text = "HOST=http://h\nBASE=${HOST}/v1\n"

    with pytest.raises(RefusedEdit):
        edit(text, step("BASE", 2, "http://h/v1", "http://h/v2", EnvReader.DOTENV))


def test_a_value_that_others_are_made_of_is_refused() -> None:
    text = "HOST=http://h\nBASE=${HOST}/v1\n"

    with pytest.raises(RefusedEdit):
        edit(text, step("HOST", 1, "http://h", "http://g", EnvReader.DOTENV))


def test_a_file_that_docker_refuses_is_refused() -> None:
    with pytest.raises(RefusedEdit, match="docker") as caught:
        edit("A=1\nexport B=2\n", step("A", 1, "1", "2", EnvReader.DOCKER))

    assert caught.value.line == 2


def test_another_value_than_expected_is_refused() -> None:
    with pytest.raises(RefusedEdit, match="does not hold the value"):
        edit("A=1\n", step("A", 1, "2", "3", EnvReader.DOTENV))
