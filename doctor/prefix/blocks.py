"""A prompt as the engine's blocks: full ones only (facts/vllm.md §6).

On characters a block of ``block_size`` tokens is taken for as many times ``per_token`` characters:
the text as it is. Blocks of tokens are hashed in a chain.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_HASH = 8  # characters


# Objects by the hundred thousand: frozen ones take three times as long to make.
@dataclass(slots=True)
class Blocks:
    """``text`` in blocks of ``unit`` characters; what is left at its end fills none. Prompts with
    another ``seed`` share nothing."""

    text: str
    unit: int
    seed: int = 0


def of_hashes(hashes: Iterable[int], seed: int) -> Blocks:
    """Blocks that are known by a hash each, of 64 bits."""
    return Blocks(array("q", hashes).tobytes().decode("latin-1"), _HASH, seed)


def of_tokens(tokens: Sequence[int], size: int, seed: int) -> Blocks:
    """The full blocks of ``size`` tokens."""
    previous = seed
    found = array("q")
    for start in range(0, len(tokens) - size + 1, size):
        previous = hash((previous, *tokens[start : start + size]))
        found.append(previous)
    return of_hashes(found, seed)
