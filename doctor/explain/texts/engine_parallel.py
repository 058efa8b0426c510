"""Texts of vLLM, NCCL and Ray about several GPUs (facts/vllm.md §5.5)."""

from __future__ import annotations

import re

from doctor.explain.model import Cause, symptom
from doctor.text import _

# More ranks than this are hardly one machine.
_MOST = 16


def _heads(match: re.Match[str]) -> tuple[Cause, ...]:
    heads, size = int(match["heads"]), int(match["size"])
    fitting = [n for n in range(min(heads, _MOST), 0, -1) if heads % n == 0]
    # The next smaller one surely has its GPUs.
    fits = next((n for n in fitting if n < size), None)
    told = _(
        "{size} does not divide {heads} heads; {all} do",
        size=size,
        heads=heads,
        all=", ".join(map(str, reversed(fitting))),
    )
    change = (f"--tensor-parallel-size {fits}",) if fits else ()
    return (Cause("KVD904", 0.95, told, (*change, "--pipeline-parallel-size")),)


def _world(match: re.Match[str]) -> tuple[Cause, ...]:
    ranks, cards = match["ranks"], match["cards"]
    return (
        Cause(
            "KVD904",
            0.8,
            _("{ranks} ranks were asked for, {cards} GPUs are seen", ranks=ranks, cards=cards),
            (f"--tensor-parallel-size {cards}",) if cards != "0" else (),
        ),
        Cause("KVD917", 0.5, _("does CUDA_VISIBLE_DEVICES, or docker's --gpus, hide some?")),
    )


def split_of(match: re.Match[str], ranks: int | None) -> tuple[Cause, ...]:
    """Why a quantized layer cannot be cut so. ``ranks`` is the number of parts, None where it is
    not known; a layer that is not cut at all is named a part of itself."""
    listed = match.string.lower().rfind("cannot implement due to", 0, match.start()) >= 0
    if not match["part"]:
        told, change, cut = _("does it load with fewer GPUs?"), "--tensor-parallel-size", ranks != 1
    else:
        part, unit = int(match["part"]), int(match["unit"])
        told = _("each part has {part:,}, and has to be a multiple of {unit}", part=part, unit=unit)
        fits = _fewer(part, unit, ranks)
        if ranks is not None and fits is not None:
            told = _(
                "{whole:,} over {ranks} GPUs is {part:,} each, no multiple of {unit}; over {fits}"
                " it is",
                whole=part * ranks,
                ranks=ranks,
                part=part,
                unit=unit,
                fits=fits,
            )
        change = f"--tensor-parallel-size {fits}" if fits else "--tensor-parallel-size"
        # vLLM lists why each kernel is out, also where one GPU has it all.
        cut = fits is not None if ranks is not None else not listed
    groups = _("a quantized layer also needs whole groups in each part")
    if not cut:
        return (
            Cause("KVD907", 0.8, _("this kernel does not take the shape of the weights")),
            *(() if ranks == 1 else (Cause("KVD904", 0.4, told, (change,)),)),
        )
    return (Cause("KVD904", 0.85, told, (change,)), Cause("KVD907", 0.5, groups))


