"""An engine's metrics that were pasted: a prefix cache that never had anything, and its load.

They stand in lines of their own, and mean something only together; with the size of a block where
the log has it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from doctor.enginemetrics.names import KV_USAGE, PREEMPTIONS, RUNNING, SINGLE, WAITING
from doctor.explain.log.numbers import FULL
from doctor.patterns import Pattern

_COUNTER = Pattern(
    r"vllm:(?:gpu_)?prefix_cache_(?P<name>queries|hits)(?:_total)?(?:\{[^}\n]*\})?[\s:=]+"
    r"(?P<value>[\d.]+(?:e\+?\d+)?)",
    flags=2,  # re.IGNORECASE
)
_BLOCK = Pattern(r"attention block size to (?P<tokens>\d+) tokens")
# A few questions of a warm-up share nothing and mean nothing (tokens).
_ENOUGH = 500
# A hybrid's block is longer than many prompts; the usual one is not (tokens).
_USUAL = 64
_HIT_RATE = Pattern(r"(?<!External )prefix cache hit rate: (?:GPU: )?(?P<percent>[\d.]+)%", 2)
_ANSWERED = Pattern(r"Avg prompt throughput: (?!0(?:\.0+)? )[\d.]+ tokens/s")
_PROMPT = Pattern(r"\bprompt_tokens\\?['\"]?\s{0,2}[:=]\s{0,2}(?P<tokens>\d+)")
_CACHED = Pattern(r"\bcached_tokens\\?['\"]?\s{0,2}[:=]\s{0,2}(?P<tokens>\d+)")

# As numbers.add_sample calls them → by what name an engine tells it.
_LOAD = {
    name: meaning
    for meaning, told in (
        ("running", SINGLE[RUNNING]),
        ("waiting", SINGLE[WAITING]),
        ("usage", SINGLE[KV_USAGE]),
        ("preempted", SINGLE[PREEMPTIONS]),
    )
    for name in told
}
_GAUGE = Pattern(
    rf"vllm[:_](?P<name>{'|'.join(_LOAD)})(?:_total)?(?P<labels>\{{[^}}\n]*\}})?"
    r"[\s:=]{1,20}(?P<value>\d+(?:\.\d+)?(?:e[+-]?\d+)?)",
    2,
)


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
    elif hits is None and block:
        yield from _below_a_block(lines, block)


def _below_a_block(lines: Sequence[str], block: str) -> Iterator[tuple[int, str]]:
    """The same by what an answer or the periodic lines tell, where a block is long: a prompt that
    is shorter than one is never found."""
    text = "\n".join(lines)
    size = int(_BLOCK.findall(text)[-1])
    if size <= _USUAL:
        return
    prompts = [int(tokens) for tokens in _PROMPT.findall(text)]
    cached = [int(tokens) for tokens in _CACHED.findall(text)]
    if prompts and cached and max(prompts) < size and not any(cached):
        number = next(n for n, line in enumerate(lines, 1) if _CACHED.search(line))
        yield number, f"prefix cache: 0 of {sum(prompts)} tokens found{block}"
        return
    rates = [
        (number, float(found["percent"]))
        for number, line in enumerate(lines, 1)
        if (found := _HIT_RATE.search(line))
    ]
    if rates and not any(rate for _number, rate in rates) and _ANSWERED.search(text):
        yield rates[-1][0], f"prefix cache: 0 of all tokens found{block}"


def looks_in(lines: Sequence[str]) -> Iterator[tuple[int, str, dict[str, float]]]:
    """Looks at an engine's load by its metrics: number of a line, the line, what was told.

    Several engines are several looks, and so is a metric that comes again. Of preemptions the last
    count is told, as it only grows. Requests that wait are told where the cache is full: a whole
    page of metrics is pasted for anything, and a short queue is no fault.
    """
    open_looks: dict[str, dict[str, float]] = {}
    looks: list[tuple[int, str, dict[str, float]]] = []
    thrown_out: dict[str, tuple[int, str, float]] = {}
    for number, line in enumerate(lines, 1):
        for match in _GAUGE.finditer(line):
            meaning, labels = _LOAD[match["name"].lower()], match["labels"] or ""
            if meaning == "preempted":
                thrown_out[labels] = number, line, float(match["value"])
                continue
            look = open_looks.get(labels)
            if look is None or meaning in look:
                look = open_looks[labels] = {}
                looks.append((number, line, look))
            look[meaning] = float(match["value"]) * (100 if meaning == "usage" else 1)
    for number, line, look in looks:
        if look.get("usage", 0.0) < FULL:
            look.pop("waiting", None)
        yield number, line, look
    for number, line, count in thrown_out.values():
        yield number, line, {"preempted": count}
