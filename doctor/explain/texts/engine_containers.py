"""Texts of container runtimes about the program that a container was to start.

runc's words (with Docker, containerd and Kubernetes in front of them) and crun's (Podman), as
containers/crun issue 1688 has them side by side. Of images: vllm-project/vllm-omni issue 3834
(one without an entry point), LMCache issue 906 and vllm-project/production-stack issue 454 (one
whose vllm is not on the PATH), NVIDIA/nvidia-docker issue 457 (nvidia-smi comes with the driver).
"""

from __future__ import annotations

import re

from doctor.explain.model import Cause, symptom
from doctor.text import _

# Other programs written in Go, such as what starts engines on demand, say "exec: …" as well.
_NAMED = r"(?=.*(?:oci runtime|\b(?:runc|crun)\b|container process|container_linux|shim task))"
# "exec failed" is a command in a container that runs.
_OF_A_RUNTIME = rf"{_NAMED}(?!.*\bexec failed\b)"
_VLLM = re.compile(r"(?:\S*/)?vllm[\w.-]*", re.IGNORECASE)
_PYTHON = re.compile(r"python[\d.]*", re.IGNORECASE)
_MODEL = re.compile(r"[\w.-]+/[\w.-]+")


def _not_there(match: re.Match[str]) -> tuple[Cause, ...]:
    """What the name of the program tells: an argument, or a program that lies elsewhere."""
    name = next(found for found in match.groups() if found)
    if name == "serve" or name.startswith("-") or _MODEL.fullmatch(name):
        return (
            Cause(
                "KVD916",
                0.95,
                _(
                    "the image starts no program of its own, so {name} was taken for one: write"
                    " vllm serve MODEL in front of the flags",
                    name=name,
                ),
            ),
        )
    if name == "nvidia-smi":
        return (
            Cause(
                "KVD811",
                0.9,
                _("it comes with the driver: was the container given the GPUs?"),
                ("--gpus all",),
            ),
        )
    if _PYTHON.fullmatch(name):
        return (
            Cause(
                "KVD916",
                0.8,
                _("leave the image's own entry point, or write python3")
                if name == "python"
                else _("is it the image that was meant? Its own entry point may do"),
            ),
        )
    wrong = Cause(
        "KVD916",
        0.8 if _VLLM.fullmatch(name) else 0.6,
        _(
            "leave the image's own entry point, or write the whole path that {name} has in it",
            name=name.rpartition("/")[2],
        ),
    )
    if not _VLLM.fullmatch(name):
        return (wrong,)
    return (wrong, Cause("KVD922", 0.5, _("or is vLLM not in this image at all?")))


_NOT_INSTALLED = symptom(
    rf"\bvllm: (?:command )?not found|no module named '?vllm'?$"
    rf"|^(?!{_NAMED}).*exec: \"?vllm\"?: executable file not found",
    _("vLLM is not installed where it is called"),
    Cause("KVD922", 0.85, _("is the environment active, and is it the one with vLLM?")),
    Cause("KVD916", 0.4, _("or does the image start another program?")),
)


SYMPTOMS = (
    symptom(
        r"exec: \\?\"(?:vllm|python3?|\S*/python3?|\S*/vllm) [^\"\n]{1,400}\":"
        r"|exec: \\?\"(?:\S*/)?(?:ba|da)?sh [^\"\n]{1,400}\":"
        r"|executable file [`'\"](?:(?:\S*/)?(?:vllm|python3?)|(?:\S*/)?(?:ba|da)?sh)"
        r" [^`'\"\n]{1,400}[`'\"] not found"
        r"|(?<![\w/.-])(?:[\w/.-]*/)?vllm serve \S[^:\n]{0,400}:"
        r" (?:no such file or directory|not found)$",
        _("the whole line was taken for the name of one program"),
        Cause("KVD916", 0.95, _("write each word as an item of its own, or give it to sh -c")),
    ),
    symptom(
        rf"^{_OF_A_RUNTIME}.*?exec: \\?\"([\w./@:+=-]{{1,200}})\\?\":"
        r" (?:executable file not found|stat \S+ no such file)"
        rf"|^{_OF_A_RUNTIME}.*?executable file [`'\"]([\w./@:+=-]{{1,200}})[`'\"] not found",
        _("the container was to start a program that its image does not have"),
        _not_there,
    ),
    _NOT_INSTALLED,
)
