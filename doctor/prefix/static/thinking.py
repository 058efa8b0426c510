"""Chat templates that write an earlier turn otherwise than it was generated: without its thinking.

The conditions are those of the models' own templates, as they stand in public copies: Qwen3 to 3.8
(``last_query_index``, ``preserve_thinking``), GLM-4.5 to 5.3 and MiniMax-M2 (``last_user_index``,
``clear_thinking``), Gemma 4 and Nemotron 3 (``last_user_idx``, ``truncate_history_thinking``),
DeepSeek-V4 (``last_user_idx.value``), DeepSeek-R1 (everything up to ``</think>`` is split off).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from doctor.prefix.kinds import Kind

# Of turns before the last user message; of every earlier turn.
BEFORE_LAST = Kind("KVD712", "thinking before the last user")
OF_ALL = Kind("KVD712", "thinking of every turn")

_STATEMENT = re.compile(r"\{%[-+]?\s*(?P<word>if|elif|set)\b(?P<said>.*?)[-+]?%\}", re.DOTALL)
_PLACE = re.compile(
    r"loop\.index0?\s*(?P<sign>[<>])=?\s*(?:\w+\.)?last_(?:user|query)\w*(?:\.\w+)?"
)
# Also under a name of the template's own, with an underscore in front.
_KNOB = re.compile(
    r"\b_*((?:preserve|keep|retain|clear|truncate|drop|strip)\w*_(?:thinking|reasoning))\b"
)
_ABOUT = re.compile(r"think|reason", re.IGNORECASE)
_NEAR = 400  # characters behind a condition in which it shows what it is about
_SPLIT_OFF = re.compile(r"split\(\s*(['\"])</think>\1\s*\)\s*\[\s*-1\s*\]")
_SPLIT_OUT = re.compile(r"split\(\s*(['\"])</think>\1\s*\)\s*\[\s*0\s*\]")


@dataclass(frozen=True, slots=True)
class Drop:
    """``at`` is where in the template it is decided, ``knob`` what a request sets to keep the
    thinking ("preserve_thinking=true"), "" where nothing does. ``sure`` is false where the
    condition lets turns through for another reason as well."""

    kind: Kind
    at: int
    text: str
    knob: str = ""
    sure: bool = True


def dropped(template: str) -> Drop | None:
    """Where ``template`` leaves thinking out of earlier turns, unless a request asks for it."""
    for statement in _STATEMENT.finditer(template):
        said = statement["said"]
        if statement["word"] == "set":
            said = said.partition("=")[2]
        place = _PLACE.search(said)
        behind = template[statement.end() : statement.end() + _NEAR]
        if place is None or not _ABOUT.search(statement.group() + behind):
            continue
        match = _KNOB.search(said)
        if match is None:
            sure = not re.search(r"\bor\b", said)
            return Drop(BEFORE_LAST, statement.start(), place.group(), sure=sure)
        if _keeps(template, said, match[1], place["sign"]):
            return None
        held = _held(said, match[1], place["sign"])
        return Drop(BEFORE_LAST, statement.start(), place.group(), held)
    split = _SPLIT_OFF.search(template)
    if split is not None and "reasoning" not in template and not _SPLIT_OUT.search(template):
        return Drop(OF_ALL, split.start(), split.group())
    return None


def _keeps(template: str, said: str, knob: str, sign: str) -> bool:
    """Whether thinking is kept where a request does not say anything, or may be for all that can
    be told."""
    default = _default(template, knob)
    if default is None and re.search(rf"\bset\s+_*{knob}\s*=", template):
        return True
    if sign == "<":
        return not default  # dropped if the knob says so
    if re.search(rf"\b_*{knob}\s+is\s+(?:undefined|not\s+defined)", said):
        return default is not False
    if default is None and re.search(rf"\b_*{knob}\s+is\s+defined\s+and\b", said):
        return False
    return not default if _negated(said, knob) else bool(default)


def _default(template: str, knob: str) -> bool | None:
    """What the template sets it to by itself; None: nothing that is seen, so it counts as false."""
    for pattern in (
        rf"\b{knob}\s+is\s+defined\s+else\s+(true|false)\b",
        rf"\b{knob}\s*\|\s*default\(\s*(true|false)\b",
        rf"\bnot\s+{knob}\s+is\s+defined\s*-?%\}}\s*\{{%-?\s*set\s+{knob}\s*=\s*(true|false)\b",
        rf"\b{knob}\s+is\s+(?:undefined|not\s+defined)\s*-?%\}}\s*\{{%-?\s*set\s+{knob}\s*=\s*"
        r"(true|false)\b",
    ):
        match = re.search(pattern, template, re.IGNORECASE)
        if match is not None:
            return match[1].lower() == "true"
    return None


def _held(said: str, knob: str, sign: str) -> str:
    return f"{knob}={'false' if sign == '<' or _negated(said, knob) else 'true'}"


def _negated(said: str, knob: str) -> bool:
    return re.search(rf"\bnot\s+_*{knob}\b", said) is not None
