"""KVD907."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from checks.launch._say import seen, sure, vllm
from doctor.checkapi import (
    Confidence,
    DeclaredFacts,
    Evidence,
    Finding,
    Hop,
    NotApplicable,
    Severity,
    _,
    check,
    facts,
    joined,
    launched,
    problem,
    visible,
)

if TYPE_CHECKING:
    from doctor.launch.model import Argument, Launch

_FLAG = "--quantization"
# What one checkpoint may be run as.
_FAMILIES = (
    frozenset({"awq", "awq_marlin", "auto_awq", "moe_wna16", "humming", "ipex", "cpu_awq"}),
    frozenset({"gptq", "gptq_marlin", "gptq_marlin_24", "gptq_bitblas", "auto_gptq", "auto-round"})
    | {"moe_wna16", "humming", "marlin", "ipex", "inc"},
    frozenset({"fp8", "fbgemm_fp8", "ptpc_fp8", "deepseek_v4_fp8", "modelopt", "humming"}),
    frozenset({"compressed-tensors", "humming"}),
    frozenset({"modelopt", "modelopt_fp4", "modelopt_mxfp8", "modelopt_mixed", "nvfp4"}),
    frozenset({"mxfp4", "gpt_oss_mxfp4", "humming", "quark"}),
    frozenset({"bitsandbytes"}),
    frozenset({"gguf"}),
)
# These quantize while loading; the checkpoint need not be prepared for them.
_ONLINE = frozenset(
    {"fp8", "bitsandbytes", "experts_int8", "torchao", "online", "ptpc_fp8", "inc", "rtn", "mxfp8"}
    | {"fp8_per_tensor", "fp8_per_block", "fp8_per_channel", "int8_per_channel_weight_only"}
    | {"nvfp4_per_token", "humming"}
)
_PREPARED = frozenset({"awq", "awq_marlin", "gptq", "gptq_marlin", "compressed-tensors"})
_NAMES = (("-awq", "awq"), ("-gptq", "gptq"), (".gguf", "gguf"), ("-gguf", "gguf"))
_HALF_ONLY = frozenset({"awq", "gptq"})


@check(
    code="KVD907",
    slug="quantization-mismatch",
    severity=Severity.ERROR,
    hop=Hop.ENGINE,
    needs=(facts.LAUNCH,),
)
async def quantization_mismatch(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """`--quantization` names another format than the weights have, or one that the dtype rules out.

    What it checks: the flag against `quantization_config` of the model's config.json where that
    is at hand, against what the model's name says, and against `--dtype`.

    Why it matters: vLLM stops with "Quantization method specified in the model config does not
    match", or finds no file for the method. GGUF files need a llama.cpp-like reader, AWQ and GPTQ
    kernels a 16-bit dtype.

    How to fix: leave the flag out: vLLM reads the format from config.json and takes the fastest
    kernel for it. Where the GPU has no kernel for a format, take the model in another.

    Fix safety: without the flag the same weights are read in their own format.

    References: facts/vllm.md §5.6 rows 86 to 89; facts/gateway-clients.md §4.3 row 22.
    """
    launch = await launched(f)
    argument = launch.last(_FLAG)
    method = launch.value(_FLAG)
    if argument is None or not method or method == "None":
        raise NotApplicable("no quantization is asked for")
    for finding in (_against_weights(launch, argument, method), _dtype(launch, argument, method)):
        if finding is not None:
            yield finding


def _related(one: str, other: str) -> bool:
    return one == other or any(one in family and other in family for family in _FAMILIES)


def _against_weights(launch: Launch, argument: Argument, method: str) -> Finding | None:
    from doctor.launch.edits import removed
    from doctor.launch.models import model_of

    why = _("vLLM reads the format from config.json.")
    edit = removed(argument, why)
    config = launch.config
    if config is not None and config.quantization is not None:
        if _related(config.quantization, method) or config.quantization not in _told():
            return None
        return problem(
            _(
                "The weights are {real}, the line says {method}",
                real=config.quantization,
                method=visible(method),
            ),
            joined(_("vLLM stops at the difference."), why, _("Leave --quantization out.")),
            evidence=(
                seen(launch, argument),
                Evidence(
                    "config.json", visible(config.place), f"quant_method {config.quantization}"
                ),
            ),
            edits=(edit,),
        )
    if config is not None and method in _PREPARED:
        return problem(
            _("The weights are not quantized, the line says {method}", method=visible(method)),
            joined(
                _(
                    "config.json has no quantization_config; {method} needs weights that were"
                    " prepared for it, and vLLM stops.",
                    method=visible(method),
                ),
                _("Leave --quantization out, or take a checkpoint in that format."),
            ),
            evidence=(
                seen(launch, argument),
                Evidence("config.json", visible(config.place), "no quantization_config"),
            ),
            edits=(edit,),
        )
    name = model_of(launch) or ""
    told = next((m for mark, m in _NAMES if mark in name.lower()), None)
    if told is None or _related(told, method):
        return None
    return problem(
        _(
            "The model's name says {told}, the line says {method}",
            told=told,
            method=visible(method),
        ),
        joined(
            _("If the name is right vLLM stops at the difference."),
            why,
            _("Leave --quantization out."),
        ),
        evidence=(seen(launch, argument), Evidence(_("model"), launch.place, visible(name))),
        severity=Severity.WARNING,
        confidence=Confidence.MEDIUM,
        edits=(edit,),
    )


def _told() -> frozenset[str]:
    return frozenset().union(*_FAMILIES)


def _dtype(launch: Launch, argument: Argument, method: str) -> Finding | None:
    """AWQ and GPTQ, taken by their own names, run in 16 bits only."""
    from doctor.launch.edits import removed
    from doctor.launch.tables import number_of

    dtype = launch.last("--dtype")
    value = launch.value("--dtype")
    if dtype is None or value is None or method not in _HALF_ONLY:
        return None
    number = number_of(launch.version.table) or (0, 0)
    bfloat = value == "bfloat16" and not launch.version.assumed and number[:2] < (0, 10)
    if value not in ("float32", "float") and not bfloat:
        return None
    return problem(
        _("{method} weights do not run in {dtype}", method=visible(method), dtype=visible(value)),
        _(
            "{vllm} stops: the kernels compute in {possible}. Leave --dtype out.",
            vllm=vllm(launch.version),
            possible="float16" if bfloat or number[:2] < (0, 10) else "float16, bfloat16",
        ),
        evidence=(seen(launch, argument), seen(launch, dtype)),
        severity=Severity.ERROR if value != "bfloat16" else Severity.WARNING,
        confidence=sure(launch.version) if value != "bfloat16" else Confidence.MEDIUM,
        edits=(removed(dtype, _("vLLM takes the dtype of config.json.")),),
    )
