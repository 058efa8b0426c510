"""Texts about dtype, quantization and speculation (facts/vllm.md §§5.6, 5.7)."""

from __future__ import annotations

import re

from doctor.explain.model import Cause, symptom
from doctor.text import _

# What vLLM is built for at least (Volta).
_LEAST = 7.0


def _no_bfloat16(match: re.Match[str]) -> tuple[Cause, ...]:
    if not match["gpu"]:
        return (Cause("KVD908", 0.95, _("it takes compute capability 8.0"), ("--dtype half",)),)
    told = _("{gpu} has compute capability {has}", gpu=match["gpu"], has=match["has"])
    try:
        too_old = float(match["has"].rstrip(".")) < _LEAST
    except ValueError:
        too_old = False
    if too_old:
        return (Cause("KVD920", 0.9, told), Cause("KVD908", 0.5, told, ("--dtype half",)))
    return (Cause("KVD908", 0.95, told, ("--dtype half",)),)


def _written(capability: str) -> str:
    """75 → ``7.5``, as NVIDIA writes it."""
    return f"{int(capability) / 10:.1f}"


def _not_on_this_gpu(match: re.Match[str]) -> tuple[Cause, ...]:
    """Which compute capability the format takes, and which the GPU has, where vLLM tells."""
    least = match["least_of_ao"] or _written(match["least"] or match["class"])
    has = match["has_of_ao"] or (_written(match["has"]) if match["has"] else None)
    exact = match["bound"] is not None and match["bound"].lower() == "required"
    name = match["name"] or _("the format of these weights")
    if exact:
        told = _("{name} takes compute capability {least} and no other", name=name, least=least)
        return (Cause("KVD907", 0.9, told),)
    if has is not None:
        told = _(
            "{name} takes compute capability {least}, and this GPU has {has}: another format of"
            " the model, or a newer GPU",
            name=name,
            least=least,
            has=has,
        )
    else:
        told = _("{name} takes compute capability {least}", name=name, least=least)
    return (
        Cause("KVD907", 0.9, told),
        Cause("KVD920", 0.3, _("most formats need a newer GPU")),
    )


