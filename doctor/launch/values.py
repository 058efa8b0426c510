"""Values as vLLM's own converters read them (facts/vllm.md §1.2)."""

from __future__ import annotations

import json

from doctor.patterns import Pattern
from doctor.text import _, listed

_SUFFIXED = Pattern(r"(\d+(?:\.\d+)?)([kKmMgGtT])")
_POWERS = "kmgt"
_BARE = Pattern(r"\b\d+(?:\.\d+)?[kKmMgGtT]\b")
_QUOTED = Pattern(r'("(?:[^"\\]|\\.)*")')
# Python refuses longer ones; nothing sensible is that long.
_DIGITS = 4_000


class NotAValue(ValueError):
    """The text is not of the kind; the text of the error says why, as vLLM would."""


def whole_number(text: str) -> int | None:
    """An integer with or without a suffix, −1 for ``auto``; None for anything else."""
    try:
        return suffixed(text, auto=True)
    except NotAValue:
        return None


def suffixed(text: str, *, auto: bool = False) -> int:
    """``32k`` → 32000, ``32K`` → 32768, ``1.5k`` → 1500; ``1.5K`` is refused.

    ``auto`` lets ``auto`` and ``-1`` stand for −1 (--max-model-len from 0.14.0). Raises
    ``NotAValue``.
    """
    text = text.strip()
    if auto and (text == "-1" or text.lower() == "auto"):
        return -1
    match = _SUFFIXED.fullmatch(text)
    if match is None:
        return plain_integer(text)
    number, suffix = match.groups()
    power = _POWERS.index(suffix.lower()) + 1
    if suffix.islower():
        return int(float(number) * 1000**power)
    if "." in number:
        raise NotAValue(
            _(
                "no fraction with {suffix}; {number}{small} is one of 1000s",
                suffix=suffix,
                number=number,
                small=suffix.lower(),
            )
        )
    scale: int = 1024**power
    return int(number) * scale


def plain_integer(text: str) -> int:
    if len(text) > _DIGITS:
        raise NotAValue(_("too long for a number"))
    try:
        return int(text)
    except ValueError:
        raise NotAValue(_("not an integer")) from None


def parsed_json(text: str, *, suffixes: bool = True) -> object:
    """JSON in which bare numbers may have suffixes, as vLLM's configs allow."""
    if suffixes:
        parts = _QUOTED.split(text)
        for index in range(0, len(parts), 2):
            parts[index] = _BARE.sub(lambda m: str(whole_number(m.group())), parts[index])
        text = "".join(parts)
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise NotAValue(_("not JSON: {error}", error=str(error))) from None


def check(kind: str, choices: tuple[str, ...], text: str) -> None:
    """Raise ``NotAValue`` where the parser would refuse ``text``; ``kind`` as in the tables."""
    base = kind.rstrip("+")
    optional = base.endswith("?")
    base = base.rstrip("?")
    if optional and text in ("", "None"):
        return
    seen = text
    if base == "int":
        seen = str(plain_integer(text))
    elif base == "float":
        _float(text)
    elif base in ("hint", "hintauto"):
        seen = str(suffixed(text, auto=base == "hintauto"))
    elif base == "json":
        parsed_json(text, suffixes=False)
    elif base == "config":
        if not isinstance(parsed_json(text), dict):
            raise NotAValue(_("not a JSON object"))
    elif base == "lora":
        _lora(text)
    elif base == "dict" and text.strip().startswith("{") and text.strip().endswith("}"):
        parsed_json(text, suffixes=False)
    elif base == "loose":
        seen = text.lower().replace("-", "_")
    if choices and seen not in choices:
        raise NotAValue(_("none of {choices}", choices=listed(choices)))


def _lora(text: str) -> None:
    """``name=path``, or JSON with both (LoRAParserAction@0.32.0)."""
    if text in ("", "None") or ("=" in text and "," not in text):
        return
    told = parsed_json(text, suffixes=False)
    if not isinstance(told, dict) or not {"name", "path"} <= set(told):
        raise NotAValue(_("neither name=path nor JSON with name and path"))


def _float(text: str) -> None:
    try:
        float(text)
    except ValueError:
        raise NotAValue(_("not a number")) from None
