"""A whole command line in the first item of a list: ``command: ["vllm serve MODEL"]``.

Nothing splits an item of a list, so that the container looks for a program of that name.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import replace

from doctor.launch.layout import quoted
from doctor.launch.model import Slip, Span, Word
from doctor.launch.reading.found import Found
from doctor.patterns import Pattern

_LISTS = ("json", "item")
_STARTS = Pattern(r"(?:\S*/)?(?:vllm|python[\d.]*)\s+\S")


def parted(text: str, found: Found, kinds: Sequence[str]) -> Found:
    """``found`` with its first item split as it was meant, and the slip that says so."""
    first = found.words[0] if found.words else None
    if first is None or not first.known or not 0 <= first.group < len(kinds):
        return found
    kind = kinds[first.group]
    if kind not in _LISTS or _STARTS.match(first.text) is None:
        return found
    try:
        told = shlex.split(first.text)
    except ValueError:
        return found
    in_front = text[text.rfind("\n", 0, first.start) + 1 : first.start]
    between = ", " if kind == "json" else f"\n{in_front}"
    right = between.join(quoted(kind, word) for word in told)
    line = text.count("\n", 0, first.start) + 1
    slip = Slip("line-in-one-word", line, first.text, (Span(first.start, first.end, right),))
    # They stand nowhere as words: what else is wrong with them is told, and mended after this.
    words = [*(Word(word) for word in told), *found.words[1:]]
    return replace(found, words=words, slips=[*found.slips, slip])
