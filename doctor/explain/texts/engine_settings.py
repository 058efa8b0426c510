"""Texts about what options and variables say, and about options that do not suit the model.

From vLLM's sources, 0.5.5 to 0.33.0: envs.py, config/*.py, engine/arg_utils.py,
entrypoints/chat_utils.py, tool_parsers/, reasoning/, platforms/.
"""

from __future__ import annotations

import re

from doctor.explain.model import Cause, symptom
from doctor.patterns import Pattern
from doctor.text import _


def _mamba_blocks(match: re.Match[str]) -> tuple[Cause, ...]:
    return (
        Cause(
            "KVD804",
            0.95,
            _(
                "{seqs} requests may run at once, and the cache has room for {blocks} states",
                seqs=match["seqs"],
                blocks=match["blocks"],
            ),
            (f"--max-num-seqs {match['blocks']}",),
        ),
    )


def _template_path(match: re.Match[str]) -> tuple[Cause, ...]:
    return (
        Cause(
            "KVD919",
            0.9,
            _(
                "{path} is no file here; vLLM's own examples are not installed with it",
                path=match["path"],
            )
            if match["path"]
            else _("the file that --chat-template names is not there"),
            ("--chat-template",),
        ),
        Cause("KVD921", 0.3, _("without the flag the model's own template is used")),
    )


# A list of GPUs that is cut at its commas: brackets or quotes are left at its ends.
_OF_DEVICES = Pattern(
    r"[\[({'\"]\s*\d{1,2}|\s*\d{1,2}\s*[\])}'\"]|(?:cuda|gpu)[:_ ]?\d{1,2}"
    r"|\d{1,2}(?:[; -]\d{1,2})+",
    re.IGNORECASE,
)


def devices_as_numbers(value: str, likelihood: float) -> Cause:
    """``CUDA_VISIBLE_DEVICES`` is split at its commas, and each part has to be a number
    (``device_id_to_physical_device_id`` in vllm/platforms)."""
    return Cause(
        "KVD917",
        likelihood,
        _(
            "is {value} a part of CUDA_VISIBLE_DEVICES? It takes numbers with commas between them,"
            " such as 0,1: no brackets, no quotes",
            value=repr(value),
        ),
        ("CUDA_VISIBLE_DEVICES",),
    )


def number_in(match: re.Match[str]) -> str:
    """The value that is no number."""
    return match["value"] or match["text"] or ""


def _no_number(match: re.Match[str]) -> tuple[Cause, ...]:
    value = number_in(match)
    which = _("which option or variable holds {value}?", value=repr(value))
    if match["value"] and _OF_DEVICES.fullmatch(value):
        return (devices_as_numbers(value, 0.7), Cause("KVD919", 0.4, which))
    return (Cause("KVD919", 0.75, which),)


NUMBER = symptom(
    r"invalid literal for int\(\) with base 10:"
    r" (?P<mark>['\"])(?P<value>(?!MIG-|GPU-|\w+://).{0,80}?)(?P=mark)"
    r"|could not convert string to float: '(?P<text>[^']{0,80})'",
    _("a value that must be a number is none"),
    _no_number,
)

_FORMAT = symptom(
    r"unsupported (?:bits|num_bits|group_size|scheme)|(?:unknown|unsupported) scheme"
    r"|currently only supports? (?:\d-bit|int4|w\da\d+)|not support .{0,30}quantiz"
    r"|quant(?:ization)?_config .{0,40}(?:missing|not found|invalid)",
    _("no kernel of this version runs weights of this format here"),
    Cause("KVD907", 0.85, _("the text names the reason; another format, GPU or version may do")),
)

# Only from an engine: elsewhere the same words are about something else.
HERE_ONLY = (NUMBER, _FORMAT)

