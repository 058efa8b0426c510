"""``kvdoctor.memory/1``: the one place that knows its keys; ``schemas/memory-1.json`` is the
contract. Sizes are bytes per rank, words are vLLM's own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from doctor.memory import versions
from doctor.memory.advice import Advice
from doctor.memory.budget import Budget
from doctor.memory.case import MemoryCase, variant
from doctor.memory.errors import ModelError, OptionError
from doctor.memory.gpus import Gpu
from doctor.memory.options import RULES_OF
from doctor.memory.plan import Plan
from doctor.memory.ranges import Range
from doctor.models import CheckResult, Finding
from doctor.render.document import check_document, finding_document, tool
from doctor.untrusted import visible

SCHEMA = "kvdoctor.memory/1"


def memory_document(
    case: MemoryCase,
    advice: Advice | None,
    findings: Sequence[Finding],
    results: Sequence[CheckResult],
    notes: Sequence[str],
) -> dict[str, Any]:
    weights, plan = case.weights, case.likely
    exact = versions.exactness(case.options, plan.recurrent, plan.latent) is None
    return {
        "schema": SCHEMA,
        "tool": tool(),
        "model": {
            "name": visible(case.model.name),
            "architecture": visible(case.model.config.architecture),
            "source": visible(case.model.source),
            "parameters": None if weights is None else weights.parameters,
        },
        "vllm_version": {
            "version": case.options.version,
            "rules_of": RULES_OF,
            "exact": exact,
        },
        "weights_bytes": None if weights is None else weights.per_rank,
        "weights": None
        if weights is None
        else {
            "total_bytes": weights.total,
            "per_rank_bytes": weights.per_rank,
            "source": visible(weights.source),
            "exact": weights.exact,
            "stored_as": visible(weights.scheme),
            "vision_part_rough": weights.partial,
        },
        "kv": kv_document(plan),
        "all_full": all_full(case),
        "gpu": None if case.gpu is None else gpu_document(case, case.gpu, case.budget),
        "advice": None if advice is None else advice_document(advice),
        "findings": [finding_document(finding) for finding in findings],
        "checks": [check_document(result) for result in results],
        "notes": [visible(note) for note in notes],
    }


def kv_document(plan: Plan) -> dict[str, Any]:
    """The cache of one rank. Counts are null where the memory is not known."""
    return {
        "bytes_per_token": plan.bytes_per_token,
        "block_size": plan.block_size,
        "bytes_per_block": plan.bytes_per_block,
        "num_blocks": plan.num_blocks,
        "tokens": plan.tokens,
        "max_concurrency": plan.max_concurrency,
        "bytes_for_one_request": plan.bytes_for_one_request,
        "layers": [
            {
                "spec": row.spec,
                "count": row.count,
                "page_bytes": row.page_bytes,
                "block_size": row.block_size,
                "window": row.span,
            }
            for row in plan.rows
        ],
        "groups": [
            {
                "spec": group.first.kind.value,
                "layers": len(group.layers),
                "block_size": group.first.block_size,
                "page_bytes": group.page,
            }
            for group in plan.groups
        ],
        "available_bytes": plan.available,
        "blocks_for_one_request": plan.blocks_for_one_request,
        "one_request_fits": plan.one_request_fits,
        "max_model_len": plan.max_model_len,
        "max_num_batched_tokens": plan.batched_tokens,
        "in_flight_tokens": plan.need.in_flight,
        "dtype": plan.dtype if plan.kv_dtype == "auto" else plan.kv_dtype,
        "admitted_by": "window" if plan.windowed else "full length",
    }


def all_full(case: MemoryCase) -> dict[str, Any] | None:
    """The same with every layer stored in full, where some keep a window only; else null."""
    if not case.likely.windowed or case.options.disable_hybrid_kv_cache_manager:
        return None
    try:
        whole = variant(case, disable_hybrid_kv_cache_manager=True).likely
    except (ModelError, OptionError):
        return None
    if whole.windowed:
        return None  # every layer has the window: there is nothing to be stored in full
    return {
        "bytes_per_block": whole.bytes_per_block,
        "num_blocks": whole.num_blocks,
        "tokens": whole.tokens,
        "max_concurrency": whole.max_concurrency,
        "bytes_for_one_request": whole.bytes_for_one_request,
    }


def gpu_document(case: MemoryCase, gpu: Gpu, budget: Budget | None) -> dict[str, Any]:
    """What is estimated is null where the weights are not known."""
    share = case.options.gpu_memory_utilization
    return {
        "name": visible(gpu.name),
        "source": visible(gpu.source),
        "total_bytes": gpu.total,
        "utilization": versions.default_utilization(case.options) if share is None else share,
        "requested_bytes": None if budget is None else budget.requested,
        "weights_bytes": None if budget is None else budget.weights,
        "padding_bytes": None if budget is None else _range(budget.padding),
        "activations_bytes": None if budget is None else _range(budget.activations),
        "graphs_bytes": None if budget is None else _range(budget.graphs),
        "libraries_bytes": None if budget is None else _range(budget.libraries),
        "available_bytes": None if budget is None else _range(budget.available),
        "headroom_bytes": None
        if budget is None
        else budget.available.likely - case.likely.bytes_for_one_request,
        "estimate": True,
    }


def advice_document(advice: Advice) -> dict[str, Any]:
    return {
        "max_model_len": advice.longest,
        "requests": advice.requests,
        "max_num_seqs": advice.at_once,
        "smallest_tensor_parallel_size": advice.smallest_tp,
        "flags": list(advice.line),
        "knobs": [
            {
                "flag": knob.flag,
                "tokens": knob.tokens,
                "max_concurrency": round(knob.max_concurrency, 4),
                "max_model_len": knob.longest,
                "note": None if knob.note is None else visible(knob.note),
            }
            for knob in advice.knobs
        ],
    }


def _range(span: Range) -> dict[str, int]:
    return {"low": span.low, "likely": span.likely, "high": span.high}
