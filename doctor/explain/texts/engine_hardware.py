"""Texts of CUDA and its driver about the GPU itself, as an engine's log holds them.

Not vLLM's own texts: the CUDA runtime's error strings, torch's (torch/cuda/__init__.py) and
Docker's.
"""

from __future__ import annotations

import re

from doctor.explain.model import Cause, symptom
from doctor.text import _

# Families of GPUs that builds for older CUDA do not know, by their names in torch's warning.
_NEW = re.compile(
    r"sm_1[0-9]{2}|\b(?:rtx(?: pro)? ?(?:50[6-9]0|[2456]000 blackwell)|b[123]00|gb[123]00|gb10"
    r"|blackwell)\b|capability 1[0-9]\.",
    re.IGNORECASE,
)
_BUILT_FOR = re.compile(r"sm_(\d{2,3})")


def _no_code(match: re.Match[str]) -> tuple[Cause, ...]:
    """torch names the GPU's architecture and those that it was built for."""
    named = [int(number) for number in _BUILT_FOR.findall(match.string)]
    newer = bool(_NEW.search(match.string)) or (len(named) > 1 and named[0] > max(named[1:]))
    older = "less than" in match[0].lower() or (len(named) > 1 and named[0] < min(named[1:]))
    rebuild = Cause(
        "KVD922",
        0.9 if newer else 0.3 if older else 0.6,
        _("is the GPU newer than the build? Take a vLLM and a CUDA that know it"),
        ("TRITON_PTXAS_PATH",),
    )
    old = Cause(
        "KVD920",
        0.2 if newer else 0.9 if older else 0.7,
        _("is it older than compute capability 7.0?"),
    )
    return (rebuild, old) if rebuild.likelihood > old.likelihood else (old, rebuild)


NO_CODE = symptom(
    r"no kernel image is available for execution on the device"
    r"|with cuda capability .{0,40}is not compatible with the current pytorch"
    r"|gpus? with compute capability less than [\d.]+ (?:is|are) not supported"
    r"|ptxas fatal\s*: value 'sm_\w+' is not defined",
    _("this build has no code for this GPU"),
    _no_code,
)

SYMPTOMS = (
    NO_CODE,
    symptom(
        r"device kernel image is invalid|cuda error: (?:invalid device function"
        r"|named symbol not found)|cudaerrorinvalidkernelimage|cudaerrorsymbolnotfound",
        _("kernels were compiled for another GPU or CUDA than the one that runs them"),
        Cause(
            "KVD922",
            0.75,
            _("take a build for this CUDA, and remove what was compiled before"),
            ("VLLM_CACHE_ROOT",),
        ),
        Cause("KVD811", 0.4, _("or is the driver older than the build's CUDA?")),
    ),
    symptom(
        r"error 802: system|cuda.{0,40}system not yet initialized|cudaerrorsystemnotready"
        r"|cuda_error_system_not_ready",
        _("the driver waits for the service that connects the GPUs (NVSwitch)"),
        Cause(
            "KVD811",
            0.95,
            _("does nvidia-fabricmanager run, in the driver's own version?"),
            ("systemctl start nvidia-fabricmanager",),
        ),
    ),
    symptom(
        r"cuda-capable device\(s\) is/are busy or unavailable|cudaerrordevicesunavailable"
        r"|cuda (?:driver )?initialization (?:failed|error)|cuda error: (?:initialization error"
        r"|unknown error|driver shutting down|unspecified driver error)"
        r"|failed to initialize nvml|nvmlerror_(?!invalidargument|notfound)\w+"
        r"|unable to determine the device handle"
        r"|nvidia-container-cli: (?!.*requirement)|unknown or invalid runtime name: nvidia"
        r"|cuda initialization:? unexpected error|nccl is onl?y supported with gpus, no gpus found"
        r"|cuda unknown error - this may be due to an incorrectly set up environment"
        r"|cudaerrorinitializationerror",
        _("the GPU, or its driver, cannot be used at all"),
        Cause("KVD811", 0.85, _("does nvidia-smi work in the same place?")),
        Cause("KVD917", 0.2, _("does CUDA_VISIBLE_DEVICES name what is there?")),
    ),
    symptom(
        # vLLM asks NVML for each entry of CUDA_VISIBLE_DEVICES (platforms/cuda.py), by its number
        # or, of other entries, by its UUID; NVML's words for one that is not there.
        r"nvmlerror_invalidargument",
        _("a GPU of that number is not there"),
        Cause(
            "KVD917",
            0.8,
            _(
                "does CUDA_VISIBLE_DEVICES name one that is not there? In a container its GPUs"
                " count from 0, whatever their numbers on the host are"
            ),
            ("CUDA_VISIBLE_DEVICES",),
        ),
        Cause("KVD904", 0.4, _("or are there fewer GPUs than ranks?")),
        Cause("KVD811", 0.2, _("does nvidia-smi work in the same place?")),
    ),
    symptom(
        r"nvmlerror_notfound",
        _("no GPU has that UUID"),
        Cause(
            "KVD917",
            0.8,
            _("write it whole, as nvidia-smi -L has it in the same place, or its number"),
            ("CUDA_VISIBLE_DEVICES",),
        ),
        Cause("KVD811", 0.2, _("does nvidia-smi work in the same place?")),
    ),
    symptom(
        r"nvidia-container-cli: requirement",
        _("the image needs a newer driver than this machine's"),
        Cause("KVD811", 0.95, _("update the driver, or take an image for an older CUDA")),
    ),
    symptom(
        r"operation not permitted when stream is capturing|cudaerrorstreamcapture\w+"
        r"|operation failed due to a previous error during capture",
        _("something ran that must not run while CUDA graphs are captured"),
        Cause(
            "KVD915",
            0.65,
            _("a fault of this version: does --enforce-eager start, or another version?"),
            ("--enforce-eager",),
        ),
        Cause("KVD922", 0.4, _("or do torch and vLLM not go together?")),
    ),
    symptom(
        r"cublas_status_alloc_failed|cudnn_status_alloc_failed|cusolver_status_alloc_failed",
        _("a library of CUDA found no room on the GPU"),
        Cause(
            "KVD813",
            0.8,
            _("vLLM's share leaves too little beside it"),
            ("--gpu-memory-utilization 0.85",),
        ),
        Cause("KVD805", 0.3, _("does nvidia-smi show other processes?")),
    ),
    symptom(
        r"cublas_status_(?:not_initialized|execution_failed|not_supported|invalid_value|arch\w+)"
        r"|cudnn_status_(?:not_initialized|not_supported|execution_failed|sublibrary\w+)",
        _("a library of CUDA failed"),
        Cause("KVD922", 0.6, _("are several CUDA libraries installed? LD_LIBRARY_PATH decides")),
        Cause("KVD813", 0.4, _("or was the GPU full?")),
        Cause("KVD811", 0.3, _("or is the driver too old?")),
    ),
)