SYMPTOMS = (
    symptom(
        r"max_num_seqs \((?P<seqs>\d+)\) exceeds available mamba cache blocks \((?P<blocks>\d+)\)",
        _("more requests may run at once than the cache has states for"),
        _mamba_blocks,
    ),
    symptom(
        r"vllm_port '?(?P<value>[^'\s]{1,200})'? appears to be a uri"
        r"|invalid literal for int\(\) with base 10: '(?P<uri>(?:tcp|udp)://[^']{1,200})",
        _("Kubernetes wrote the address of a Service into VLLM_PORT"),
        Cause(
            "KVD919",
            0.95,
            _("a Service called vllm does that: rename it, or set enableServiceLinks: false"),
            ("VLLM_PORT",),
        ),
    ),
    symptom(
        r"supplied chat template (?:string )?\((?P<path>[^)\n]{1,300})\) (?:appears path-like"
        r"|looks like a file path)|supplied chat template path doesn't exist",
        _("the file of the chat template is not there"),
        _template_path,
    ),
    symptom(
        r"(?:tool (?:parser|helper)[: ]+'?(?P<name>[\w.-]+)'?,? not found"
        r"|(?:tool helper|reasoning helper): '(?P<other>[^']+)' not found)",
        _("this version has no parser of that name"),
        lambda match: (
            Cause(
                "KVD919",
                0.9,
                _(
                    "'vllm serve --help' lists the names; {name} is none",
                    name=match["name"] or match["other"],
                ),
            ),
            Cause("KVD911", 0.5, _("a newer vLLM may have it")),
        ),
    ),
    symptom(
        r"invalid attention backend|attention backend '?\w+'? has been removed"
        r"|unknown attention backend|vllm_attention_backend is set to \w+, but",
        _("this version does not have the attention backend that was asked for"),
        Cause(
            "KVD919",
            0.9,
            _("without the setting vLLM picks one itself"),
            ("--attention-backend", "VLLM_ATTENTION_BACKEND"),
        ),
    ),
    symptom(
        r"with `?vllm serve`?, you should provide the model as a positional"
        r"|no model(?:_tag)? specified! please",
        _("vllm serve wants the model right behind it"),
        Cause("KVD916", 0.95, _("vllm serve MODEL …")),
    ),
    symptom(
        r"config file must be of a yaml/yml type|no config file specified!"
        r"|more than one config file specified",
        _("--config wants one YAML file"),
        Cause("KVD919", 0.9, _("its name must end in .yaml or .yml"), ("--config FILE.yaml",)),
    ),
    symptom(
        r"vllm_use_v1=[01] is not supported with|is not supported by the v1 engine"
        r"|(?:falling back to v0|v1 does not support).{0,80}error",
        _("an option and the engine (V0 or V1) of this version do not go together"),
        Cause("KVD919", 0.85, _("leave out VLLM_USE_V1, or the option that the text names")),
    ),
    symptom(
        r"(?:data|tensor|expert|context|sequence)[- ]parallel(?:ism)?(?: mode)? (?:is|are)? ?"
        r"(?:not|only) (?:supported|useful|compatible|available)"
        r"|does not support (?:external )?(?:data|expert|context|sequence)[- ]parallel",
        _("the model, or this version, does not do that kind of parallelism"),
        Cause(
            "KVD919",
            0.85,
            _("leave it out, or start several engines behind one address"),
            ("--data-parallel-size", "--tensor-parallel-size"),
        ),
    ),
    symptom(
        r"pipeline parallelism is (?:not supported for this model"
        r"|only supported for the following)",
        _("this model cannot be cut into stages in this version"),
        Cause(
            "KVD919",
            0.8,
            _("use tensor parallelism, or a newer version"),
            ("--tensor-parallel-size",),
        ),
        Cause("KVD909", 0.3, _("a newer vLLM may do it")),
    ),
    symptom(
        r"this model does not support `?--(?:runner|task)|does not support the '?[\w,/ ]+'? task"
        r"|does not support `?--convert|unsupported task: .{0,60}supported tasks: ",
        _("the model cannot do what --task or --runner asks of it"),
        Cause(
            "KVD919",
            0.85,
            _("leave the flag out: vLLM sees from the model what it can do"),
            ("--runner auto",),
        ),
    ),
    symptom(
        r"(?:lora is not supported for|is not supported for lora|does not support lora"
        r"|supported models implement the `?supportslora)",
        _("this version serves the model without adapters only"),
        Cause("KVD919", 0.85, _("merge the adapter into the model"), ("--enable-lora",)),
        Cause("KVD909", 0.3, _("a newer vLLM may do it")),
    ),
    symptom(
        r"got lora_request .{0,200}but lora is not enabled",
        _("a request names an adapter, and the server was started without them"),
        Cause("KVD919", 0.85, _("start it with adapters"), ("--enable-lora", "--lora-modules")),
    ),
    symptom(
        r"the model type \S+ does not support float16|float16 is not supported for|unknown dtype: ",
        _("the model does not run in that dtype"),
        Cause("KVD908", 0.8, _("leave --dtype at auto"), ("--dtype auto", "--dtype bfloat16")),
        Cause("KVD919", 0.5, _("or is the name of the dtype misspelled?")),
    ),
    symptom(
        r"failed to find a kernel that can implement the|no (?:compatible|suitable|supported|valid)"
        r" .{0,60}(?:moe|linear|gemm|quant\w*).{0,30}(?:backend|kernel)"
        r"|(?:moe|linear) backend \S+ (?:is not available|does not support|is not supported)"
        r"|marlin does not support|(?:unsupported|unknown) (?:quantization|modelopt quant)"
        r"|no quantized? config (?:file )?found|couldn't find quantization"
        r"|bitsandbytes .{0,80}(?:not supported|only supports?|does not support)"
        r"|does not support bitsandbytes",
        _("no kernel of this version runs weights of this format here"),
        Cause(
            "KVD907", 0.85, _("the text names the reason; another format, GPU or version may do")
        ),
    ),
    symptom(
        r"(?:conversation|messages?) roles must alternate|system role (?:is )?not supported"
        r"|only (?:system, )?user(?:, | and |, and )assistant(?: and \w+)? roles are"
        r" (?:supported|allowed)|roles? must alternate between"
        r"|jinja2?\.(?:exceptions\.)?templateerror|error rendering (?:the )?chat template"
        r"|jinja exception",
        _("the model's chat template does not take these messages"),
        Cause(
            "KVD516",
            0.7,
            _("two messages of one role in a row, a system message or tools: the text says which"),
        ),
        Cause("KVD921", 0.5, _("another template may take them"), ("--chat-template FILE",)),
    ),
)
