"""Runs that were kept under a name, as the documents that the command prints."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import asdict
from operator import itemgetter
from pathlib import Path
from typing import Any

from doctor.bench.beside import Beside, Gauges
from doctor.bench.figures import Level, Repeat, level_of
from doctor.bench.gpus import GpuUse
from doctor.bench.knee import knee_of
from doctor.bench.running import Run
from doctor.bench.scenario import Load
from doctor.patterns import Pattern
from doctor.secrets import Redactor
from doctor.suggest import nearest
from doctor.text import _
from doctor.untrusted import visible

_NAME = Pattern(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_SCHEMA = "kvdoctor.bench-run/1"
_LIMIT = 64 * 1024 * 1024
_TIMES = ("ttft", "tpot", "inter_token", "latency", "rates")
_GAPS_KEPT = 500
_LARGEST = 1e15


class RunError(Exception):
    """A name or a file of a kept run that cannot be used; the text says why."""


class NameTaken(RunError):
    """A run of that name is kept."""


def folder() -> Path:
    """Where the runs of this user lie."""
    import platformdirs

    return Path(platformdirs.user_state_dir("kvdoctor", appauthor=False)) / "bench"


def check_name(name: str, where: Path, *, replace: bool) -> None:
    """Raises ``RunError`` where a run cannot be kept as ``name``, ``NameTaken`` where it could
    with ``replace``."""
    path = _path(name, where)
    if path.exists() and not replace:
        raise NameTaken(_("{name}: a run of that name is kept; --replace overwrites it", name=name))


def save(run: Run, name: str, where: Path, redactor: Redactor) -> Path:
    """Keep ``run``; the value is the file. Raises ``RunError``."""
    path = _path(name, where)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    text = redactor(json.dumps(_record(run), ensure_ascii=False))
    try:
        where.mkdir(parents=True, exist_ok=True, mode=0o700)
        temporary.write_text(text, "utf-8")
        os.replace(temporary, path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise RunError(f"{path}: {error.strerror}") from None
    return path


def load(name: str, where: Path) -> Run:
    """The run that is kept as ``name``. Raises ``RunError``."""
    path = _path(name, where)
    try:
        if path.stat().st_size > _LIMIT:
            raise RunError(_("{path}: too large for a kept run", path=str(path)))
        held = json.loads(path.read_text("utf-8"), parse_constant=_refused)
        return _run(held)
    except FileNotFoundError:
        raise RunError(_missing(name, where)) from None
    except OSError as error:
        raise RunError(f"{path}: {error.strerror}") from None
    except (ValueError, TypeError, KeyError, AttributeError, ArithmeticError, RecursionError):
        raise RunError(_("{path}: no run that bench has kept", path=str(path))) from None


def kept(where: Path) -> list[tuple[str, Run]]:
    """All kept runs by name, oldest first; what cannot be read is left out."""
    found = []
    for path in where.glob("*.json"):
        name = path.name.removesuffix(".json")
        if _NAME.fullmatch(name) is None:
            continue
        try:
            run = load(name, where)
            # Two short runs can start in one second; the order of writing tells them apart.
            found.append(((run.started, path.stat().st_mtime_ns, name), run))
        except (RunError, OSError):
            continue
    return [(name, run) for (_started, _written, name), run in sorted(found, key=itemgetter(0))]


def _path(name: str, where: Path) -> Path:
    if _NAME.fullmatch(name) is None:
        shown = visible(name, 80)
        raise RunError(_("{name}: a name has letters, digits, '.', '_' and '-'", name=shown))
    return where / f"{name}.json"


def _missing(name: str, where: Path) -> str:
    names = [path.name.removesuffix(".json") for path in where.glob("*.json")]
    hint = nearest(name, names)
    if hint is not None:
        return _("{name}: no run of that name is kept; the nearest is {hint}", name=name, hint=hint)
    return _("{name}: no run of that name is kept; 'bench --list' names them", name=name)


def _record(run: Run) -> dict[str, Any]:
    return {
        "schema": _SCHEMA,
        "started": run.started,
        "setup": run.setup,
        "sweep": run.sweep,
        "through_url": run.through_url,
        "requests": run.requests,
        "spent": run.spent,
        "notes": [str(note) for note in run.notes],
        "levels": [_level(level) for level in run.levels],
        "through": [_level(level) for level in run.through],
    }


def _level(level: Level) -> dict[str, Any]:
    load = {"concurrency": level.load.concurrency, "rate": level.load.rate}
    return {"load": load, "repeats": [_repeat(repeat) for repeat in level.repeats]}


def _repeat(repeat: Repeat) -> dict[str, Any]:
    held = asdict(repeat)
    for name in _TIMES:
        held[name] = [round(value, 7) for value in held[name]]
    every = max(len(held["inter_token"]) // _GAPS_KEPT, 1)
    held["inter_token"] = held["inter_token"][::every]
    return held


def _run(held: Mapping[str, Any]) -> Run:
    if held["schema"] != _SCHEMA:
        raise ValueError(held["schema"])
    levels = tuple(_level_of(level) for level in held["levels"])
    setup = {visible(str(k), 80): visible(str(v), 300) for k, v in held["setup"].items()}
    return Run(
        started=visible(str(held["started"]), 40),
        setup=setup,
        levels=levels,
        through=tuple(_level_of(level) for level in held["through"]),
        through_url=visible(str(held["through_url"]), 300),
        knee=knee_of(levels, setup) if len(levels) > 1 else None,
        sweep=bool(held["sweep"]),
        notes=tuple(_("{note}", note=visible(str(note), 500)) for note in held["notes"]),
        requests=_count(held["requests"]),
        spent=_count(held["spent"]),
    )


def _level_of(held: Mapping[str, Any]) -> Level:
    concurrency, rate = held["load"]["concurrency"], held["load"]["rate"]
    load = Load(
        None if concurrency is None else _count(concurrency),
        None if rate is None else _number(rate),
    )
    if (load.concurrency is None) == (load.rate is None):
        raise ValueError("one of concurrency and rate")
    return level_of(load, [_repeat_of(repeat) for repeat in held["repeats"]])


def _repeat_of(held: Mapping[str, Any]) -> Repeat:
    cached = held["cached_tokens"]
    return Repeat(
        seconds=_number(held["seconds"]),
        **{name: tuple(_number(value) for value in held[name]) for name in _TIMES},
        prompt_tokens=_count(held["prompt_tokens"]),
        output_tokens=_count(held["output_tokens"]),
        pieces=_count(held["pieces"]),
        cached_tokens=None if cached is None else _count(cached),
        errors={visible(str(k), 80): _count(v) for k, v in held["errors"].items()},
        said=visible(str(held["said"]), 300),
        untold=bool(held["untold"]),
        held=bool(held["held"]),
        lag=_number(held["lag"]),
        engine=None if held["engine"] is None else _beside(held["engine"]),
        # Runs that were kept before GPUs were looked at have none.
        gpus=tuple(_gpu(gpu) for gpu in held.get("gpus", ())),
    )


def _gpu(held: Mapping[str, Any]) -> GpuUse:
    def counted(name: str) -> int | None:
        return None if held[name] is None else _count(held[name])

    def shared(name: str) -> float | None:
        return None if held[name] is None else min(_number(held[name]), 1.0)

    return GpuUse(
        index=_count(held["index"]),
        looks=_count(held["looks"]),
        used=counted("used"),
        total=counted("total"),
        busy=shared("busy"),
        power=shared("power"),
        heat=shared("heat"),
    )


def _number(value: Any) -> float:
    """Raises ``ValueError`` for what nobody measures."""
    number = float(value)
    if not 0 <= number < _LARGEST:
        raise ValueError(value)
    return number


def _count(value: Any) -> int:
    """Raises ``ValueError`` for what nobody counts."""
    return int(_number(value))


def _refused(name: str) -> float:
    raise ValueError(name)


def _beside(held: Mapping[str, Any]) -> Beside:
    def told(holder: Mapping[str, Any], name: str) -> float | None:
        return None if holder[name] is None else _number(holder[name])

    looks = tuple(
        Gauges(told(look, "running"), told(look, "waiting"), told(look, "kv_usage"))
        for look in held["looks"]
    )
    names = ("preempted", "hit_rate", "ttft", "inter_token", "queued", "prompt_tokens")
    rest = {name: told(held, name) for name in (*names, "output_tokens")}
    return Beside(looks=looks, **rest)
