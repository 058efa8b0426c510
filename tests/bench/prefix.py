"""``python -m tests.bench.prefix``: the prefix analysis on logs of several kinds and lengths,
against its budgets.

Logs are made for the run and thrown away. ``--requests N`` is the largest (200,000: 740 MB; 0: the
kinds alone), ``--two-million`` one of 7.4 GB more. ``--rivals DIR`` names a virtual environment
with the packages cachelint and promptcachelint, which are then run on the 20,000 requests of the
same log. The floor is what it takes to read the lines and parse their JSON, in the same run. CPU is
that of all processes, the least of several runs, without what an empty log costs.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from .measure import Cost, cost_of
from .prefix_log import KINDS, Kind

ROOT = Path(__file__).resolve().parents[2]
LARGE = 200_000
_FLOOR = "import json,sys\nfor line in open(sys.argv[1], 'rb'): json.loads(line)"
_KIND_BYTES = 60_000_000
# Milliseconds of CPU for a MB of the log: 100 MB/s.
_SPEED = 10.0
# Of small requests nothing but their number counts. Microseconds for each.
_EACH = 50.0
_LIMIT = 600.0

Figures = Iterator[tuple[str, float, float, str]]


class Bench:
    """Runs the analysis, and the parsing alone, on logs in ``folder``."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._variables = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "PYTHONPATH": str(ROOT),
        }
        empty = folder / "empty.jsonl"
        empty.write_text('{"model": "m", "prompt": "hi"}\n')
        self._start = self._analysis(empty, 3).cpu
        self._floor_start = self._parsing(empty, 3).cpu

    def analysis(self, log: Path, runs: int) -> Cost:
        """What the whole command costs."""
        return self._without(self._analysis(log, runs), self._start)

    def parsing(self, log: Path, runs: int) -> Cost:
        """What it costs to read the lines and parse their JSON."""
        return self._without(self._parsing(log, runs), self._floor_start)

    def _analysis(self, log: Path, runs: int) -> Cost:
        command = [sys.executable, "-m", "doctor", "prefix", str(log), "--format", "json"]
        return cost_of(command, self._variables, runs)

    def _parsing(self, log: Path, runs: int) -> Cost:
        return cost_of([sys.executable, "-c", _FLOOR, str(log)], self._variables, runs)

    def _without(self, cost: Cost, start: float) -> Cost:
        return Cost(max(cost.cpu - start, 1e-3), cost.wall, cost.peak)


def of_kinds(bench: Bench, runs: int) -> Figures:
    """Name, measured, budget, unit."""
    for name, kind in KINDS.items():
        log = bench.folder / "kind.jsonl"
        count, size = _write(log, kind)
        cost, floor = bench.analysis(log, runs), bench.parsing(log, runs)
        speed, parsed = size / 1e6 / cost.cpu, size / 1e6 / floor.cpu
        each = cost.cpu / count * 1e6
        print(
            f"{name}: {speed:.0f} MB/s of CPU; json.loads {parsed:.0f} MB/s, factor"
            f" {cost.cpu / floor.cpu:.1f}; {size / count:,.0f} bytes and {each:,.0f} µs for each of"
            f" {count:,} requests"
        )
        if size / count < 1_000:
            yield f"{name}: CPU for each", each, _EACH, "µs"
        else:
            yield f"{name}: CPU for a MB", 1e3 / speed, _SPEED, "ms"
        yield f"{name}: peak", cost.peak, 200.0, "MiB"


def _write(path: Path, kind: Kind) -> tuple[int, int]:
    """Requests, and bytes."""
    count = size = 0
    with path.open("wb") as file:
        for line in kind.lines(1_000_000):
            count += 1
            size += file.write(line.encode())
            if size >= _KIND_BYTES:
                break
    return count, size


