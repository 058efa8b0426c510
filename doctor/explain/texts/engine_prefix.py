"""A prefix cache that is asked and never found (``pasted/counters.py`` makes the text)."""

from __future__ import annotations

import re

from doctor.explain.model import Cause, symptom
from doctor.text import _

# The usual block; hybrids of attention and Mamba have hundreds or thousands (tokens).
_USUAL = 64


def _unhit(match: re.Match[str]) -> tuple[Cause, ...]:
    block = int(match["block"] or 0)
    if block > _USUAL:
        told = _(
            "a block is {block:,} tokens here, and only whole ones are kept: is what the prompts"
            " share shorter?",
            block=block,
        )
        return (Cause("KVD708", 0.85, told), Cause("KVD701", 0.1, _CLOCK))
    return (
        Cause("KVD708", 0.4, _("is what the prompts share shorter than a block?")),
        Cause("KVD706", 0.35, _("a hybrid model may keep none: what does its log say?")),
        Cause("KVD701", 0.3, _CLOCK),
    )


_CLOCK = _("do the prompts begin with a time or an id? kvdoctor prefix tells, from their log")

SYMPTOMS = (
    symptom(
        r"prefix cache: 0 of (?:\d+|all) tokens found(?:, blocks of (?P<block>\d+) tokens)?",
        _("the prefix cache is asked, and has never had anything"),
        _unhit,
    ),
)
