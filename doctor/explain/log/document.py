"""The ``engine`` object of ``kvdoctor.explain/1``: sizes are GiB, as the log rounds them."""

from __future__ import annotations

from typing import Any

from doctor.explain.answer import Answer
from doctor.explain.log.budget import knobs_of, left_of, parts_of, tightest
from doctor.explain.log.engine import Start
from doctor.untrusted import visible


def engine_document(told: Answer) -> dict[str, Any] | None:
    """None where the text is no engine's log."""
    start = told.start
    if start is None:
        return None
    return {
        "version": None if start.version is None else visible(start.version, 60),
        "starts": told.starts,
        "failed_starts": told.failures,
        "line": start.line,
        "ready_line": start.ready,
        "args": _plain(start.args),
        "config": _plain(start.config),
        "budget": _budget(start),
        "kv": _kv(start),
        "load": _load(start),
    }


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    return {
        visible(name, 100): visible(value, 300) if isinstance(value, str) else value
        for name, value in values.items()
    }


def _budget(start: Start) -> dict[str, Any] | None:
    found = tightest(start)
    if found is None:
        return None
    process, memory = found
    left = left_of(memory)
    return {
        "process": visible(process, 60),
        "processes": len(start.memory),
        "total_gib": memory.total,
        "free_at_start_gib": memory.free_at_start,
        "utilization": memory.utilization,
        "requested_gib": memory.requested,
        "parts": [{"name": part.name, "gib": part.gib} for part in parts_of(memory)],
        "not_requested_gib": None if left is None else left.gib,
        "knobs": [
            {
                "flag": knob.flag,
                "gib": knob.gib,
                "tokens": knob.tokens,
                "text": visible(knob.text),
            }
            for knob in knobs_of(start, memory)
        ],
    }


def _kv(start: Start) -> dict[str, Any] | None:
    kv = start.kv
    if kv.tokens is None and kv.blocks is None and kv.window is None:
        return None
    return {
        "device": kv.device,
        "tokens": kv.tokens,
        "blocks": kv.blocks,
        "window": kv.window,
        "max_concurrency": kv.concurrency,
        "block_size": kv.block_size,
        "auto_fit_from": kv.auto_fit_from,
        "padding_percent": kv.padding_percent,
        "hybrid_manager_off": kv.hybrid_off,
    }


def _load(start: Start) -> dict[str, Any] | None:
    load = start.load
    if not load.samples:
        return None
    return {
        "samples": load.samples,
        "peak_kv_percent": load.peak_kv_percent,
        "peak_running": load.peak_running,
        "peak_waiting": load.peak_waiting,
        "preemptions": load.preemptions,
        "prefix_hit_percent": load.last_hit_percent,
    }
