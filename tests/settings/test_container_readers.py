"""docker's and compose's rules. No engine runs in the tests: docker's table was taken from what
docker 28.2 sends to its daemon, compose's from its documentation and its published test data."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doctor.settings.envreaders import Reading, compose, docker

OUTER = {"OUTER": "o", "EMPTY": ""}


def values(reading: Reading) -> dict[str, str] | None:
    if reading.refusal is not None:
        return None
    return {found.name: found.value for found in reading.assignments}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('A="x"\n', {"A": '"x"'}),
        ("A='x'\n", {"A": "'x'"}),
        ("A=1 # c\n", {"A": "1 # c"}),
        ("A= # c\n", {"A": " # c"}),
        ("A= b \r\n", {"A": " b "}),
        ("A=1\rB=2\n", {"A": "1\rB=2"}),
        ("\ufeffA=1\n", {"A": "1"}),
        ("  A=1\n", {"A": "1"}),
        ("OUTER\nNOPE\n", {"OUTER": "o"}),
        ("A=\n# c\n\n", {"A": ""}),
        ("A=${OUTER}\n", {"A": "${OUTER}"}),
        ("A:1\n", {}),
        ("a.b-c=1\n", {"a.b-c": "1"}),
        ("A=1\nA=2\n", {"A": "2"}),
        ("export A=1\n", None),
        ("A =1\n", None),
        ("A: 1\n", None),
        ("=1\n", None),
        ("A=1\nexport B=2\n", None),
    ],
)
def test_docker(text: str, expected: dict[str, str] | None) -> None:
    assert values(docker.read(text, OUTER)) == expected


def test_docker_names_the_line_that_it_refuses() -> None:
    reading = docker.read("A=1\n\nexport B=2\n", {})
    assert (reading.refusal, reading.refusal_line) == (
        "variable 'export B' contains whitespaces",
        3,
    )


@given(st.text(st.characters(exclude_characters="\n\r", codec="utf-8")))
def test_docker_keeps_every_character_of_a_value(value: str) -> None:
    assert values(docker.read(f"A={value}\n", {})) == {"A": value}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('A="x"\n', {"A": "x"}),
        ("A='x'\n", {"A": "x"}),
        ("A=1 # c\n", {"A": "1"}),
        ("A=1#c\n", {"A": "1#c"}),
        ("A=1\t# c\n", {"A": "1\t# c"}),
        ("A=                # c\n", {"A": "# c"}),
        ("A=# c\n", {"A": "# c"}),
        ('A="x" # c\nB=2\n', {"A": "x", "B": "2"}),
        ("A= b \r\n", {"A": "b"}),
        ("\ufeffA=1\n", {"A": "1"}),
        ("export A=1\n", {"A": "1"}),
        ("A = 1\n", {"A": "1"}),
        ("A: 1\n", {"A": "1"}),
        ("OUTER\nNOPE\nA=1\n", {"OUTER": "o", "A": "1"}),
        ("A=\nB=1\n", {"A": "", "B": "1"}),
        ('A="x\ny"\nB=1\n', {"A": "x\ny", "B": "1"}),
        ('A="x\\ny"\n', {"A": "x\ny"}),
        ("A='x\\ny'\n", {"A": "x\\ny"}),
        ('A="x\\"y"\n', {"A": 'x"y'}),
        ("A=$OUTER-${OUTER}\n", {"A": "o-o"}),
        ("A='$OUTER'\n", {"A": "$OUTER"}),
        ('A="$$OUTER \\$OUTER"\n', {"A": "$OUTER $OUTER"}),
        ("A=b\nB=${A}c\n", {"A": "b", "B": "bc"}),
        ("A=${NOPE:-d}${EMPTY-e}${EMPTY:-f}${OUTER:+g}${NOPE+h}\n", {"A": "dfg"}),
        ("A=${NOPE:-${OUTER}x}\n", {"A": "ox"}),
        ("A=sk-$5$\n", {"A": "sk-$5$"}),
        ("A=${NOPE:?missing}\n", None),
        ("A=${OUTER\n", None),
        ('A="x\n', None),
        ("A B=1\n", None),
        ("“A”=1\n", None),
    ],
)
def test_compose(text: str, expected: dict[str, str] | None) -> None:
    assert values(compose.read(text, OUTER)) == expected


def test_compose_names_the_line_that_it_refuses() -> None:
    reading = compose.read("A=1\n# c\nB='2\n", {})
    assert (reading.refusal, reading.refusal_line) == ("unterminated quoted value", 3)


@given(st.text())
def test_no_text_is_too_strange(text: str) -> None:
    docker.read(text, OUTER)
    compose.read(text, OUTER)
