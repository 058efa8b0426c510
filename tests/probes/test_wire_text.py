"""Bytes to text: events, packed bodies, harmless bodies."""

from __future__ import annotations

import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doctor.probes.body import Inflater, decoded, kept
from doctor.probes.sse import EventReader

LINE = st.text(alphabet=st.characters(blacklist_characters="\r\n", codec="utf-8"), max_size=20)


def read(data: bytes, sizes: list[int] | None = None) -> list[str]:
    """The events, whatever the pieces in which the bytes arrive."""
    reader = EventReader()
    events: list[str] = []
    position = 0
    for size in sizes or []:
        events += reader.feed(data[position : position + size])
        position += size
    return [*events, *reader.feed(data[position:]), *reader.end()]


@pytest.mark.parametrize(
    ("text", "events"),
    [
        ("data: a\n\ndata: b\n\n", ["a", "b"]),
        ("data: a\r\n\r\ndata: b\r\r", ["a", "b"]),
        ("data:a\n\n", ["a"]),
        ("data:  a\n\n", [" a"]),
        ("data: a\ndata: b\n\n", ["a\nb"]),
        (": comment\n\nevent: x\ndata: a\nid: 7\n\n", ["a"]),
        ("event: x\n\n", []),
        ("data: cut", ["cut"]),
        ("data\n\n", [""]),
        ("\ufeffdata: a\n\n", ["a"]),
        ('{"choices": []}', []),
        ("", []),
    ],
)
def test_events_are_read(text: str, events: list[str]) -> None:
    assert read(text.encode()) == events


@given(st.lists(LINE, min_size=1, max_size=6), st.lists(st.integers(1, 7), max_size=30))
def test_the_pieces_do_not_matter(lines: list[str], sizes: list[int]) -> None:
    for end in ("\n", "\r\n", "\r"):
        data = "".join(f"data: {line}{end}{end}" for line in lines).encode()
        assert read(data, sizes) == lines


@given(st.binary(max_size=400), st.lists(st.integers(1, 9), max_size=40))
def test_no_bytes_break_the_reader(data: bytes, sizes: list[int]) -> None:
    assert read(data, sizes) == read(data)


def test_an_endless_line_is_bounded() -> None:
    (event,) = read(b"data: " + b"x" * 10_000_000)
    assert len(event) < 64 * 1024


@given(st.binary(max_size=2_000), st.integers(1, 50), st.integers(1, 3_000))
def test_unpacking_is_bounded_and_right(data: bytes, piece: int, room: int) -> None:
    packed = gzip.compress(data)
    inflater = Inflater("gzip")
    out = b""
    for start in range(0, len(packed), piece):
        out += inflater.feed(packed[start : start + piece], room - len(out))
    assert out == data[:room]


@given(st.binary(max_size=200))
def test_damaged_packages_never_raise(data: bytes) -> None:
    for encoding in ("gzip", "deflate", "br", ""):
        Inflater(encoding).feed(data, 1_000)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=10),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


@given(JSON, st.sampled_from(["\t", "  ", None]))
def test_json_stays_json(value: object, indent: str | None) -> None:
    text = json.dumps(value, indent=indent).replace("\n", "\r\n")
    assert json.loads(kept(text, 100_000)) == value


@given(st.text(max_size=300))
def test_what_is_kept_steers_no_terminal(text: str) -> None:
    shown = kept(text, 1_000)
    assert all(char == "\n" or char.isprintable() for char in shown)
    assert len(shown) <= 1_000


@pytest.mark.parametrize("charset", ["", "utf-8", "nonsense", "idna", "base64", "'gbk'"])
def test_any_charset_can_be_named(charset: str) -> None:
    assert decoded(b"ok", f"text/plain; charset={charset}") == "ok"
