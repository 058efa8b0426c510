"""The Chinese catalogue is whole, says the same, and is the one that the program reads."""

from __future__ import annotations

import re
import string
from collections import Counter
from pathlib import Path
from types import ModuleType

from doctor.text import LOCALE_DIR

PO = LOCALE_DIR / "zh_CN" / "LC_MESSAGES" / "kvdoctor.po"

# Kept as they are in every language: codes, flags of programs, variables and code in backquotes.
_KEPT = re.compile(r"KVD\d{3}|(?<![\w-])--[a-z][a-z0-9-]{3,}|\b[A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+\b")
_CODE = re.compile(r"`[^`]+`")


def _fields(text: str) -> list[tuple[str, str, str]]:
    return sorted(
        (name, form or "", conversion or "")
        for _text, name, form, conversion in string.Formatter().parse(text)
        if name is not None
    )


def _is_documentation(places: list[str], message: str) -> bool:
    """A check's docstring is shown as it is, so its braces are no parameters."""
    return places[0].startswith("checks/") and ("`" in message or "{" not in message)


# Files with messages that are shown in English for now, and how many each has. A number only
# shrinks, and a file whose messages are all translated leaves.
_OPEN: dict[str, int] = {}


def test_every_message_is_translated(
    sources: dict[str, list[str]], chinese: dict[str, str]
) -> None:
    missing = [(places[0], m) for m, places in sources.items() if m not in chinese]
    found = Counter(place for place, _message in missing)
    listed = [f"{place}: {m}" for place, m in missing if place not in _OPEN]
    assert listed == [], "python scripts/messages.py takes them in; then translate them"
    assert found == _OPEN


def test_parameters_are_the_same(sources: dict[str, list[str]], chinese: dict[str, str]) -> None:
    wrong = {
        message: chinese[message]
        for message, places in sources.items()
        if message in chinese and not _is_documentation(places, message)
        if "{" in message + chinese[message]
        if _fields(message) != _fields(chinese[message])
    }
    assert wrong == {}


def test_codes_flags_and_variables_are_kept(
    sources: dict[str, list[str]], chinese: dict[str, str]
) -> None:
    wrong = {
        message: chinese[message]
        for message in sources.keys() & chinese.keys()
        if set(_KEPT.findall(message)) != set(_KEPT.findall(chinese[message]))
        or set(_CODE.findall(message)) != set(_CODE.findall(chinese[message]))
    }
    assert wrong == {}


def test_no_english_sentence_is_left(
    sources: dict[str, list[str]], chinese: dict[str, str]
) -> None:
    """Three words of English in a row stand in quotes, or are a name, or a line to type."""
    left = [
        message
        for message in sources.keys() & chinese.keys()
        if chinese[message] == message and len(re.findall(r"\b[a-z]{2,}\b", message)) > 3
    ]
    assert left == []


def test_what_is_read_is_what_was_translated(script: ModuleType, chinese: dict[str, str]) -> None:
    told = script.read_po(PO)
    assert {key: text for key, text in told.items() if key and text} == chinese
    assert PO.with_suffix(".mo").read_bytes() == script.mo_bytes(told)


def test_no_translation_outlives_its_message(
    script: ModuleType, sources: dict[str, list[str]]
) -> None:
    assert set(script.read_po(PO)) - {""} - set(sources) == set(), "python scripts/messages.py"


def test_a_catalogue_is_read_back_as_it_was_written(script: ModuleType, tmp_path: Path) -> None:
    (tmp_path / "odd.po").write_text(
        '# a comment\nmsgid ""\nmsgstr ""\n"Language: xx\\n"\n\n'
        'msgid "a \\"quote\\" and\\n"\n"a \\\\ backslash"\nmsgstr "一"\n"二"\n',
        encoding="utf-8",
    )
    read = script.read_po(tmp_path / "odd.po")
    assert read == {"": "Language: xx\n", 'a "quote" and\na \\ backslash': "一二"}
