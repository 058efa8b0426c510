"""What shells print where an assignment was none: here run, of Windows' shells as they print it."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from doctor.explain.rank import rank
from doctor.explain.read import symptoms_in
from doctor.secrets import Redactor

KEY = "sk-made0up0made0up0made0up"
TOLD = [
    ("export : The term 'export' is not recognized as the name of a cmdlet, function, script"
     " file, or operable program.", "KVD101"),
    (f"OPENAI_API_KEY={KEY}: The term 'OPENAI_API_KEY={KEY}' is not recognized as a name of a"
     " cmdlet, function, script file, or executable program.", "KVD101"),
    ("export : 无法将“export”项识别为 cmdlet、函数、脚本文件或可运行程序的名称。", "KVD101"),
    ("'export' is not recognized as an internal or external command,", "KVD101"),
    ("'export' 不是内部或外部命令，也不是可运行的程序", "KVD101"),
    ("'ANTHROPIC_BASE_URL' is not recognized as an internal or external command,", "KVD410"),
]  # fmt: skip


def first(text: str) -> str:
    ranked = rank(symptoms_in(Redactor()(text).splitlines()), {})
    return ranked[0].cause.code if ranked else "nothing"


@pytest.mark.parametrize("shell", ["bash", "dash", "zsh", "fish"])
@pytest.mark.parametrize(
    ("command", "code"),
    [
        (f"export OPENAI_API_KEY= {KEY}", "KVD101"),
        (f"OPENAI_API_KEY = {KEY}", "KVD101"),
        (f"OPENAI_API_KEY= {KEY}", "KVD101"),
        (f"setx OPENAI_API_KEY {KEY}", "KVD101"),
        ("OPENAI_BASE_URL = https://relay.example.com/v1", "KVD410"),
        ("claude", "nothing"),
    ],
)
def test_a_shell_that_set_nothing(shell: str, command: str, code: str) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    options = ["--norc"] if shell == "bash" else ["-f"] if shell == "zsh" else []
    ran = subprocess.run(
        [program, *options, "-c", command],
        env={"PATH": "/nonexistent", "HOME": "/nonexistent"},
        capture_output=True,
        text=True,
    )
    assert first(ran.stderr) == code, ran.stderr


@pytest.mark.parametrize("shell", ["bash", "dash", "zsh"])
def test_powershells_way_in_another_shell(shell: str) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    ran = subprocess.run(
        [program, "-c", f'$env:OPENAI_API_KEY="{KEY}"'],
        env={"PATH": "/nonexistent", "HOME": "/nonexistent"},
        capture_output=True,
        text=True,
    )
    assert first(ran.stderr) == "KVD101", ran.stderr


@pytest.mark.parametrize(("text", "code"), TOLD)
def test_windows_shells(text: str, code: str) -> None:
    assert first(text) == code


@pytest.mark.parametrize(
    "text",
    [
        "zsh: command not found: claude",
        "'claude' is not recognized as an internal or external command,",
        "bash: export: `foo-bar': not a valid identifier",
        "zsh: no matches found: https://relay.example.com/v1?x=1",
    ],
)
def test_other_words_of_shells_mean_nothing(text: str) -> None:
    assert first(text) == "nothing"


CURL = "curl https://relay.example.com/v1/chat/completions -H {header}\n401 Unauthorized"


@pytest.mark.parametrize(
    ("prompt", "header", "code"),
    [
        ("$ ", "'Authorization: Bearer $OPENAI_API_KEY'", "KVD106"),
        ("C:\\Users\\me>", '"Authorization: Bearer $OPENAI_API_KEY"', "KVD106"),
        ("PS C:\\Users\\me> ", '"Authorization: Bearer $OPENAI_API_KEY"', "KVD101"),
        ("PS C:\\Users\\me> ", '"Authorization: Bearer $env:OPENAI_API_KEY"', "KVD111"),
        ("$ ", '"Authorization: Bearer $OPENAI_API_KEY"', "KVD111"),
        ("$ ", f'"Authorization: {KEY}"', "KVD114"),
        ("$ ", '"Authorization: $OPENAI_API_KEY"', "KVD114"),
        ("$ ", f'"Authorization: Bearer {KEY}"', "KVD111"),
    ],
)
def test_the_header_of_a_typed_command(prompt: str, header: str, code: str) -> None:
    assert first(prompt + CURL.format(header=header)) == code


def test_a_key_without_bearer_that_is_taken_means_nothing() -> None:
    assert first(f'curl -H "Authorization: {KEY}" https://relay.example.com\n200 OK') == "nothing"
