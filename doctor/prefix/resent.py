"""Turns that a program made anew from what it keeps: the same, with other ids of calls, or with
JSON that is written otherwise.

A history is often kept in a database or as parsed objects, and written again for each request
(NousResearch/hermes-agent #3991, github/copilot-cli #4500).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from doctor.prefix.kinds import Kind, only_blanks_differ, reordered
from doctor.prefix.lineage import BLANKS, ORDER
from doctor.prefix.spots import common_prefix

CALL_IDS = Kind("KVD702", "call id", sure=False)

_AROUND = 30  # characters of an example on each side of the difference
# As the APIs name the id of a call; what is quoted in arguments has a backslash in front.
_ID = re.compile(r'(?<!\\)("(?:id|call_id|tool_use_id)": ")([^"\\]+)(?=")')
_OF_CALLS = re.compile(
    r'"(?:call_id|tool_use_id)": "|"type": "(?:function|tool_use|tool_result)"|"arguments": "'
)
# What no person typed.
_MADE = ("assistant\n", "tool\n", "function\n", "function_call", "custom_tool_call")


@dataclass(frozen=True, slots=True)
class Resent:
    """How the first turn that differs does, and what stood there then and now."""

    kind: Kind
    turn: int
    examples: tuple[str, str]


def resent(old: Sequence[str], new: Sequence[str], first: int) -> Resent | None:
    """How ``new`` writes otherwise what ``old`` says from turn ``first`` on; None where it says
    anything else."""
    found: Resent | None = None
    for index in range(first, len(old)):
        one, other = old[index], new[index]
        if one == other:
            continue
        told = _told(one, other)
        if told is None:
            return None
        found = found or Resent(told[0], index, told[1])
    return found


def _told(one: str, other: str) -> tuple[Kind, tuple[str, str]] | None:
    if not _is_made(one) or not _is_made(other):
        return None
    ids, other_ids = _ID.findall(one), _ID.findall(other)
    changed = [(a, b) for (_n, a), (_m, b) in zip(ids, other_ids, strict=False) if a != b]
    if changed and _OF_CALLS.search(one) and len(ids) == len(other_ids):
        bare, other_bare = _ID.sub(r"\1", one), _ID.sub(r"\1", other)
        if bare == other_bare or _writing(bare, other_bare) is not None:
            return CALL_IDS, changed[0]
    kind = _writing(one, other)
    if kind is None:
        return None
    at = max(0, common_prefix(one, other) - _AROUND)
    return kind, (one[at : at + 2 * _AROUND], other[at : at + 2 * _AROUND])


def _writing(one: str, other: str) -> Kind | None:
    if only_blanks_differ(one, other):
        return BLANKS
    return ORDER if reordered(one, other) else None


def _is_made(turn: str) -> bool:
    return turn.startswith(_MADE) or '"type": "tool_result"' in turn
