"""Words of a shell text, with their places."""

from __future__ import annotations

import pytest

from doctor.launch.reading.found import Groups
from doctor.launch.reading.shell import commands


def words_of(text: str) -> list[list[str]]:
    wanted = lambda told: "vllm" in told  # noqa: E731
    return [[w.text for w in c.words] for c in commands(text, Groups(), wanted=wanted)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("vllm serve 'a b' \"c d\" e\\ f", [["vllm", "serve", "a b", "c d", "e f"]]),
        ("vllm serve m # why\nls", [["vllm", "serve", "m"], ["ls"]]),
        ("a && b; c | d", [["a"], ["b"], ["c"], ["d"]]),
        ("vllm serve m > log 2>&1 &", [["vllm", "serve", "m"]]),
        ("vllm serve m \\\n  --port 1", [["vllm", "serve", "m", "--port", "1"]]),
        ("vllm serve m ^\n --port 1", [["vllm", "serve", "m", "--port", "1"]]),
        ("vllm serve m `\n --port 1", [["vllm", "serve", "m", "--port", "1"]]),
        ("M=x\nvllm serve $M", [["vllm", "serve", "x"]]),
        ("M='x y'\nvllm serve \"$M\" $M", [["vllm", "serve", "x y", "x", "y"]]),
        ("vllm serve ${M:-d} ${N}", [["vllm", "serve", "d", "${N}"]]),
        ("A=(a 'b c' # no\n d)\nvllm serve \"${A[@]}\"", [["vllm", "serve", "a", "b c", "d"]]),
        ("A=(a)\nA+=(b)\nvllm ${A[@]}", [["vllm", "a", "b"]]),
        ("cat <<EOF\nvllm serve no\nEOF\nvllm serve m", [["cat"], ["vllm", "serve", "m"]]),
        ("vllm serve $(cat f) `x`", [["vllm", "serve", "$(cat f)", "`x`"]]),
        ("```sh\nvllm serve m\n```", [["vllm", "serve", "m"]]),
        ("vllm serve $'a\\tb'", [["vllm", "serve", "a\tb"]]),
        (
            "vllm $(case x in x) y;; esac) m",
            [["vllm", "$(case x in x) y;; esac)", "m"]],
        ),
        ("vllm serve $(x 'y) m", [["vllm", "serve", "$(x 'y)", "m"]]),
        ('vllm serve ${M:-"}"} m', [["vllm", "serve", '${M:-"}"}', "m"]]),
        ("vllm serve m > >(tee log)", [["vllm", "serve", "m"]]),
        (
            "vllm serve <model>\u00a0--port 80<nn>",
            [["vllm", "serve", "<model>", "--port", "80<nn>"]],
        ),
        ("cat <<'E' >f\n  vllm serve no\n  E\nvllm serve m", [["cat"], ["vllm", "serve", "m"]]),
        ("vllm serve m\r", [["vllm", "serve", "m"]]),
        ("vllm serve '", [["vllm", "serve", ""]]),
        ("", []),
    ],
)
def test_what_a_shell_makes_of_it(text: str, expected: list[list[str]]) -> None:
    assert words_of(text) == expected


def test_a_word_knows_where_it_stands() -> None:
    text = "A=1 vllm serve 'a b'"

    (command,) = commands(text, Groups())

    assert [text[w.start : w.end] for w in command.words] == ["A=1", "vllm", "serve", "'a b'"]


def test_words_of_a_variable_stand_where_it_was_set() -> None:
    text = 'ARGS="--port 1"\nvllm serve m $ARGS'

    (command,) = commands(text, Groups())

    assert [text[w.start : w.end] for w in command.words[-2:]] == ["--port", "1"]


def test_what_is_only_filled_in_later_is_not_known() -> None:
    (command,) = commands("vllm serve \"$M\" x$N $(a) '$M'", Groups())

    assert [w.known for w in command.words] == [True, True, False, False, False, True]
