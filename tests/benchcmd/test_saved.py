"""Runs that are kept: they come back as they were, and a damaged file is told as one."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from doctor.bench.compare import compared
from doctor.bench.document import bench_document
from doctor.bench.gpus import GpuUse
from doctor.bench.running import Run
from doctor.bench.saved import RunError, check_name, kept, load, save
from doctor.bench.told import tell
from doctor.render.base import Look, Sink
from doctor.render.lines import Lines
from doctor.secrets import Redactor
from doctor.text import Translator

from .runs import level, looks, repeat

KEY = "sk-made0up0bench0made0up0bench00"
GPU = GpuUse(0, 9, used=70 * 2**30, total=80 * 2**30, busy=0.93, power=0.5, heat=0.0)
RUN = Run(
    started="2026-03-01T09:00:00+00:00",
    setup={"model": "shop-8b"},
    levels=(
        level(1, repeat(100, engine=looks((1, 0, 0.1), times=3), gpus=(GPU, GpuUse(1, 9)))),
        level(8, repeat(300), repeat(310, seed=1)),
    ),
    requests=80,
    spent=9_000,
)


def test_a_run_comes_back_as_it_was(tmp_path: Path) -> None:
    save(RUN, "one", tmp_path, Redactor())
    found = load("one", tmp_path)
    assert compared(RUN, found, "one").changed == ()
    for before, after in zip(RUN.levels, found.levels, strict=True):
        assert after.load == before.load
        assert after.output_rate == pytest.approx(before.output_rate)
        assert after.median("ttft") == pytest.approx(before.median("ttft"), rel=1e-4)
        assert after.repeats[0].engine == before.repeats[0].engine
        assert after.gpus == before.gpus


def test_a_run_that_was_kept_before_gpus_were_looked_at_still_loads(tmp_path: Path) -> None:
    path = save(RUN, "one", tmp_path, Redactor())
    held = json.loads(path.read_text())
    for each in held["levels"]:
        for kept_repeat in each["repeats"]:
            del kept_repeat["gpus"]
    path.write_text(json.dumps(held))
    found = load("one", tmp_path)
    assert found.levels[0].gpus == ()
    assert found.levels[0].answers == RUN.levels[0].answers


def test_no_key_is_written(tmp_path: Path) -> None:
    redactor = Redactor()
    redactor.learn(KEY)
    keyed = replace(RUN, setup={"flag --note": KEY, "flag --odd": "hunter2hunter2"})
    redactor.learn("hunter2hunter2")
    path = save(keyed, "one", tmp_path, redactor)
    assert KEY not in path.read_text()
    assert "hunter2" not in path.read_text()
    assert [file.name for file in tmp_path.iterdir()] == ["one.json"]


def test_a_table_leaves_out_what_cannot_be_read(tmp_path: Path) -> None:
    save(RUN, "one", tmp_path, Redactor())
    (tmp_path / "other.json").write_text("{}")
    (tmp_path / "no name.json").write_text("{}")
    assert [name for name, _run in kept(tmp_path)] == ["one"]


@pytest.mark.parametrize("name", ["", ".hidden", "../up", "a/b", "a b", "x" * 65, "naïve"])
def test_names_are_no_paths(tmp_path: Path, name: str) -> None:
    with pytest.raises(RunError):
        check_name(name, tmp_path, replace=True)


def test_a_name_that_is_nearly_right_is_told(tmp_path: Path) -> None:
    save(RUN, "baseline", tmp_path, Redactor())
    with pytest.raises(RunError, match="the nearest is baseline"):
        load("basline", tmp_path)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every place in a document, a few of each list."""
    found = [path] if path else []
    if isinstance(value, dict):
        for name, inner in value.items():
            found += places(inner, (*path, name))
    elif isinstance(value, list):
        for number, inner in enumerate(value[:2]):
            found += places(inner, (*path, number))
    return found


with TemporaryDirectory() as _folder:
    WRITTEN = json.loads(save(RUN, "one", Path(_folder), Redactor()).read_text())
odd = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(10**30), 10**30),
    st.floats(),
    st.text(max_size=4),
    st.just([]),
    st.just({}),
    st.lists(st.floats(), max_size=3),
)


@settings(max_examples=60, deadline=None)
@example(("levels", 1, "repeats", 0, "output_tokens"), -1.2e24)
@example(("levels", 0, "repeats", 0, "output_tokens"), 10**30)
@given(st.sampled_from(places(WRITTEN)), odd)
def test_whatever_stands_in_a_file_it_is_told_or_refused(path: tuple[Any, ...], value: Any) -> None:
    damaged = json.loads(json.dumps(WRITTEN))
    holder = damaged
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    with TemporaryDirectory() as folder:
        (Path(folder) / "one.json").write_text(json.dumps(damaged))
        try:
            run = load("one", Path(folder))
        except RunError:
            return
        # What is not refused can be told.
        against = compared(RUN, run, "one")
        json.dumps(bench_document(run, against, ()), allow_nan=False)
        told = io.StringIO()
        tell(Lines(Sink(told, Redactor()), Look(translate=Translator())), run, against, ())
        assert "Against one:" in told.getvalue()
