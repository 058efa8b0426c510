"""Words, and the pieces of which they are made, against other readers of the same text."""

from __future__ import annotations

import shlex
import shutil
import subprocess

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from doctor.shellwords.commands import Commands
from doctor.shellwords.model import (
    Comment,
    Kind,
    Operator,
    Piece,
    Redirection,
    Token,
    Trouble,
    Word,
)
from doctor.shellwords.tokens import Tokens

BASH = shutil.which("bash")
# What shlex and shells agree on: no expansions, operators, comments and line ends, and nothing
# but a character behind a backslash.
PLAIN = st.text("abcXYZ019-_.,:/?=%+@{}[]!é名 \t'\"\\", max_size=24).map(
    lambda text: text.rstrip("\\")
)
PIECES = st.sampled_from(
    [
        *("a", "B=", "C+=", " ", "\t", "\n", "'", '"', "\\", "\\\n", "#", "$", "$A", "${A:-", "}"),
        *("$(", ")", "(", "`", "$'", '$"', "~", ":~/", ";", "&", "&&", "|", "<", ">", "<<E", "E\n"),
        *("2>", "if ", "then ", "fi", "case x in ", "esac", ";;", "{ ", "f()", "[[ ", "<(", "$(("),
        *("\r", "\u00a0", "é", "\ud800"),
    ]
)
TEXTS = st.one_of(st.text(max_size=60), st.lists(PIECES, max_size=30).map("".join))


def tokens_of(text: str, *, extended: bool = False) -> list[Token]:
    tokens = Tokens(text, extended=extended)
    found = []
    while (token := tokens.token()) is not None:
        found.append(token)
    return found


def words_of(text: str) -> list[str | None]:
    return [token.text for token in tokens_of(text) if isinstance(token, Word)]


@given(PLAIN)
@example("a'b c'\"d e\"f\\ g")
@example("'' \"\"")
@settings(max_examples=500)
def test_plain_words_are_those_of_shlex(text: str) -> None:
    tokens = Tokens(text)
    found = []
    while isinstance(token := tokens.token(), Word):
        found.append(token.text)

    try:
        expected = shlex.split(text)
    except ValueError:
        assert tokens.fault is not None
        assert tokens.fault.trouble is Trouble.QUOTE
        return
    assert tokens.fault is None
    assert found == expected


@pytest.mark.skipif(BASH is None, reason="bash is not installed")
@given(st.lists(st.one_of(PLAIN, st.sampled_from(["\\\n", "$'", "\\n", "\\x41", "$", "' "]))))
@example(["$'a\\tb\\u00e9\\x41\\101\\cA'"])
@example(["$", "\\\n", "$"])
@example(["$", "["])
@example(["$", "[1]"])
@settings(max_examples=60, deadline=None)
def test_words_without_expansions_are_those_of_bash(parts: list[str]) -> None:
    text = "".join(parts)
    tokens = Tokens(text, extended=True)
    words = []
    while isinstance(token := tokens.token(), Word):
        words.append(token)
    if tokens.fault is not None or any(word.text is None for word in words):
        return

    done = subprocess.run(
        [str(BASH), "--norc", "-c", f"set -f +B; printf '%s\\0' _ {text}\n"],
        env={"PATH": "/nonexistent", "LC_ALL": "C.UTF-8"},
        capture_output=True,
        check=True,
    )

    real = done.stdout.decode("utf-8", "surrogateescape").split("\0")
    assert real == ["_", *(word.text for word in words), ""]


def joined_exactly(pieces: tuple[Piece, ...], start: int, end: int) -> bool:
    """Whether the pieces stand side by side from ``start`` to ``end``."""
    places = [start, *(place for piece in pieces for place in (piece.start, piece.end)), end]
    return places[::2] == places[1::2] and places == sorted(places)


@given(TEXTS, st.booleans())
@settings(max_examples=500)
def test_every_place_leads_back_to_the_text(text: str, extended: bool) -> None:
    position = 0
    for token in tokens_of(text, extended=extended):
        assert position <= token.start < token.end <= len(text)
        position = token.end
        match token:
            case Word():
                assert joined_exactly(token.pieces, token.start, token.end)
                for piece in token.pieces:
                    check_text(piece, text[piece.start : piece.end])
            case Operator():
                assert text[token.start : token.end] == token.text
            case Comment():
                assert text[token.start] == "#"
                assert "\n" not in text[token.start : token.end]
            case Redirection():
                assert token.operator in text[token.start : token.end]


