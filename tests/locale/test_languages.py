"""Which language is chosen, and what a reader of Chinese sees."""

from __future__ import annotations

import json
import os

import pytest

from doctor.cli import main
from doctor.docpages import sections
from doctor.language import chosen
from doctor.text import Text, Translator, _, joined, listed, stacked

pytestmark = pytest.mark.usefixtures("bare")


@pytest.fixture
def bare(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LC_ALL", "LC_MESSAGES", "LANG", "LANGUAGE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "100")


@pytest.mark.parametrize(
    ("flag", "language"),
    [
        ("zh_CN", "zh_CN"),
        ("zh-CN", "zh_CN"),
        ("zh", "zh_CN"),
        ("zh-Hans", "zh_CN"),
        ("zh_TW", "en"),
        ("en", "en"),
        ("xx", "en"),
        ("../../etc", "en"),
    ],
)
def test_the_flag(flag: str, language: str) -> None:
    assert chosen(flag) == language


def test_the_locale_decides_where_no_flag_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    assert chosen(None) == "zh_CN"
    assert chosen("en") == "en"
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    assert chosen(None) == "en"


def test_sentences_are_joined_without_blanks_in_chinese() -> None:
    text = joined(_("The answer is {status}.", status=404), _("The answer has no text."))
    assert text == "The answer is 404. The answer has no text."
    assert Translator("zh_CN")(text) == "应答是 404。应答没有文本。"


def test_items_are_listed_as_the_language_does() -> None:
    items = listed([_("model"), "gpt-x", _("key")])
    assert items == "model, gpt-x, key"
    assert Translator("zh_CN")(items) == "模型、gpt-x、密钥"


def test_a_message_survives_an_exception_and_an_empty_line() -> None:
    error = ValueError(_("not reached"))
    assert Translator("zh_CN")(stacked([str(error), "", "x"])) == "未到达\n\nx"


def test_what_is_not_translated_stays_english() -> None:
    zh = Translator("zh_CN")
    assert zh(Text("Nobody has translated this {name}.", name="x")) == (
        "Nobody has translated this x."
    )
    assert zh(Text("")) == ""


def test_help(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["check", "--lang", "zh_CN", "--help"])
    shown = capsys.readouterr().out
    assert "诊断连接并证实修复方案。" in shown
    assert shown.startswith("用法：kvdoctor check")
    with pytest.raises(SystemExit):
        main(["check", "--help"])
    assert "Diagnose the connection and prove the repair." in capsys.readouterr().out


def test_a_rule_page(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", "KVD102", "--lang", "zh"]) == 0
    shown = capsys.readouterr().out
    assert "如何修复：写密钥时去掉所指出的字符。" in shown
    assert "How to fix" not in shown
    assert main(["rule", "KVD102"]) == 0
    assert "How to fix: write the key without" in capsys.readouterr().out


def test_machine_formats_are_english(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    assert os.environ["LANG"] == "zh_CN.UTF-8"
    main(["launch", "--format", "json", "--", "vllm", "serve", "m", "--swap-space", "4"])
    shown = capsys.readouterr().out
    assert json.loads(shown)["findings"]
    assert shown.isascii() or "自" not in shown


def test_a_launch_line_is_judged_in_chinese(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    main(["launch", "--plain", "--", "vllm", "serve", "m", "--swap-space", "4"])
    shown = capsys.readouterr().out
    assert "--swap-space 自 vLLM 0.18.0 起已移除  (错误)" in shown


def test_the_parts_of_a_docstring() -> None:
    doc = "Opening.\n\n    What it checks: this,\n    and that.\n\n    ## How to fix\n    So."
    found = sections(doc)
    assert [(one.heading, one.mark, one.text) for one in found] == [
        ("", "", "Opening."),
        ("What it checks", "", "this, and that."),
        ("How to fix", "## ", "So."),
    ]


def test_a_mistake_is_told_in_chinese(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["rule", "KVD999", "--lang", "zh_CN"]) == 2
    assert "KVD999：没有这个检查项" in capsys.readouterr().err
