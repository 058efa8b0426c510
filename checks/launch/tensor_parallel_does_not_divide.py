"""KVD904."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from checks.launch._say import seen
from doctor.checkapi import (
    DeclaredFacts,
    Evidence,
    Finding,
    Hop,
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
    from doctor.launch.model import Argument, Launch, ModelConfig

_TENSOR = "--tensor-parallel-size"


@check(
    code="KVD904",
    slug="tensor-parallel-does-not-divide",
    severity=Severity.ERROR,
    hop=Hop.ENGINE,
    needs=(facts.LAUNCH,),
)
async def tensor_parallel_does_not_divide(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The model cannot be split over so many GPUs, or there are not so many.

    What it checks: `--tensor-parallel-size` against the attention heads and KV heads of the
    model's config.json, where that file is at hand; tensor × pipeline parallel size against the
    GPUs that the line itself, the container or `--gpus` names.

    Why it matters: every rank holds whole heads. vLLM stops with "Total number of attention heads
    must be divisible by tensor parallel size", or with "World size is larger than the number of
    available GPUs".

    How to fix: take the proposed size, which divides both numbers. More GPUs are put to use by
    `--pipeline-parallel-size` or by further replicas.

    Fix safety: fewer ranks need more memory on each GPU; `kvdoctor memory` says whether it fits.

    References: facts/vllm.md §5.5 rows 64 and 65; vllm/config/model.py@0.32.0.
    """
    launch = await launched(f)
    argument = launch.last(_TENSOR)
    size = launch.number(_TENSOR) if argument is not None else None
    if argument is not None and size is not None and size > 1 and launch.config is not None:
        finding = _heads(launch, argument, size, launch.config)
        if finding is not None:
            yield finding
            return
    finding = _gpus(launch)
    if finding is not None:
        yield finding


def divides(size: int, config: ModelConfig) -> bool:
    """Whether a tensor parallel size suits a model, as far as its file tells."""
    if config.heads is not None and config.heads % size:
        return False
    kv = config.kv_heads
    # With fewer KV heads than ranks each is kept on several.
    return kv is None or kv % size == 0 or (size > kv and size % kv == 0)


def _heads(launch: Launch, argument: Argument, size: int, config: ModelConfig) -> Finding | None:
    if config.heads is None or divides(size, config):
        return None
    from doctor.launch.edits import replaced, valued

    fitting = max(n for n in range(1, size) if divides(n, config))
    possible = [n for n in range(1, 65) if divides(n, config)]
    kv = config.kv_heads
    why = _("The largest size below that divides the heads.")
    words = valued(argument, str(fitting))
    return problem(
        _(
            "{heads} attention heads do not divide by tensor parallel size {size}",
            heads=config.heads,
            size=size,
        )
        if config.heads % size
        else _("{kv} KV heads do not divide by tensor parallel size {size}", kv=kv, size=size),
        joined(
            _(
                "The model has {heads} heads and {kv} KV heads; vLLM stops at this size.",
                heads=config.heads,
                kv=kv if kv is not None else "?",
            ),
            _(
                "Sizes that work: {sizes}. {fitting} is the largest below {size}.",
                sizes=", ".join(map(str, possible[:8])),
                fitting=fitting,
                size=size,
            ),
        ),
        evidence=(
            seen(launch, argument),
            Evidence(
                _("config.json"), visible(config.place), f"num_attention_heads {config.heads}"
            ),
        ),
        edits=(replaced(argument, words, why),),
    )


def _gpus(launch: Launch) -> Finding | None:
    """More ranks than GPUs; those that CUDA_VISIBLE_DEVICES leaves are KVD917's."""
    from doctor.launch.machines import several_machines

    ranks = launch.ranks
    if ranks is None or ranks < 2 or several_machines(launch):
        return None
    if launch.variable("CUDA_VISIBLE_DEVICES") is not None:
        return None
    there, who = None, ""
    if launch.gpu is not None and launch.gpu.count is not None:
        there, who = launch.gpu.count, "--gpus"
    elif launch.container is not None and launch.container.gpus is not None:
        there, who = launch.container.gpus, _("the container")
    if there is None or ranks <= there:
        return None
    argument = launch.last(_TENSOR) or launch.last("--pipeline-parallel-size")
    if argument is None:
        return None
    return problem(
        _("{ranks} ranks for {gpus} GPUs", ranks=ranks, gpus=there),
        _(
            "Tensor × pipeline parallel size is {ranks}, and {who} gives {gpus}. vLLM needs one"
            " GPU for each rank and stops.",
            ranks=ranks,
            who=who,
            gpus=there,
        ),
        evidence=(seen(launch, argument),),
    )
