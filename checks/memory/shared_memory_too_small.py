"""KVD812."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from doctor.checkapi import (
    DeclaredFacts,
    Evidence,
    Finding,
    Hop,
    NotApplicable,
    Severity,
    Text,
    _,
    check,
    facts,
    joined,
    launched,
    problem,
)

if TYPE_CHECKING:
    from doctor.launch.edits import Edit
    from doctor.launch.model import Container

# What container runtimes give where nothing is said, and what several ranks want.
_DEFAULT = 64 * 1024**2
_ENOUGH = 1024**3


@check(
    code="KVD812",
    slug="shared-memory-too-small",
    severity=Severity.WARNING,
    hop=Hop.ENGINE,
    needs=(facts.LAUNCH,),
)
async def shared_memory_too_small(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """Several ranks in a container that has next to no shared memory.

    What it checks: `--ipc` and `--shm-size` of docker run, `ipc` and `shm_size` of a compose
    service, a volume in memory at /dev/shm of a pod, when tensor or pipeline parallel size is
    above 1.

    Why it matters: ranks talk through /dev/shm, of which a container has 64 MiB. NCCL then says
    "unhandled system error", with NCCL_DEBUG=INFO "Error while creating shared memory segment".

    How to fix: `--ipc=host` or `--shm-size 16g`; `ipc: host` in compose; in a pod an emptyDir with
    `medium: Memory` mounted at /dev/shm.

    Fix safety: `--ipc=host` lets the container see the shared memory of the host's processes;
    `--shm-size` does not.

    References: facts/vllm.md §5.5 row 68.
    """
    launch = await launched(f)
    container = launch.container
    if container is None or container.runtime == "build":
        raise NotApplicable("the line starts no container")
    ranks = launch.ranks
    if ranks is None or ranks < 2:
        raise NotApplicable("one rank needs no shared memory")
    if container.ipc not in ("", "private", "shareable", "none"):
        return
    size = _DEFAULT if container.shm is None else container.shm
    if size >= _ENOUGH:
        return
    yield problem(
        _("{ranks} ranks with {size} MiB of shared memory", ranks=ranks, size=size // 1024**2),
        joined(
            _("The ranks talk through /dev/shm; NCCL often stops with 'unhandled system error'."),
            _how(container.runtime),
        ),
        evidence=(
            Evidence(
                _("container"),
                launch.place,
                "no ipc or shm size" if container.shm is None else f"shm {size:,} bytes",
            ),
        ),
        edits=_edits(container),
    )


def _how(runtime: str) -> Text:
    if runtime == "compose":
        return _("Add 'ipc: host' or 'shm_size: 16gb' to the service.")
    if runtime == "kubernetes":
        return _("Mount an emptyDir with 'medium: Memory' at /dev/shm.")
    return _("Start the container with --ipc=host or --shm-size 16g.")


def _edits(container: Container) -> tuple[Edit, ...]:
    from doctor.launch.edits import Edit

    if container.more_shm is None or container.shm is not None:
        return ()
    new = container.more_shm.text.strip()
    why = _("The ranks share memory with the host.")
    return (Edit("ipc", "", new, why, spans=(container.more_shm,)),)
