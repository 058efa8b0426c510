"""``python -m tests.bench.agreement``: how true ``bench`` measures a real vLLM.

Against what the engine itself counted meanwhile, and against vLLM's own benchmark, run in turn with
it. Needs what ``tests/live/setup_servers.py`` prepares, some minutes, and a machine with nothing
else to do: engine and clients share its processor. A ratio is ours to theirs.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.live.servers import RunningServer, start_vllm
from tests.live.test_bench import SLOTS, bench, vllm_bench

AT_ONCE, REQUESTS, ROUNDS = 8, 32, 3
APART = 0.15
LOAD = ("--concurrency", str(AT_ONCE), "--requests", str(REQUESTS), "--repeats", "1")


def rounds(server: RunningServer, home: Path) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """One level of ours and one result of theirs, in turn, so that what else the machine does meets
    both."""
    for _round in range(ROUNDS):
        [level] = bench(server, home, *LOAD)["levels"]
        yield level, vllm_bench(server, home, concurrency=AT_ONCE, requests=REQUESTS)


def figures(
    held: list[tuple[dict[str, Any], dict[str, Any]]],
) -> Iterator[tuple[str, float, float]]:
    """Name, ours, theirs; times in seconds. Against the engine's own figures each round counts, and
    the median one is told; against the other benchmark the best of each, since they ran apart."""
    for kind, engine in (("ttft_s", "ttft_mean_s"), ("tpot_s", "inter_token_mean_s")):
        pairs = [(level[kind]["mean"], level["engine"][engine]) for level, _theirs in held]
        ours, theirs = sorted(pairs, key=lambda pair: pair[0] / pair[1])[len(pairs) // 2]
        yield f"{kind.upper()[:4]}, mean, against the engine's histogram", ours, theirs
    for kind, name in (("ttft_s", "ttft_ms"), ("tpot_s", "tpot_ms")):
        for word, share in (("mean", None), ("median", "p50"), ("p99", "p99")):
            ours = min(
                level[kind]["mean"] if share is None else level[kind][share]["value"]
                for level, _theirs in held
            )
            theirs = min(told[f"{word}_{name}"] for _level, told in held) / 1000
            yield f"{kind.upper()[:4]}, {word}, against vllm bench serve", ours, theirs
    most = max(level["output_tokens_per_s"] for level, _theirs in held)
    other = max(told["output_throughput"] for _level, told in held)
    yield "output tokens/s, against vllm bench serve", most, other


def main() -> int:
    with (
        tempfile.TemporaryDirectory() as folder,
        start_vllm(extra=("--max-num-seqs", str(SLOTS))) as server,
    ):
        held = list(rounds(server, Path(folder)))
    late = max(level["client_lag_s"] for level, _theirs in held)
    print(f"{ROUNDS} rounds of {REQUESTS} requests, {AT_ONCE} at once, {SLOTS} slots")
    print(f"our client was up to {late * 1000:.0f} ms late (P99)")
    print(f"{'figure':<44} {'ours':>9} {'theirs':>9}  ratio")
    broken = False
    for name, ours, theirs in figures(held):
        broken |= abs(ours / theirs - 1) > APART
        print(f"{name:<44} {ours:>9.4f} {theirs:>9.4f}  {ours / theirs:>5.2f}")
    return int(broken)


if __name__ == "__main__":
    sys.exit(main())
