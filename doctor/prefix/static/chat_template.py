"""Chat templates that write the date or the time into every prompt (facts/vllm.md §6), or earlier
turns otherwise than they were generated.

``strftime_now`` is what the engine gives to a template for the date. A template that asks whether a
name is defined before it sets the date takes the date from whoever sends the request.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from doctor.prefix.kinds import Kind
from doctor.prefix.static.python_source import SourceSpot
from doctor.prefix.static.thinking import dropped

DATE = Kind("KVD711", "date")
TIME = Kind("KVD711", "time")

CONFIG = "tokenizer_config.json"
# As models' own folders name it.
TEMPLATE_FILES = ("chat_template.jinja", "chat_template.jinja2")

_CALL = re.compile(r"\bstrftime_now\(\s*(?:(['\"])(?P<format>.*?)\1)?[^)\n]*\)")
_SET = re.compile(r"\bset\s+(\w+)\s*=\s*$")
_COMMENT = re.compile(r"\{#.*?#\}", re.DOTALL)
_OF_A_DAY = re.compile(r"%[-#]?[HIMSpfsXcTR]")


def is_chat_template(text: str) -> bool:
    """Whether a Jinja template is one that engines make prompts of messages with."""
    return "messages" in text and ("add_generation_prompt" in text or "['role']" in text)


def scan_chat_template(text: str) -> list[SourceSpot]:
    """Each place where the date or the time is written, and where thinking is left out."""
    return list(_spots(text, 1))


def scan_config(text: str) -> list[SourceSpot]:
    """The same for the template within a ``tokenizer_config.json``; lines are those of the file.

    Never raises: what is no such file has no spots.
    """
    try:
        held = json.loads(text)
    except (ValueError, RecursionError):
        return []
    template = held.get("chat_template") if isinstance(held, dict) else None
    several = template if isinstance(template, list) else [{"template": template}]
    at = text.find('"chat_template"')
    line = text.count("\n", 0, at) + 1 if at >= 0 else 1
    return [
        spot
        for one in several
        if isinstance(one, dict) and isinstance(one.get("template"), str)
        for spot in _spots(one["template"], line, one_line=True)
    ]


def _spots(text: str, first: int, *, one_line: bool = False) -> Iterator[SourceSpot]:
    for call in _CALL.finditer(text):
        if _asks_only(text, call):
            continue
        line = first if one_line else first + text.count("\n", 0, call.start())
        kind = TIME if _OF_A_DAY.search(call["format"] or "%c") else DATE
        yield SourceSpot(kind, line, line, call.group()[:80], pin=_pin(text, call))
    drop = dropped(_COMMENT.sub(_blanked, text))
    if drop is not None:
        line = first if one_line else first + text.count("\n", 0, drop.at)
        yield SourceSpot(drop.kind, line, line, drop.text[:80], guess=not drop.sure, pin=drop.knob)


def _blanked(comment: re.Match[str]) -> str:
    """As long as it was, with its line ends."""
    return re.sub(r"[^\n]", " ", comment.group())


def _asks_only(text: str, call: re.Match[str]) -> bool:
    """A comment of the template."""
    opened = text.rfind("{#", 0, call.start())
    return opened >= 0 and text.find("#}", opened, call.start()) < 0


def _pin(text: str, call: re.Match[str]) -> str:
    """The variable with which a request sets the date itself, "" where there is none."""
    line = text.rfind("{%", 0, call.start())
    named = _SET.search(text[max(line, 0) : call.start()])
    if named is None:
        return ""
    name = named.group(1)
    asked = re.compile(rf"\bnot\s+{name}\s+is\s+defined|\b{name}\s+is\s+(?:not\s+|un)defined")
    return name if asked.search(text) else ""