def _fewer(part: int, unit: int, ranks: int | None) -> int | None:
    """The largest smaller number of GPUs over which the parts fit, None where none does. The heads
    are divided by ``ranks``, and so by what divides that."""
    if ranks is None or unit < 1:
        return None
    smaller = (n for n in range(ranks - 1, 0, -1) if ranks % n == 0)
    return next((n for n in smaller if part * ranks // n % unit == 0), None)


SPLIT = symptom(
    r"(?:(?:in|out)put_(?:size_per_partition|partition_size)|(?:gate|down)'s .{0,20}weight)"
    r" ?= ?(?P<part>\d+) is not divisible by (?:weight quantization )?\w+ ?= ?(?P<unit>\d+)"
    r"|(?:in|out)put size is not aligned with the quantized weight shape",
    _("a quantized layer, or each GPU's part of it, has a size that no kernel takes"),
    lambda match: split_of(match, None),
)

_PARTS = symptom(
    r"\b(?:must|should) be (?:evenly )?(?:divisible by|a multiple of)"
    r"(?! (?:tensor parallel size|n_predict|size_|min_thread|the (?:group|block)))"
    r"|assert [^=\n]{1,80}% [\w.]*(?:tp|ep|dp|world|parallel|rank)\w* == 0|must evenly divide",
    _("something of the model, or of the line, cannot be split evenly"),
    Cause("KVD904", 0.7, _("does it start with fewer GPUs, or with a power of two of them?")),
    Cause("KVD907", 0.4, _("a quantized layer also needs whole groups in each part")),
)

# Only from an engine: elsewhere the same words are about something else.
HERE_ONLY = (_PARTS,)

SYMPTOMS = (
    SPLIT,
    symptom(
        r"total number of (?:attention|kv) heads \((?P<heads>\d+)\) must be divisible by tensor"
        r" parallel size \((?P<size>\d+)\)",
        _("the attention heads cannot be split evenly over the GPUs"),
        _heads,
    ),
    symptom(
        r"(?<!\d)(?P<dim>\d+) is not divisible by (?P<size>\d+)",
        _("a dimension of the model cannot be split evenly over the GPUs"),
        lambda match: (
            Cause(
                "KVD904",
                0.75,
                _("{size} does not divide {dim}", size=match["size"], dim=match["dim"]),
            ),
            Cause("KVD907", 0.3, _("a quantized layer also needs whole groups in each part")),
        ),
    ),
    symptom(
        r"world[ _]size \((?P<ranks>\d+)\) is (?:larger than the number of available gpus"
        r"|less than (?:than )?max local gpu count) \((?P<cards>\d+)\)",
        _("more ranks than GPUs"),
        _world,
    ),
    symptom(
        r"number of required \w+s exceeds the total number of available \w+s"
        r"|current node has no gpu available|no available node types can fulfill"
        r"|cannot provide a placement group|ray does not allocate any gpus on the driver node",
        _("Ray has fewer GPUs than the ranks need"),
        Cause("KVD904", 0.75, _("compare tensor × pipeline parallel with 'ray status'")),
        Cause("KVD917", 0.3, _("does a node hide its GPUs?")),
    ),
    symptom(
        r"invalid device ordinal|device ordinal .{0,20}out of range",
        _("a GPU of that number is not there"),
        Cause("KVD904", 0.6, _("are there as many GPUs as ranks?")),
        Cause("KVD917", 0.6, _("does CUDA_VISIBLE_DEVICES name a GPU that is not there?")),
    ),
    symptom(
        r"(?:error while creating shared memory segment|no space left on device).{0,80}/dev/shm"
        r"|/dev/shm.{0,120}(?:no space left|too small|insufficient)"
        r"|unable to (?:allocate|write to) .{0,30}shared memory|insufficient shared memory"
        r"|unexpected bus error.{0,120}shared memory|exceeds memory available in /dev/shm",
        _("the shared memory of the container is too small for what the ranks exchange"),
        Cause("KVD812", 0.95, _("docker gives 64 MiB"), ("--ipc=host", "--shm-size=16g")),
    ),
    symptom(
        r"\bsigbus\b|fatal python error: bus error|^bus error\b",
        _("a process touched memory that the system could not give: most often /dev/shm is full"),
        Cause("KVD812", 0.8, _("docker gives 64 MiB"), ("--ipc=host", "--shm-size=16g")),
        Cause("KVD915", 0.2, _("or is the disk full that a file was mapped from?")),
    ),
    symptom(
        r"invalid literal for int\(\) with base 10: [`'\"]?(?P<id>(?:MIG|GPU)-[\w-]{1,60})",
        _("vLLM reads the entries of CUDA_VISIBLE_DEVICES as numbers"),
        lambda match: (
            Cause(
                "KVD917",
                0.95,
                _(
                    "{id} is none: give the container that device alone, or use its index",
                    id=match["id"],
                ),
                ("--device-ids 0",),
            ),
        ),
    ),
    symptom(
        # vLLM where NVML is not there, or not NVIDIA's (vllm/platforms/interface.py@0.32.0); verl.
        r"non-integer device id (?P<id>\S{1,60}) is not supported by"
        r"|failed to convert logical device id \d+ to physical device id",
        _("an entry of CUDA_VISIBLE_DEVICES is no number"),
        Cause(
            "KVD917",
            0.85,
            _("write numbers with commas between them, such as 0,1: no brackets, no quotes"),
            ("CUDA_VISIBLE_DEVICES",),
        ),
        Cause("KVD904", 0.3, _("or are there fewer GPUs than ranks?")),
    ),
    symptom(
        r"nccl error.{0,200}unhandled system error|ncclsystemerror",
        _("NCCL could not set up what the ranks exchange through"),
        Cause(
            "KVD812",
            0.7,
            _("in a container: is /dev/shm larger than docker's 64 MiB?"),
            ("--ipc=host", "--shm-size=16g"),
        ),
        Cause("KVD923", 0.4, _("NCCL_DEBUG=INFO names the call that failed")),
    ),
    symptom(
        r"^(?!.*out of memory).*(?:nccl error.{0,200}"
        r"(?:unhandled cuda error|invalid usage|internal error|remote process)"
        r"|ncclunhandledcudaerror|ncclinternalerror|ncclinvalidusage|ncclremoteerror"
        r"|peer access is not supported between|nccl communicator was aborted"
        r"|watchdog caught collective operation timeout|gloo.{0,80}connectfullmesh failed"
        r"|unable to find address for:? \S+|client socket has (?:timed out|failed)"
        r"|dist(?:network|store|backend)?error: (?!.*(?:eaddrinuse|failed to listen|unhandled"
        r" system))|timed out after \d+ ?\w* waiting for clients|no socket interface found"
        r"|nccl warn (?:call to \w+|bootstrap|net/\w+) .{0,40}(?:fail|no |refused|timed)"
        r"|tcp client failed to connect|connect\(\) timed out.{0,40}original timeout"
        r"|every node should have a unique ip address"
        r"|remote process exited or there was a network)",
        _("the GPUs or nodes could not reach one another"),
        Cause(
            "KVD923",
            0.85,
            _("NCCL_DEBUG=INFO names the call that failed; over nodes, is the interface right?"),
            ("NCCL_P2P_DISABLE=1", "NCCL_SOCKET_IFNAME", "NCCL_CUMEM_HOST_ENABLE=0"),
        ),
        Cause("KVD812", 0.2, _("in a container: is /dev/shm larger than docker's 64 MiB?")),
    ),
    symptom(
        r"duplicate gpu detected ?: ?rank \d+ and rank \d+",
        _("two ranks use the same GPU"),
        Cause(
            "KVD917",
            0.9,
            _("are there as many GPUs as ranks, and does CUDA_VISIBLE_DEVICES name each once?"),
        ),
        Cause("KVD904", 0.4, _("or are more ranks asked for than there are GPUs?")),
    ),
    symptom(
        r"custom_all_?reduce\S{0,40}.{0,60}(?:invalid argument|error|peer)",
        _("the GPUs could not share memory for vLLM's own all-reduce"),
        Cause(
            "KVD923",
            0.85,
            _("NCCL's own does without it, a little slower"),
            ("--disable-custom-all-reduce",),
        ),
    ),
    symptom(
        r"version mismatch: the cluster was started with|ray: \S+ python: \S+.{0,80}this process",
        _("the nodes of the Ray cluster run different versions"),
        Cause("KVD922", 0.9, _("the same Python and Ray on each node, best the same image")),
    ),
    symptom(
        r"failed to import ray|ray is not installed|no module named 'ray'",
        _("several nodes were asked for, and Ray is not installed"),
        Cause(
            "KVD922",
            0.8,
            _("on one machine Ray is not needed"),
            ("--distributed-executor-backend mp", "pip install ray"),
        ),
    ),
)
