"""What is wrong with the settings that stand in a text: what ``kvdoctor check --offline`` would
say of them, were they this machine's."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Sequence

from doctor.explain.context import seen_here
from doctor.explain.pasted.stated import Stated, stated_in
from doctor.explain.places import Hint, InText
from doctor.facts.machine import Environment

# No such folder: nothing of this machine is read.
_NOWHERE = "/nonexistent"
# What a value shows by itself. Not that something is missing, or a placeholder: who asks others
# about an error leaves out some and masks the rest.
_SHOWN = frozenset(
    {"KVD102", "KVD103", "KVD104", "KVD105", "KVD108", "KVD203", "KVD204", "KVD205", "KVD206"}
    | {"KVD209", "KVD211", "KVD304", "KVD401"}
)


def faults_in(lines: Sequence[tuple[int, str]]) -> dict[str, InText]:
    """Code → the line that shows it. ``lines`` with their numbers, as they were written. Their
    secrets are hidden from then on."""
    stated = stated_in([text for _number, text in lines])
    if not stated:
        return {}
    return asyncio.run(_faults(stated, [number for number, _text in lines]))


async def _faults(stated: Sequence[Stated], numbers: Sequence[int]) -> dict[str, InText]:
    variables = {one.name: one.value for one in stated}
    environment = Environment(variables, sys.platform, _NOWHERE, _NOWHERE, root=_NOWHERE)
    lines = {one.name: numbers[one.line - 1] for one in stated}
    first = min(lines.values())
    return {
        code: InText.at(next((line for name, line in lines.items() if name in place), first))
        for code, place in (await seen_here(environment)).items()
        if code in _SHOWN and not isinstance(place, Hint)
    }