def of_lengths(bench: Bench, sizes: Sequence[int], rivals: str | None) -> Figures:
    """The same for logs that begin alike and go on ever longer."""
    paths = _write_lengths(bench.folder, sizes)
    costs: dict[int, Cost] = {}
    for size, path in paths.items():
        megabytes = path.stat().st_size / 1e6
        cost = costs[size] = bench.analysis(path, 1)
        name = f"{size:,} requests, {megabytes:,.0f} MB"
        print(f"{name}: {cost.wall:.1f} s, {megabytes / cost.cpu:.0f} MB/s of CPU")
        yield f"{name}: peak", cost.peak, 200.0, "MiB"
        if megabytes > 50:
            yield f"{name}: CPU for a MB", cost.cpu / megabytes * 1e3, _SPEED, "ms"
    small, large = sorted(costs)[1:3]
    growth = costs[large].cpu / costs[small].cpu / (large / small)
    yield f"{large:,} against {small:,} requests, by request", growth, 1.25, "x"
    if rivals:
        yield from _rivals(Path(rivals), paths[small], costs[small].wall, bench.folder)


def _write_lengths(folder: Path, sizes: Sequence[int]) -> dict[int, Path]:
    paths = {size: folder / f"{size}.jsonl" for size in sorted(sizes)}
    files = {size: path.open("w", encoding="utf-8") for size, path in paths.items()}
    for number, line in enumerate(Kind().lines(max(sizes))):
        for size, file in files.items():
            if number < size:
                file.write(line)
    for file in files.values():
        file.close()
    return paths


def _rivals(home: Path, log: Path, own: float, folder: Path) -> Figures:
    """Ours against theirs: below 1 it is the faster."""
    recorded = folder / "recorded.jsonl"
    with log.open(encoding="utf-8") as source, recorded.open("w", encoding="utf-8") as target:
        for line in source:
            target.write(f'{{"provider": "openai", "body": {line.rstrip()}}}\n')
    commands = {
        "cachelint": ["analyze", "--provider", "openai", str(log)],
        "promptcachelint": ["report", str(recorded)],
    }
    variables = {"PATH": os.environ["PATH"], "HOME": str(folder)}
    for name, words in commands.items():
        seconds = _seconds([str(home / "bin" / name), *words], variables)
        if seconds is None:
            print(f"{name}: failed, or did not end")
            continue
        print(f"{name}: {seconds:.1f} s")
        yield f"seconds against those of {name}", own / seconds, 1.0, "x"


def _seconds(command: Sequence[str], variables: Mapping[str, str]) -> float | None:
    """None where it did not end in time, or failed."""
    started = time.perf_counter()
    try:
        done = subprocess.run(command, env=dict(variables), capture_output=True, timeout=_LIMIT)
    except subprocess.TimeoutExpired:
        return None
    return time.perf_counter() - started if done.returncode in (0, 1) else None


def _figures(options: argparse.Namespace, folder: Path) -> Figures:
    bench = Bench(folder)
    yield from of_kinds(bench, options.runs)
    if options.requests:
        sizes = [max(options.requests // 100, 1), max(options.requests // 10, 1), options.requests]
        if options.two_million:
            sizes.append(2_000_000)
        yield from of_lengths(bench, sizes, options.rivals)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.prefix", description=__doc__)
    parser.add_argument("--requests", type=int, default=LARGE)
    parser.add_argument("--runs", type=int, default=3, help="of each kind")
    parser.add_argument("--two-million", action="store_true")
    parser.add_argument("--rivals", metavar="DIR")
    options = parser.parse_args()
    broken = False
    print(f"{'figure':<58} {'measured':>10} {'budget':>8}  ratio")
    with tempfile.TemporaryDirectory() as folder:
        for name, measured, budget, unit in _figures(options, Path(folder)):
            ratio = measured / budget
            broken |= ratio > 1
            print(
                f"{name:<58} {measured:>8.2f} {unit:<3} {budget:>6.2f}  {ratio:>5.2f}", flush=True
            )
    return int(broken)


if __name__ == "__main__":
    sys.exit(main())
