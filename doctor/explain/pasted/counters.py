"""Counters of an engine's prefix cache that were pasted: looked up, and never found.

They stand in lines of their own, and mean something only together; with the size of a block where
the log has it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from doctor.patterns import Pattern

_COUNTER = Pattern(
    r"vllm:(?:gpu_)?prefix_cache_(?P<name>queries|hits)(?:_total)?(?:\{[^}\n]*\})?[\s:=]+"
    r"(?P<value>[\d.]+(?:e\+?\d+)?)",
    flags=2,  # re.IGNORECASE
)
_BLOCK = Pattern(r"attention block size to (?P<tokens>\d+) tokens")
# A few questions of a warm-up share nothing and mean nothing (tokens).
_ENOUGH = 500


def unhit_in(lines: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Number of the line with the hits, and ``prefix cache: 0 of 10608 tokens found, blocks of
    8320 tokens``; nothing where there were hits, or hardly any queries."""
    told: dict[str, tuple[int, float]] = {}
    block = ""
    for number, line in enumerate(lines, 1):
        for match in _COUNTER.finditer(line):
            value = float(match["value"])
            known = told.get(match["name"].lower())
            told[match["name"].lower()] = (number, value + (known[1] if known else 0.0))
        if found := _BLOCK.search(line):
            block = f", blocks of {found['tokens']} tokens"
    queries, hits = told.get("queries"), told.get("hits")
    if queries is not None and hits is not None and hits[1] == 0 and queries[1] >= _ENOUGH:
        yield hits[0], f"prefix cache: 0 of {queries[1]:.0f} tokens found{block}"
    elif queries is None and hits is not None and hits[1] == 0 and block:
        yield hits[0], f"prefix cache: 0 of all tokens found{block}"
