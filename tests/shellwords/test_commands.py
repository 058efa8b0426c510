"""Commands, and how surely they run."""

from __future__ import annotations

import pytest

from doctor.shellwords.commands import Commands
from doctor.shellwords.model import Command
from doctor.shellwords.tokens import Tokens


def commands(text: str, *, extended: bool = True) -> list[Command]:
    return [c for c in Commands(Tokens(text, extended=extended)).read() if c.words]


def told(text: str) -> list[str]:
    return [" ".join(word.text or "?" for word in command.words) for command in commands(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a b; c\nd", ["a b", "c", "d"]),
        ("a >x 2>&1 b &>y", ["a b"]),
        ("if a; then b; else c; fi", ["a", "b", "c"]),
        ("while a; do b; done; c", ["a", "b", "c"]),
        ("for x in a b; do c; done", ["for x in a b", "c"]),
        ("case x in a|b) c ;; (d) e ;; esac; f", ["c", "e", "f"]),
        ("case $- in\n*i*) a ;;\nesac", ["a"]),
        ("f() { a; }\nfunction g {\n b\n}", ["a", "b"]),
        ("{ a; }", ["a"]),
        ("(a; b) c", ["? c"]),
        ("'if' a", ["if a"]),
        ("a <<E; b\n'\nE\nc", ["a", "b", "c"]),
        ("[[ a < b || -n c ]] && d", ["[[", "d"]),
        ("a # b\nc", ["a", "c"]),
    ],
)
def test_the_commands_of_a_text(text: str, expected: list[str]) -> None:
    assert told(text) == expected


@pytest.mark.parametrize(
    ("text", "subshell", "conditional", "function"),
    [
        ("X", False, False, False),
        ("a; X", False, False, False),
        ("a | X", True, False, False),
        ("X | a", True, False, False),
        ("X &", True, False, False),
        ("X && a &", True, False, False),
        ("a && X", False, True, False),
        ("a ||\n\nX", False, True, False),
        ("if a; then X; fi", False, True, False),
        ("for b in c; do X; done", False, True, False),
        ("case a in b) X;; esac", False, True, False),
        ("f() { X; }", False, True, True),
        ("f()\n{\n if a; then X; fi\n}", False, True, True),
        ("f() (a); { X; }", False, True, False),
        ("f() { a; }; X", False, False, False),
        ("if a; then b; fi; X", False, False, False),
    ],
)
def test_how_surely_a_command_runs(
    text: str, subshell: bool, conditional: bool, function: bool
) -> None:
    (command,) = (c for c in commands(text) if c.words[0].text == "X")

    assert (command.subshell, command.conditional, command.function) == (
        subshell,
        conditional,
        function,
    )


@pytest.mark.parametrize(
    "text", ["fi", "if a; fi", "if then a; fi", "do a; done", "{ }", "while a; done", "a (b)"]
)
def test_what_sh_does_not_read_is_told(text: str) -> None:
    tokens = Tokens(text)

    list(Commands(tokens).read())

    assert tokens.fault is not None


def test_short_forms_of_zsh_leave_what_follows_readable() -> None:
    text = "if [[ -n a ]] { b }\nfor x (1 2) c\nrepeat 3 d\n() { e; }\nplugins=(a # it's\n)\nf\n"

    assert commands(text)[-1].words[0].text == "f"
