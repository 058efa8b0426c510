"""KVD908."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING

from checks.launch._say import seen, sure, vllm
from doctor.checkapi import (
    DeclaredFacts,
    Evidence,
    Finding,
    Hop,
    NotApplicable,
    Severity,
    _,
    check,
    facts,
    launched,
    problem,
    visible,
)

if TYPE_CHECKING:
    from doctor.launch.model import Argument, Launch, ModelConfig

_BFLOAT = "bfloat16"
_BFLOAT_FROM = 80
# By ``model_type``: the first version that refuses float16 (_FLOAT16_NOT_SUPPORTED_MODELS of
# vllm/config/model.py, vllm/config.py before 0.11).
_NO_FLOAT16 = {"gemma2": "0.9.1", "gemma3": "0.9.1", "gemma3_text": "0.11.0", "glm4": "0.9.1"}


@check(
    code="KVD908",
    slug="dtype-unsupported",
    severity=Severity.ERROR,
    hop=Hop.ENGINE,
    needs=(facts.LAUNCH,),
)
async def dtype_unsupported(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """A dtype that the GPU or the model cannot be computed in.

    What it checks: `--dtype`, or where it is not given the dtype of the model's config.json,
    against the compute capability of the GPU that `--gpu` names; and `--dtype half` against the
    kind of model in its config.json.

    Why it matters: GPUs before Ampere (V100, T4, RTX 20) have no bfloat16. vLLM stops with
    "Bfloat16 is only supported on GPUs with compute capability of at least 8.0"; without `--dtype`
    newer versions fall back to float16 by themselves. Gemma 2, Gemma 3 and GLM-4 overflow in
    float16: since 0.9.1 vLLM stops with "does not support float16", before that the answers were
    empty or garbled.

    How to fix: `--dtype half` on an old GPU, `--dtype bfloat16` for those models, and
    `--dtype float32`, which doubles the weights, for those models on an old GPU.

    Fix safety: float16 has a smaller range; a few models trained in bfloat16 overflow in it.

    References: facts/vllm.md §5.6 row 84; https://github.com/vllm-project/vllm/issues/18733.
    """
    launch = await launched(f)
    gpu, config, argument = launch.gpu, launch.config, launch.last("--dtype")
    old = gpu is not None and gpu.capability is not None and gpu.capability < _BFLOAT_FROM
    refused_from = _NO_FLOAT16.get(config.model_type or "") if config else None
    if argument is not None and launch.value("--dtype") in ("half", "float16"):
        if config is not None and refused_from is not None:
            yield _overflow(launch, argument, config, refused_from, "float32" if old else _BFLOAT)
    elif old:
        for finding in _without_bfloat16(launch, "float32" if refused_from else "half"):
            yield finding
    else:
        raise NotApplicable("no GPU is named that lacks a dtype")


def _overflow(
    launch: Launch, argument: Argument, config: ModelConfig, refused_from: str, right: str
) -> Finding:
    from doctor.launch.edits import replaced
    from doctor.launch.tables import number_of

    kind = visible(config.model_type or "")
    if (number_of(launch.version.text) or ()) >= (number_of(refused_from) or ()):
        severity = Severity.ERROR
        told = _(
            "{vllm} stops: the model type does not support float16. Write --dtype {right}.",
            vllm=vllm(launch.version),
            right=right,
        )
    else:
        severity = Severity.WARNING
        told = _(
            "{vllm} starts, and the answers may be empty or garbled. Write --dtype {right}.",
            vllm=vllm(launch.version),
            right=right,
        )
    why = _("Its range holds what this model computes.")
    return problem(
        _("{kind} overflows in float16", kind=kind),
        told,
        evidence=(
            seen(launch, argument),
            Evidence("config.json", visible(config.place), f"model_type {kind}"),
        ),
        severity=severity,
        confidence=sure(launch.version),
        edits=(replaced(argument, _spelled(argument, right), why),),
    )


def _without_bfloat16(launch: Launch, right: str) -> Iterator[Finding]:
    from doctor.launch.edits import Edit, replaced
    from doctor.launch.gpus import written

    argument, value = launch.last("--dtype"), launch.value("--dtype")
    other = "float16" if right == "half" else right
    why = _("{dtype} is what this GPU has.", dtype=other)
    what = ""
    if launch.gpu is not None and launch.gpu.capability is not None:
        what = visible(f"{launch.gpu.name} ({written(launch.gpu.capability)})")
    if argument is not None and value == _BFLOAT:
        yield problem(
            _("{gpu} has no bfloat16", gpu=what),
            _(
                "vLLM stops: bfloat16 needs compute capability 8.0. Write --dtype {right}.",
                right=right,
            ),
            evidence=(seen(launch, argument),),
            edits=(replaced(argument, _spelled(argument, right), why),),
        )
    elif value in (None, "auto") and launch.config and launch.config.dtype == _BFLOAT:
        end = max((a.last for a in launch.arguments), default=launch.first - 1) + 1
        put = Edit("--dtype", "", f"--dtype {right}", why, end, end - 1, ("--dtype", right))
        edits = (put,) if argument is None else (replaced(argument, ("--dtype", right), why),)
        yield problem(
            _("{gpu} has no bfloat16, and the model is in it", gpu=what),
            _(
                "Older versions of vLLM stop, newer ones compute in {other} and say so. Write"
                " --dtype {right}.",
                other=other,
                right=right,
            ),
            evidence=(Evidence("config.json", visible(launch.config.place), "dtype bfloat16"),),
            severity=Severity.WARNING,
            edits=edits,
        )


def _spelled(argument: Argument, value: str) -> tuple[str, ...]:
    return (f"--dtype={value}",) if argument.joined else (argument.spelled, value)
