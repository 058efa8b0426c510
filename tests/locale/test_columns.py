"""Columns: a Chinese character takes two, and lines break where Chinese lines may."""

from __future__ import annotations

import textwrap

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from doctor.cli import main
from doctor.columns import columns, left, right, wrapped

_MIXED = st.text(alphabet="密钥以换行结尾，。（）“”base URL 缺少 /v1 x", min_size=1, max_size=200)


def test_chinese_takes_two_columns() -> None:
    assert columns("KV 缓存") == 7
    assert columns("e\u0301") == 1
    assert left("网关", 6) + "|" == "网关  |"
    assert right("抢占", 7) == "   抢占"


def test_a_line_does_not_begin_with_a_comma_or_end_with_a_bracket() -> None:
    assert wrapped("密钥以换行，结尾", 10) == ["密钥以换", "行，结尾"]
    assert wrapped("密钥以（换行）", 8) == ["密钥以", "（换行）"]


def test_words_and_addresses_stay_whole() -> None:
    text = "把 base URL 设为 http://127.0.0.1:8000/v1 即可"
    assert wrapped(text, 20) == ["把 base URL 设为", "http://127.0.0.1:8000/v1", "即可"]


def test_further_lines_hang() -> None:
    assert wrapped("代理没有运行", 10, "1. ", "   ") == ["1. 代理没", "   有运行"]


@given(_MIXED, st.integers(min_value=12, max_value=60))
def test_no_line_is_too_wide_and_nothing_is_lost(text: str, width: int) -> None:
    lines = wrapped(text, width)
    assert "".join("".join(lines).split()) == "".join(text.split())
    for line in lines:
        # What may not be parted, a word or a run of punctuation, may stand out alone.
        assert cell_len(line) <= width or len(wrapped(line, 1)) == 1


@given(st.text(alphabet="ab c-d/e", max_size=120), st.integers(min_value=1, max_value=40))
def test_english_is_wrapped_as_ever(text: str, width: int) -> None:
    plain = textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)
    assert wrapped(text, width) == plain


@pytest.mark.parametrize(
    "typed",
    [("demo", "--list"), ("explain", "Error code: 401"), ("checklist", "--list")],
    ids=" ".join,
)
def test_paragraphs_are_as_wide_as_the_terminal(
    typed: tuple[str, ...], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "76")
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    main(typed)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(cell_len, lines)) <= 76
