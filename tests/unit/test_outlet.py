"""What reaches a stream orders nothing and can be encoded."""

from __future__ import annotations

import io
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doctor.render.outlet import Outlet, inert

_ORDER = re.compile(r"(?m)^[ \t]*::[A-Za-z][\w-]*(?:[ ,][^\n]*)?::|##[A-Za-z]*\[")
TEXTS = st.lists(
    st.sampled_from(
        ["::", ":", "error", "error file=x", " ", "\n", "##", "#", "[", "vso", "]", "x"]
    ),
    max_size=30,
).map("".join)


@pytest.mark.parametrize(
    ("order", "shown"),
    [
        ("::error file=a.py::x", r"\u003a:error file=a.py::x"),
        ("  ::stop-commands::x", r"  \u003a:stop-commands::x"),
        ("said:\n::add-mask::x\n", "said:\n\\u003a:add-mask::x\n"),
        ("\x1b[36m::warning::x", "\x1b[36m\\u003a:warning::x"),
        ("x ##[error]y", r"x ##\u005berror]y"),
        ("##vso[task.setvariable variable=a]b", r"##vso\u005btask.setvariable variable=a]b"),
    ],
)
def test_an_order_is_spelled_out(order: str, shown: str) -> None:
    assert inert(order) == shown


@pytest.mark.parametrize(
    "text",
    ["::1 port 8000", "torch::jit::script", "a ::b:: c", "## heading", "x[0] ## y", "std::vector"],
)
def test_what_is_none_stays(text: str) -> None:
    assert inert(text) == text


@given(TEXTS)
def test_nothing_is_left_that_a_build_server_obeys(text: str) -> None:
    assert _ORDER.search(inert(text)) is None


@given(TEXTS)
def test_json_stays_the_same_json(text: str) -> None:
    value = {"a": text, text: [text]}
    assert json.loads(inert(json.dumps(value, indent=1))) == value


@given(st.lists(TEXTS, max_size=6))
def test_nor_where_it_is_written_in_pieces(parts: list[str]) -> None:
    stream = io.StringIO()
    outlet = Outlet(stream)
    for part in parts:
        outlet.write(f"{part}\n")
    assert _ORDER.search(stream.getvalue()) is None


def test_a_line_that_is_continued_is_not_begun_anew() -> None:
    stream = io.StringIO()
    outlet = Outlet(stream)
    outlet.write("torch")
    outlet.write("::jit::script")
    assert stream.getvalue() == "torch::jit::script"


def test_what_the_encoding_lacks_is_spelled_out() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, "ascii")
    Outlet(stream).write("é \ud800 错")
    stream.flush()
    assert raw.getvalue() == b"\\xe9 \\ud800 \\u9519"
