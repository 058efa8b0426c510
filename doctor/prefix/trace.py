"""Traces without text: token ids, or the numbers of the blocks that they fill.

``{"hash_ids": […], "input_length": N}`` is the form of the published Mooncake traces: a number
stands for a block of 512 tokens and all before it. Other recorders use other sizes, which the
length of a prompt tells.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

from doctor.prefix.blocks import Blocks, of_hashes

_SIZES = (512, 16, 32, 64, 128, 256, 1024)


class Trace:
    """Reads such records; the size of a block is that with which all so far agree."""

    def __init__(self) -> None:
        self._sizes = list(_SIZES)

    def of(self, record: Mapping[str, Any]) -> tuple[list[int], int, int] | None:
        """The numbers, the size of their blocks and the length of the prompt in tokens; None where
        the record holds none. Raises ``ValueError`` where its numbers do not fit its length."""
        ids = record.get("hash_ids")
        length = record.get("input_length", record.get("input_tokens", record.get("in")))
        if not is_ids(ids) or not isinstance(length, int) or length < 1:
            return None
        fitting = [size for size in self._sizes if -(-length // size) == len(ids)]
        if not fitting:
            raise ValueError(f"{len(ids)} hash_ids do not fit {length} tokens")
        self._sizes = fitting
        return list(ids), fitting[0], length


def is_ids(value: Any) -> TypeGuard[list[int]]:
    """Whether it is a list of whole numbers, and not empty."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(each, int) and not isinstance(each, bool) for each in value)
    )


def in_blocks(ids: Sequence[int], size: int, length: int, wanted: int, seed: int) -> Blocks:
    """Blocks of ``wanted`` tokens: those of ``size`` cut into parts, or taken together."""
    found: list[int] = []
    previous = seed
    for end in range(wanted, length + 1, wanted):
        previous = hash((previous, ids[(end - 1) // size], end))
        found.append(previous)
    return of_hashes(found, seed)
