"""KVD917."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

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
from doctor.patterns import Pattern

if TYPE_CHECKING:
    from doctor.launch.model import Launch, Variable

_NAMES = ("CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES")
# What CUDA and vLLM read between two commas.
_ENTRY = Pattern(r"\s*(?:-?\d+|(?:GPU|MIG)-\S+)\s*")
_AROUND = " \t[](){}'\""
_PART = Pattern(r"(?:cuda|gpu)?[:_]?(\d{1,2})(?:-(\d{1,2}))?", re.I)


@check(
    code="KVD917",
    slug="gpu-selection-wrong",
    severity=Severity.ERROR,
    hop=Hop.ENGINE,
    needs=(facts.LAUNCH,),
)
async def gpu_selection_wrong(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The variable that selects GPUs leaves too few of them, or none.

    What it checks: `CUDA_VISIBLE_DEVICES` (and its ROCm likes) on the line or in the container's
    environment: how many devices it names against tensor × pipeline parallel size, devices named
    twice, an empty value, several MIG instances, numbers that a container does not have, brackets
    and quotes that are part of the value.

    Why it matters: CUDA shows the process exactly what the variable names, and stops reading at
    the first entry that it does not know. With fewer GPUs than ranks vLLM stops ("World size is
    larger than the number of available GPUs"); of MIG instances a process sees one only. The GPUs
    that a container is given count from 0 in it, whatever their numbers on the host are: vLLM asks
    for one that is not there and stops ("NVMLError_InvalidArgument", "invalid device ordinal").
    vLLM takes each part between two commas for a number or a UUID, and stops at any other.

    How to fix: name as many GPUs as there are ranks, by numbers with commas between them, or lower
    the parallel size. An instance of MIG cannot be part of a tensor parallel group; serve one
    engine on each. Of a container that is given certain GPUs take the variable out: it has no
    others.

    Fix safety: other processes may be using the GPUs that are added.

    References: facts/vllm.md §5.5 row 65; vllm/platforms/interface.py@0.32.0; NVIDIA's CUDA and MIG
    documentation; NVIDIA/nvidia-docker issue 907; NVIDIA/nvidia-container-toolkit issue 73
    (privileged).
    """
    launch = await launched(f)
    variable = next((v for v in launch.variables if v.name in _NAMES and v.known), None)
    if variable is None:
        raise NotApplicable("the line does not select GPUs")
    finding = _judge(launch, variable)
    if finding is not None:
        yield finding


def _judge(launch: Launch, variable: Variable) -> Finding | None:
    from doctor.launch.machines import several_machines

    shown = visible(f"{variable.name}={variable.value}")
    evidence = (Evidence(_("variable"), launch.place, shown),)
    devices = [part.strip() for part in variable.value.split(",") if part.strip()]
    ranks = launch.ranks or 1
    if not devices or devices[0] in ("-1", "none", "None", "NoDevFiles"):
        if launch.value("--device") == "cpu":
            return None
        return problem(
            _("{name} hides every GPU", name=variable.name),
            _(
                "CUDA shows the process none, and vLLM finds no device. Name the GPUs, or take the"
                " variable out."
            ),
            evidence=evidence,
        )
    migs = [device for device in devices if device.upper().startswith("MIG")]
    if migs and (len(migs) > 1 or ranks > 1):
        return problem(
            _("A process sees one MIG instance only"),
            _(
                "{count} are named, and {ranks} ranks are asked for. Start one engine for each"
                " instance, with tensor parallel size 1.",
                count=len(migs),
                ranks=ranks,
            ),
            evidence=evidence,
        )
    if len(set(devices)) < len(devices):
        return problem(
            _("{name} names a GPU twice", name=variable.name),
            _("CUDA then shows the process no GPU at all. Name each once."),
            evidence=evidence,
        )
    if devices == ["all"]:
        return problem(
            _("{name} does not know 'all'", name=variable.name),
            _("That word is for NVIDIA_VISIBLE_DEVICES and --gpus. CUDA shows the process no GPU."),
            evidence=evidence,
        )
    if (meant := _meant(variable.value)) is not None:
        return problem(
            _("{name} is not a list of numbers", name=variable.name),
            _(
                "vLLM splits {value} at its commas and takes each part for a number, or for a UUID."
                " Write {name}={meant}.",
                value=visible(variable.value),
                name=variable.name,
                meant=meant,
            ),
            evidence=evidence,
        )
    if (outside := _outside(launch, variable, devices)) is not None:
        return outside
    if ranks > len(devices) and not several_machines(launch):
        return problem(
            _("{ranks} ranks, {count} visible GPUs", ranks=ranks, count=len(devices)),
            _(
                "vLLM needs a GPU for each rank of tensor × pipeline parallel and stops. Name"
                " {ranks} GPUs, or lower the parallel size to {count}.",
                ranks=ranks,
                count=len(devices),
            ),
            evidence=evidence,
        )
    return None


def _meant(value: str) -> str | None:
    """The numbers of a list in another form than CUDA's; None where it is in that form, or where
    they cannot be told."""
    if all(_ENTRY.fullmatch(part) for part in value.split(",") if part.strip()):
        return None
    numbers: list[int] = []
    for part in re.split(r"[,;\s]+", value.strip(_AROUND)):
        match = _PART.fullmatch(part.strip(_AROUND))
        if match is None:
            return None
        first = int(match[1])
        numbers += range(first, int(match[2] or first) + 1)
    return ",".join(map(str, numbers)) or None


def _outside(launch: Launch, variable: Variable, devices: list[str]) -> Finding | None:
    """Numbers of the host's in a container that has fewer GPUs."""
    from doctor.launch.edits import Edit

    container = launch.container
    if container is None or container.gpus is None:
        return None
    beyond = [one for one in devices if one.isdigit() and int(one) >= container.gpus]
    if not beyond:
        return None
    why = _("The container has the GPUs that it is given, and no others.")
    spans = (variable.cut,) if variable.cut is not None else ()
    return problem(
        _("{name} names GPUs that the container does not have", name=variable.name),
        _(
            "It is given {count}, and they count from 0 in it, whatever their numbers on the host"
            " are. vLLM asks for number {number} and stops. Take the variable out.",
            count=container.gpus,
            number=beyond[0],
        ),
        evidence=(
            Evidence(_("variable"), launch.place, visible(f"{variable.name}={variable.value}")),
        ),
        edits=(Edit(variable.name, variable.value, "", why, spans=spans),) if spans else (),
    )