SYMPTOMS = (
    symptom(
        r"bfloat16 is only supported on gpus with compute capability of at least 8\.0"
        r"(?:.{0,10}your (?P<gpu>.{1,80}?) gpu has compute capability (?P<has>[\d.]+))?",
        _("this GPU has no bfloat16"),
        _no_bfloat16,
    ),
    symptom(
        r"gpus? with compute capability (?:below|less than) 7\.0 (?:are|is) not supported"
        r"|too old to be supported by the triton gpu compiler"
        r"|triton only supports devices of cuda capability"
        r"|pytorch no longer supports this gpu because it is too old"
        r"|requires device with capability > \(\d+, \d+\) but your gpu has capability \([0-6], \d",
        _("vLLM is not built for a GPU this old"),
        Cause("KVD920", 0.95, _("it takes compute capability 7.0, a Volta or newer")),
    ),
    symptom(
        r"fp8e4\w+ (?:data type )?(?:is )?not supported in this architecture"
        r"|type fp8e4nv not supported|fp8 .{0,40}only supported on .{0,60}compute capability"
        r"|torch\.float8_\w+.{0,40}not (?:supported|implemented)",
        _("this GPU has no fp8 of that kind"),
        Cause(
            "KVD908",
            0.85,
            _("it takes an Ada or Hopper GPU (8.9) or newer"),
            ("--kv-cache-dtype auto", "--kv-cache-dtype fp8_e5m2"),
        ),
    ),
    symptom(
        r"cannot use flashattention-?2? (?:backend )?for (?:volta|turing).{0,40}error"
        r"|flashattention only supports ampere gpus or newer",
        _("the attention kernel needs a newer GPU"),
        Cause("KVD920", 0.8, _("another attention backend may do"), ("--attention-backend",)),
    ),
    symptom(
        # Of a method or of one of its schemes, in older versions as a tuple of texts; torchao's.
        r"quantization (?:scheme|method (?P<name>\S+(?: \+ \S+)?)) is not supported for"
        r"[ ',]{1,6}the current gpu\.[ ',]{1,6}(?P<bound>min(?:imum)?|required) capability:"
        r" ?(?P<least>\d+)(?:\.[ ',]{1,6}current capability: ?(?P<has>\d+))?"
        r"|quantization (?:config )?'?\S+ requires gpu compute capability >="
        r" (?P<least_of_ao>[\d.]+)(?:.{0,80}current gpu compute capability: (?P<has_of_ao>[\d.]+))?"
        r"|quantization requires an? \w+ \(sm(?P<class>\d{2,3})\) gpu",
        _("no kernel runs the quantization on this GPU"),
        _not_on_this_gpu,
    ),
    symptom(
        r"quantization method specified in the model config \((?P<own>[^)]+)\) does not match the"
        r" quantization method specified in the `?quantization`? argument \((?P<asked>[^)]+)\)",
        _("--quantization is not the format of these weights"),
        lambda match: (
            Cause(
                "KVD907",
                0.95,
                _(
                    "the weights are {own}; without the flag vLLM sees that itself",
                    own=match["own"],
                ),
                (f"--quantization {match['own']}",),
            ),
        ),
    ),
    symptom(
        r"(?<!\S)(?P<dtype>\S+) is not supported for quantization method (?P<name>[\w-]+)",
        _("the quantization does not go with that dtype"),
        lambda match: (
            Cause(
                "KVD907",
                0.9,
                _("{name} does not take {dtype}", name=match["name"], dtype=match["dtype"]),
                ("--dtype half",),
            ),
        ),
    ),
    symptom(
        r"quantization method \S+ (?:is deprecated|is unknown|not supported)"
        r"|unknown quantization method|cannot find the config file for \w+"
        r"|invalid quantization method|(?:fused|merged) layer must have the same scale"
        r"|size_\w must (?:be )?divisible by"
        # Other dimensions than those of a part, which engine_parallel has.
        r"|(?:(?<!partition)(?<!partition_size)(?<!weight) =|[^=]) \d+ is not divisible by"
        r" \w+ ?= ?\d+|\D is not divisible by \w+ ?= ?\d+",
        _("the quantization of the weights is not one that vLLM can use here"),
        Cause("KVD907", 0.85, _("the text names the method; other tensor-parallel sizes may do")),
        Cause("KVD904", 0.4, _("does it load with fewer GPUs?")),
    ),
    symptom(
        r"v1 does not yet support fp8 kv cache",
        _("this version has no fp8 KV cache in its V1 engine"),
        Cause("KVD919", 0.85, _("a newer vLLM has it"), ("--kv-cache-dtype auto",)),
    ),
    symptom(
        r"target and draft model should have the same vocabulary size"
        r"|draft model.{0,60}vocab(?:ulary)? ?_?size"
        r"|assertionerror .{0,40}vocab_sizes?\b.{0,40}vocab_size",
        _("the draft model has another vocabulary than the target"),
        Cause("KVD905", 0.95, _("take a draft of the same family, or ngram")),
    ),
    symptom(
        r"num_speculative_tokens must be provided|`?num_speculative_tokens`? was not provided",
        _("speculation was asked for without a number of tokens"),
        Cause(
            "KVD906",
            0.95,
            _("the draft's config names none either"),
            ("--speculative-config '{…, \"num_speculative_tokens\": 3}'",),
        ),
    ),
    symptom(
        r"num_speculative_tokens[:=? ]*(?P<asked>\d+) must be divisible by n_predict"
        r"(?:\s*=?\s*\(?(?P<step>\d+))?",
        _("the number of speculative tokens does not suit the draft"),
        Cause("KVD906", 0.95, _("take a multiple of the draft's n_predict")),
    ),
    symptom(
        r"speculative decoding with draft model is not supported yet",
        _("this vLLM cannot speculate with a draft model"),
        Cause("KVD905", 0.8, _("0.15.1 and newer can; eagle and ngram work here")),
    ),
    symptom(
        r"draft_tensor_parallel_size'? and '?tensor_parallel_size'? must be the same",
        _("draft and target are split over different numbers of GPUs"),
        Cause("KVD905", 0.9, _("leave draft_tensor_parallel_size out")),
    ),
)