def check_text(piece: Piece, written: str) -> None:
    """What a piece stands for is what is written, less what quotes it."""
    match piece.kind:
        case Kind.LITERAL | Kind.ASSIGNMENT:
            assert piece.text == written
        case Kind.ESCAPED:
            assert piece.text == (written[1:] or "\\")
        case Kind.SINGLE:
            assert piece.text == (written[1:-1] if piece.closed else written[1:])
        case Kind.DOUBLE:
            assert joined_exactly(piece.inner, piece.start + 1, piece.end - piece.closed)
        case Kind.CONTINUATION:
            assert (written, piece.text) == ("\\\n", "")
        case Kind.ANSI:
            assert (piece.text is None) is not piece.closed
        case _:
            assert piece.text is None


@given(TEXTS, st.booleans())
@example("$(" * 3_000, True)
@example('"$(' * 3_000, True)
@example('"${' * 3_000, False)
@example("( " * 3_000, True)
@example("<(" * 3_000, True)
@example("$((" * 3_000, True)
@example("a=(" * 3_000, True)
@example("{ " * 3_000, False)
@example("case x in " * 3_000, False)
@example("<<a" * 3_000, True)
@settings(max_examples=500)
def test_no_text_is_too_odd(text: str, extended: bool) -> None:
    tokens = Tokens(text, extended=extended)

    for command in Commands(tokens).read():
        assert 0 <= command.stop <= len(text)

    assert tokens.position == len(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a b", ["a", "b"]),
        ("a'b c'\"d\"\\ e", ["ab cd e"]),
        ("a#b # c", ["a#b"]),
        ("a\\\nb", ["ab"]),
        ('"a\\\nb\\"c\\d"', ['ab"c\\d']),
        ("a$", ["a$"]),
        ("$A a$(b) '$A' ~/x A=~ A=b:~/c a~", [None, None, "$A", None, None, None, "a~"]),
        ("$(case x in x) a;; esac) b", [None, "b"]),
        ('${A:-"}"} \'', [None, ""]),
        ("`a \\` b` c", [None, "c"]),
        ("$(echo ')' # )\n) b", [None, "b"]),
    ],
)
def test_what_words_stand_for(text: str, expected: list[str | None]) -> None:
    assert words_of(text) == expected


def test_an_assignment_knows_its_name_and_its_value() -> None:
    (word,) = tokens_of("A_1='b c'\"$D\"")

    assert isinstance(word, Word)
    assert (word.name, word.value_start, word.value) == ("A_1", 4, None)
    assert [piece.kind for piece in word.pieces] == [Kind.ASSIGNMENT, Kind.SINGLE, Kind.DOUBLE]


def test_the_text_of_a_here_document_is_passed_over() -> None:
    found = tokens_of("a <<'E' >b\n$( '\nE\nc")

    assert [type(token).__name__ for token in found] == [
        *("Word", "Redirection", "Redirection", "Operator", "Word")
    ]


@pytest.mark.parametrize(
    ("text", "trouble", "at"),
    [
        ("a 'b", Trouble.QUOTE, 2),
        ('a "b', Trouble.QUOTE, 2),
        ("a $(b", Trouble.BRACKET, 2),
        ("a ${b", Trouble.BRACE, 2),
        ("a `b", Trouble.BACKQUOTE, 2),
        ("a <<E\nb", Trouble.HERE_DOCUMENT, 6),
        ("a )", Trouble.STRAY, 2),
        ("a=1; fi", Trouble.STRAY, 5),
        ("[[ a", Trouble.TEST, 0),
        ("case a in b", Trouble.CASE, 11),
    ],
)
def test_what_does_not_end_is_told(text: str, trouble: Trouble, at: int) -> None:
    tokens = Tokens(text)

    list(Commands(tokens).read())

    assert tokens.fault is not None
    assert (tokens.fault.trouble, tokens.fault.at) == (trouble, at)
