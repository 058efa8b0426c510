"""A command line that cannot be read: what is said of it, in English and in Chinese."""

from __future__ import annotations

import argparse
import re

import pytest

from doctor import exitcodes
from doctor.arguments import Parser
from doctor.cli import COMMANDS, build_parser, main
from doctor.grammar import values

Capture = pytest.CaptureFixture[str]

_BEFORE = "kvdoctor check: "
MISTAKES: dict[tuple[str, ...], tuple[str, str]] = {
    ("check", "--modle", "x"): (
        f"{_BEFORE}--modle: unknown; did you mean --model?",
        f"{_BEFORE}--modle：没有这个选项；是否想写 --model？",
    ),
    ("check", "--max_tokens=1"): (
        f"{_BEFORE}--max_tokens: unknown; did you mean --max-tokens?",
        f"{_BEFORE}--max_tokens：没有这个选项；是否想写 --max-tokens？",
    ),
    ("check", "--proto"): (
        f"{_BEFORE}--proto: unknown; did you mean --protocol?",
        f"{_BEFORE}--proto：没有这个选项；是否想写 --protocol？",
    ),
    ("--zzz",): (f"{_BEFORE}--zzz: unknown", f"{_BEFORE}--zzz：没有这个选项"),
    ("check", "--api-key", "sk-made0up0made0up0made0up0"): (
        f"{_BEFORE}--api-key: a key on the command line can be read by others; "
        "use --key-env NAME, --key-file FILE or --key-stdin",
        f"{_BEFORE}--api-key：命令行上的密钥会被他人读到；请用 --key-env NAME、--key-file FILE 或 "
        "--key-stdin",
    ),
    ("check", "--base-url"): (
        f"{_BEFORE}--base-url needs a value: URL",
        f"{_BEFORE}--base-url 需要一个值：URL",
    ),
    ("check", "--protocol"): (
        f"{_BEFORE}--protocol needs a value: openai-chat, openai-responses, anthropic-messages",
        f"{_BEFORE}--protocol 需要一个值：openai-chat、openai-responses、anthropic-messages",
    ),
    ("check", "--plain=yes"): (
        f"{_BEFORE}--plain takes no value; yes was given",
        f"{_BEFORE}--plain 不带值；给了 yes",
    ),
    ("check", "--key-env", "A", "--key-stdin"): (
        f"{_BEFORE}--key-stdin and --key-env exclude each other: give one",
        f"{_BEFORE}--key-stdin 和 --key-env 不能同时使用：只给一个",
    ),
    ("check", "--max-tokens", "many"): (
        f"{_BEFORE}--max-tokens: a whole number, not many",
        f"{_BEFORE}--max-tokens：应为整数，而不是 many",
    ),
    ("check", "--timeout", "0"): (
        f"{_BEFORE}--timeout: more than 0 and at most 3600 seconds, not 0",
        f"{_BEFORE}--timeout：大于 0，且不超过 3600 秒，而不是 0",
    ),
    ("bench", "--shared", "2"): (
        "kvdoctor bench: --shared: from 0 to 1, not 2",
        "kvdoctor bench: --shared：在 0 到 1 之间，而不是 2",
    ),
    ("watch", "--count", "-1"): (
        "kvdoctor watch: --count: at least 1, not -1",
        "kvdoctor watch: --count：至少为 1，而不是 -1",
    ),
    ("demo", "--format", "jsno"): (
        "kvdoctor demo: --format: jsno is unknown; did you mean json? Known: plain, rich, json, "
        "jsonl, junit, sarif, github, markdown, html",
        "kvdoctor demo: --format：没有 jsno；是否想写 json？可用：plain、rich、json、jsonl、junit、"
        "sarif、github、markdown、html",
    ),
    ("rule",): ("kvdoctor rule: CODE is missing", "kvdoctor rule: 缺少 CODE"),
    ("rule", "KVD102", "KVD103"): (
        "kvdoctor rule: not expected here: KVD103",
        "kvdoctor rule: 多余的词：KVD103",
    ),
    ("chekc",): (
        f"kvdoctor: chekc: no such command; did you mean check? Commands: {', '.join(COMMANDS)}",
        f"kvdoctor: chekc：没有这个命令；是否想写 check？命令有：{'、'.join(COMMANDS)}",
    ),
    ("https://gateway.example/v1",): (
        "kvdoctor: https://gateway.example/v1: no command, but a target: kvdoctor check "
        f"https://gateway.example/v1. Commands: {', '.join(COMMANDS)}",
        "kvdoctor: https://gateway.example/v1 不是命令，而是目标：kvdoctor check "
        f"https://gateway.example/v1。命令有：{'、'.join(COMMANDS)}",
    ),
}


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("LC_ALL", "LC_MESSAGES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LANG", "en_US.UTF-8")


