"""A launch line against what the engine tells of itself: only what cannot be vLLM's own choice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from doctor.checkapi import visible
from doctor.facts.answers import ServedModel
from doctor.facts.engine import StartLine, Stated
from doctor.patterns import Pattern
from doctor.records import dataclass

_VERSION = Pattern(r"v?(\d+)\.(\d+)(?:\.(\d+))?")
_NOT_SET = ("None", "")


@dataclass(frozen=True, slots=True)
class Running:
    """What the engine tells. ``labels`` are those of ``cache_config_info``, ``models`` its own
    list, ``version`` by ``/version``."""

    labels: Mapping[str, str]
    models: Sequence[ServedModel]
    version: str | None


@dataclass(frozen=True, slots=True)
class Differs:
    """A setting of the line, and what runs in its place."""

    stated: Stated
    running: str


def differences(line: StartLine, running: Running) -> Iterator[Differs]:
    for stated in line.stated:
        now = _JUDGES[stated.name](stated, running) if stated.name in _JUDGES else None
        if now is not None:
            yield Differs(stated, now)


def _window(stated: Stated, running: Running) -> str | None:
    # Adapters have no window of their own.
    windows = {model.window for model in running.models if model.window is not None}
    if len(windows) != 1:
        return None
    window = windows.pop()
    return None if stated.values == (str(window),) else f"{window:,}"


def _block_size(stated: Stated, running: Running) -> str | None:
    """The engine says from 0.20 on whether somebody chose it. Models with a state are given
    another size than was asked for, which is no fault."""
    labels = running.labels
    size = labels.get("block_size", "")
    chosen = labels.get("user_specified_block_size")
    aligned = labels.get("mamba_block_size", "None") not in _NOT_SET
    if chosen is None or aligned or not size.isdigit():
        return None
    return None if stated.values == (size,) else size


def _share(stated: Stated, running: Running) -> str | None:
    labels = running.labels
    if labels.get("kv_cache_memory_bytes", "None") not in _NOT_SET:
        return None  # the size of the cache is set in bytes, and the share plays no part
    try:
        declared, now = float(stated.values[0]), float(labels.get("gpu_memory_utilization", ""))
    except ValueError:
        return None
    return None if abs(declared - now) < 1e-6 else f"{now:g}"


def _caching(stated: Stated, running: Running) -> str | None:
    now = running.labels.get("enable_prefix_caching")
    return None if now not in ("True", "False") or stated.values == (now,) else now


def _names(stated: Stated, running: Running) -> str | None:
    served = [model.id for model in running.models]
    missing = [name for name in stated.values if name not in served]
    return visible(", ".join(served), 300) if served and missing else None


def _model(stated: Stated, running: Running) -> str | None:
    """Without a name of its own a model is served as it is written; paths have many spellings."""
    told = {model.id for model in running.models}
    told |= {model.root for model in running.models if model.root is not None}
    known = {_last(name) for name in told}
    if not told or _last(stated.values[0]) in known:
        return None
    return visible(", ".join(model.id for model in running.models), 300)


def _last(name: str) -> str:
    return name.replace("\\", "/").rstrip("/").rpartition("/")[2].lower()


def _version(stated: Stated, running: Running) -> str | None:
    declared, now = _VERSION.match(stated.values[0]), _VERSION.match(running.version or "")
    if declared is None or now is None or "dev" in (running.version or ""):
        return None
    same = all(
        one is None or other is None or int(one) == int(other)
        for one, other in zip(declared.groups(), now.groups(), strict=True)
    )
    return None if same else visible(running.version or "", 60)


_JUDGES = {
    "max_model_len": _window,
    "block_size": _block_size,
    "gpu_memory_utilization": _share,
    "enable_prefix_caching": _caching,
    "served_model_name": _names,
    "model": _model,
    "version": _version,
}
