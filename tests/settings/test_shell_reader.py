"""Our reading of a sourced env file against real shells."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doctor.settings.envreaders import shell

SHELLS = [found for name in ("sh", "bash") if (found := shutil.which(name))]
ENVIRONMENT = {"HOME": "/home/me", "OUTER": "outer"}
_OWN = {"HOME", "OUTER", "PATH", "PWD", "OLDPWD", "SHLVL", "_"}

PIECES = st.sampled_from(
    (
        *("A", "B", "C=", "AB=", "\nD=", "=", " ", "\n", "\n", '"', "'", "#", "\\", "$", "${A}"),
        *("$B", "${C:-x}", "$OUTER", ";", "&", "x", "sk-1", "http://h/v1?a=b", "~/", ":", "\r"),
        *("é", "\t", "export ", "unset A\n", "&&", "||", "|", "(", ")", "$(", "`", "$'", "+="),
        *("if :; then ", "; fi\n", "f() {\n", "\n}\n", "{ ", "; }", "! ", "<<E\n", "\nE\n"),
        *("case x in x) ", ";; esac\n", "for A in 1; do ", "; done\n", "return\n", "\nf\n"),
    )
)


def really(program: str, text: str) -> dict[str, str] | None:
    """The variables after sourcing ``text``; None where the shell gave up."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file.env"
        path.write_text(text, "utf-8", newline="")
        script = f"set -a; . {path}; echo __END__; exec /usr/bin/env -0"
        done = subprocess.run(
            [program, "-c", script],
            env=ENVIRONMENT | {"PATH": "/nonexistent"},
            cwd=folder,
            capture_output=True,
            check=False,
        )
    _before, mark, after = done.stdout.decode().partition("__END__\n")
    if not mark:
        return None
    pairs = (entry.partition("=") for entry in after.split("\0") if entry)
    return {name: value for name, _equals, value in pairs if name not in _OWN}


def ours(text: str) -> dict[str, str]:
    return {found.name: found.value for found in shell.read(text, ENVIRONMENT).assignments}


@pytest.mark.skipif(not SHELLS, reason="there is no POSIX shell here")
@settings(max_examples=150, deadline=None)
@given(st.lists(PIECES, max_size=12).map("".join))
def test_what_we_say_is_set_is_what_shells_set(text: str) -> None:
    mine = ours(text)
    for program in SHELLS:
        real = really(program, text)
        if real is not None:
            assert {name: real.get(name) for name in mine} == mine


SIMPLE = st.text("abcXYZ019-_.:/?=%+,@ #\"'“”\t\r", max_size=12)


@pytest.mark.skipif(not SHELLS, reason="there is no POSIX shell here")
@settings(max_examples=100, deadline=None)
@given(SIMPLE)
def test_single_quotes_keep_everything(value: str) -> None:
    value = value.replace("'", "")
    text = f"A='{value}'\n"
    assert ours(text) == {"A": value}
    assert all(really(program, text) == {"A": value} for program in SHELLS)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("A=b\n", {"A": "b"}),
        ("export A=b C=d\n", {"A": "b", "C": "d"}),
        ('A="b c" # d\n', {"A": "b c"}),
        ("A=b#c\n", {"A": "b#c"}),
        ("A=b # c\n", {"A": "b"}),
        ("A= # c\n", {"A": ""}),
        ("A=b c\n", {}),  # runs c
        ("A = b\n", {}),  # runs A
        ("A= b\n", {}),  # runs b
        ("A: b\n", {}),
        ("A-B=c\n", {}),
        ("A=b\r\n", {"A": "b\r"}),
        ("\ufeffA=b\n", {}),
        ("A=http://h/v1?a=b&c=d\n", {"c": "d"}),
        ("A='b\nc'\nD=e\n", {"A": "b\nc", "D": "e"}),
        ("A=b\nC='d\nE=f\n", {"A": "b"}),  # the quote is never closed
        ("A=$(cat key)\n", {}),
        ("A=`cat key`\nB=c\n", {"B": "c"}),
        ("A=b\nA=$(cat key)\n", {}),
        ("A=b\nC=${A}d\n", {"A": "b", "C": "bd"}),
        ("A=$OUTER\n", {"A": "outer"}),
        ("A=~/key\n", {"A": "/home/me/key"}),
        ("A='~/key'\n", {"A": "~/key"}),
        ("A=b && C=d\n", {"A": "b", "C": "d"}),
        ("A=b || C=d\n", {"A": "b"}),
        ("A=sk-1|C=d\n", {}),
        ("A=b\\\nc\n", {"A": "bc"}),
        ('A="b\\$c\\d"\n', {"A": "b$c\\d"}),
        ("A=“b”\n", {"A": "“b”"}),
        ("A=b && C=d &\n", {}),
        ("A=$(false) && C=d\n", {}),
        ("A=b\nif x; then A=c; fi\nD=e\n", {"D": "e"}),
        ("A=b\nx && A=c\n", {}),
        ("A=b\nx | A=c\n", {"A": "b"}),
        ("A=b\nf() {\n  A=c\n}\nD=e\nA=g\n", {"D": "e"}),
        ("case x in\n  y) A=b ;;\nesac\nD=e\n", {"D": "e"}),
        ("(A=b)\nD=e\n", {"D": "e"}),
        ("A=b\nunset A\nD=e\n", {"D": "e"}),
        ("A=b\nfor A in c; do :; done\n", {}),
        ("cat <<E\nA='b\nE\nD=e\n", {"D": "e"}),
        ("A=$(case x in x) y;; esac)\nD=e\n", {"D": "e"}),
        ("A=${B:-'}'}\nD=e\n", {"D": "e"}),
        ("A=b\nreturn\nD=e\n", {"A": "b"}),
        ("AB=c\nA=d\nE=$A\\\nB\nF=g\n", {"AB": "c", "A": "d", "F": "g"}),
        ("A=d\nE=$A\\\n/b\n", {"A": "d", "E": "d/b"}),
    ],
)
def test_rules(text: str, expected: dict[str, str]) -> None:
    assert ours(text) == expected


@pytest.mark.parametrize(
    ("line", "refusal"),
    [
        ("C=(d)", "syntax error: unexpected '('"),
        ("C=d)", "syntax error: unexpected ')'"),
        ("C=d;;", "syntax error: unexpected ';;'"),
        ("; C=d", "syntax error: unexpected ';'"),
        ("C=<", "syntax error: unexpected newline"),
        ("C=<\nD=e", "syntax error: unexpected newline"),
        ("C=> # d", "syntax error: unexpected newline"),
        ("C=<;", "syntax error: unexpected ';'"),
        ("if x; fi", "syntax error: unexpected 'fi'"),
        ("{ x; } C=d", "syntax error: unexpected 'C=d'"),
        ("C=$(d", "syntax error: unterminated '('"),
        ("if x; then C=d", "syntax error: unexpected end of file"),
        ("export 1C", "export: bad variable name"),
        ("C=$'a\\'b'", "shells differ in where $'…\\'…' ends"),
    ],
)
def test_what_a_shell_stops_at_is_told_with_its_line(line: str, refusal: str) -> None:
    reading = shell.read(f"A=b\n{line}\n", {})
    at_end = refusal.endswith("end of file")
    assert reading.refusal == refusal
    assert reading.refusal_line == (3 if at_end else 2)
    assert [found.name for found in reading.assignments] == ["A"]
