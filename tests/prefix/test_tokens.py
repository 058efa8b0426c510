"""Exact tokens from a model's own tokenizer and chat template."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from doctor.prefix.analyse import analyse
from doctor.prefix.player import Engine
from doctor.prefix.result import Analysis
from doctor.prefix.tokens import LocalTokens, NoTokenizer

from .requests import RULES, as_lines, chat

LOOP = "{% for m in messages %}{{ m['role'] }} {{ m['content'] }} {% endfor %}"


def model(folder: Path, template: str) -> Path:
    """A tokenizer whose tokens are words, and a chat template."""
    library = pytest.importorskip("tokenizers")
    pytest.importorskip("jinja2")
    made = library.Tokenizer(library.models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))
    made.pre_tokenizer = library.pre_tokenizers.Whitespace()
    made.save(str(folder / "tokenizer.json"))
    (folder / "tokenizer_config.json").write_text(json.dumps({"chat_template": template}))
    return folder


def exact(folder: Path, records: list[dict[str, Any]]) -> Analysis:
    engine = Engine(per_token=1)
    return analyse(as_lines(records), engine, tokens=LocalTokens(folder))


def test_a_template_that_asks_for_the_date_gets_it(tmp_path: Path) -> None:
    folder = model(tmp_path, "{{ strftime_now('%Y') }} " + LOOP)
    (ids,) = [LocalTokens(folder).of(chat("a b", "c"))]
    assert len(ids) == 1 + 3 + 2


def test_a_request_that_the_template_refuses_is_passed_by(tmp_path: Path) -> None:
    strict = "{% if messages|length < 2 %}{{ raise_exception('two, please') }}{% endif %}" + LOOP
    folder = model(tmp_path, strict)
    good = [chat(RULES, f"question {n}") for n in range(4)]
    bad = {"model": "shop-8b", "messages": [{"role": "user", "content": "alone"}]}

    analysis = exact(folder, [*good, bad])
    assert (analysis.requests, analysis.unread.lines) == (4, 1)
    assert "two, please" in analysis.unread.first
    assert analysis.exact
    assert analysis.prompt_tokens == sum(len(LocalTokens(folder).of(request)) for request in good)


@pytest.mark.parametrize("content", ["", "[]", '{"chat_template": 3}', "{"])
def test_a_model_without_a_template_is_named(tmp_path: Path, content: str) -> None:
    folder = model(tmp_path, LOOP)
    (folder / "tokenizer_config.json").write_text(content)
    with pytest.raises(NoTokenizer, match="no chat template"):
        LocalTokens(folder)


def test_no_tokenizer_there(tmp_path: Path) -> None:
    pytest.importorskip("tokenizers")
    with pytest.raises(NoTokenizer, match=r"tokenizer\.json: no such file"):
        LocalTokens(tmp_path)