def said(capsys: Capture, *typed: str) -> list[str]:
    """The lines on stderr; on stdout there is nothing, and the exit code is that of usage."""
    with pytest.raises(SystemExit) as ended:
        main(typed)
    told = capsys.readouterr()
    assert (ended.value.code, told.out) == (exitcodes.USAGE, "")
    return told.err.splitlines()


@pytest.mark.parametrize("typed", MISTAKES, ids=" ".join)
def test_what_is_said(
    typed: tuple[str, ...], capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    english, chinese = MISTAKES[typed]
    program = english.partition(":")[0]

    assert said(capsys, *typed) == [english, f"More: {program} --help"]
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    assert said(capsys, *typed) == [chinese, f"更多：{program} --help"]


def test_the_language_may_stand_on_the_line_itself(capsys: Capture) -> None:
    assert said(capsys, "check", "--modle", "--lang", "zh")[0].endswith("是否想写 --model？")
    assert said(capsys, "chekc", "--lang=zh")[-1] == "更多：kvdoctor --help"
    # Behind -- stands another program's.
    assert said(capsys, "tap", "--modle", "--", "x", "--lang", "zh")[-1].startswith("More")


def test_several_unknown_options_are_told_of_each(capsys: Capture) -> None:
    told = said(capsys, "check", "--offlin", "--zzz=1", "--offlin")
    assert told[:-1] == [
        f"{_BEFORE}--offlin: unknown; did you mean --offline?",
        f"{_BEFORE}--zzz: unknown",
    ]


def test_what_is_typed_steers_no_terminal(capsys: Capture) -> None:
    told = said(capsys, "check", "--mo\x1b[31mdel", "--format", "js\x1b[31mon\n::error::x")
    assert "\x1b" not in "".join(told)
    assert len(told) == 2
    assert not any(line.startswith("::") for line in told)


@pytest.mark.parametrize("command", COMMANDS)
def test_every_value_is_refused_in_words_of_our_own(command: str) -> None:
    """argparse itself would say "invalid int value"."""
    parsers = next(
        action
        for action in build_parser(command)._actions
        if isinstance(action, argparse._SubParsersAction)
    )
    types = {action.type for action in parsers.choices[command]._actions if action.type}
    assert types <= {vars(values)[getattr(one, "__name__", "")] for one in types}


def test_a_sentence_of_another_python_is_passed_on(capsys: Capture) -> None:
    with pytest.raises(SystemExit):
        Parser(prog="x").error("something that was never said before")
    assert capsys.readouterr().err == "x: something that was never said before\nMore: x --help\n"


def test_both_spellings_of_the_choices_are_read(capsys: Capture) -> None:
    """3.11 quotes them, 3.12 and later do not, 3.14 may add the nearest by itself."""
    from doctor.grammar.mistakes import of_argument

    parser = Parser(prog="x")
    action = parser.add_argument("--format", choices=("plain", "json"))
    for sentence in (
        "invalid choice: 'jsno' (choose from 'plain', 'json')",
        "invalid choice: 'jsno' (choose from plain, json)",
        "invalid choice: 'jsno', maybe you meant 'json'? (choose from plain, json)",
    ):
        told = of_argument(parser, argparse.ArgumentError(action, sentence))
        assert told == "--format: jsno is unknown; did you mean json? Known: plain, json"


def test_what_no_command_asks_for_yet(capsys: Capture) -> None:
    parser = Parser(prog="x")
    group = parser.add_mutually_exclusive_group(required=True)
    group.add_argument("--one")
    group.add_argument("--two")
    with pytest.raises(SystemExit):
        parser.parse_args([])
    shown = capsys.readouterr().err
    assert re.match(r"x: one of these is missing: --one, --two\n", shown)
