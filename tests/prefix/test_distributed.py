"""A log in parts gives what one run over it gives, within the bound that is told."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doctor.prefix.analyse import analyse
from doctor.prefix.distributed import Job, Whole, analyse_segment, merged
from doctor.prefix.player import Engine
from doctor.prefix.result import Analysis
from doctor.prefix.segments import lines_of, segments
from doctor.prefix.stream import lines

from .requests import RULES, chat

SMALL = Engine(capacity=150)


def write(folder: Path, count: int = 900) -> list[str]:
    """Conversations with a clock on top, ten at a time, in two files."""
    dice = random.Random(3)
    open_: list[list[str]] = []
    records: list[dict[str, Any]] = []
    for n in range(count):
        if len(open_) < 10:
            open_.append([])
        turns = dice.choice(open_)
        turns.append(f"question {n} about the order {dice.randrange(10**6)} of a customer")
        head = f"Current time: 2026-03-01 {n // 3600:02}:{n // 60 % 60:02}:{n % 60:02}\n"
        records.append(chat(head + RULES, *turns))
        turns.append(f"answer {n}: it was handed over to the carrier, as the list says.")
        if len(turns) > 8:
            open_.remove(turns)
    names = []
    for number, part in enumerate((records[: count // 2], records[count // 2 :])):
        path = folder / f"{number}.jsonl"
        path.write_text("".join(json.dumps(record) + "\n" for record in part))
        names.append(str(path))
    return names


def in_parts(names: list[str], engine: Engine, size: int, warm: int | None = None) -> Whole:
    job = Job(engine)
    parts = [analyse_segment(segment, job) for segment in segments(names, engine, size, warm)]
    assert len(parts) > 3
    return merged(parts, engine)


def told(analysis: Analysis) -> list[tuple[str, str, int]]:
    return [
        (cause.kind.code, cause.label, cause.requests)
        for cause in analysis.causes
        if cause.distinct > 1
    ]


def test_with_a_full_cache_it_is_exact(tmp_path: Path) -> None:
    names = write(tmp_path)
    single = analyse(lines(names), SMALL)
    whole = in_parts(names, SMALL, 300_000, warm=400_000)

    assert whole.short == 0
    assert (whole.analysis.requests, whole.analysis.prompt_tokens, whole.analysis.lineages) == (
        single.requests,
        single.prompt_tokens,
        single.lineages,
    )
    assert whole.analysis.totals.hits == single.totals.hits
    assert whole.analysis.totals.hits_after == single.totals.hits_after
    assert told(whole.analysis) == told(single)
    assert [c.lost for c in whole.analysis.causes] == [c.lost for c in single.causes]


@pytest.mark.parametrize("capacity", [2_000, 131_072])
def test_else_it_is_within_the_bound_that_is_told(tmp_path: Path, capacity: int) -> None:
    engine = Engine(capacity=capacity)
    names = write(tmp_path)
    single = analyse(lines(names), engine)
    whole = in_parts(names, engine, 300_000)

    missed = single.totals.hits_after - whole.analysis.totals.hits_after
    assert 0 <= missed <= whole.short
    assert told(whole.analysis) == told(single)


@given(st.lists(st.binary(max_size=30), max_size=20), st.integers(1, 200))
def test_every_line_is_in_one_part(texts: list[bytes], size: int) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "log.jsonl")
        path.write_bytes(b"x\n" + b"\n".join(texts))
        once = [line.data for line in lines([str(path)])]
        parts = segments([str(path)], Engine(), size)
        again = [line.data for part in parts for line in lines_of(part.counted)]
        assert again == once


def test_a_compressed_file_is_one_part(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl.gz"
    path.write_bytes(gzip.compress(json.dumps(chat(RULES, "hi")).encode() * 1))
    (part,) = segments([str(path)], SMALL, 10)
    assert len(list(lines_of(part.counted))) == 1
