"""KVD920."""

from __future__ import annotations

from collections.abc import AsyncIterator

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

_LEAST = 70


@check(
    code="KVD920",
    slug="hardware-below-minimum",
    severity=Severity.ERROR,
    hop=Hop.ENGINE,
    needs=(facts.LAUNCH,),
)
async def hardware_below_minimum(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The GPU is older than anything that vLLM is built for.

    What it checks: the compute capability of the GPU that `--gpu` names.

    Why it matters: vLLM's kernels are built for compute capability 7.0 (Volta) and later. On an
    older GPU, such as a P40 or a GTX 1080, it stops with "no kernel image is available for
    execution on the device".

    How to fix: another GPU, or a server that supports this one, such as llama.cpp.

    Fix safety: nothing is changed.

    References: vLLM's installation guide (compute capability 7.0 or higher); facts/vllm.md §5.4
    row 62.
    """
    launch = await launched(f)
    gpu = launch.gpu
    if gpu is None or gpu.capability is None or gpu.capability >= _LEAST:
        raise NotApplicable("no GPU is named that is too old")
    from doctor.launch.gpus import written

    yield problem(
        _("{gpu} is too old for vLLM", gpu=visible(gpu.name)),
        _(
            "It has compute capability {capability}; vLLM is built for 7.0 and later, and stops"
            " with 'no kernel image is available'.",
            capability=written(gpu.capability),
        ),
        evidence=(Evidence("--gpu", "", visible(gpu.name)),),
    )
