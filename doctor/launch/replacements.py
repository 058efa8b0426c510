"""What took the place of a flag that vLLM has dropped (facts/vllm.md §§1.3, 1.4).

A rule gives the words that do the same in the version at hand, none where the flag is only to be
taken out, and why.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from doctor.launch.model import Argument
from doctor.launch.tables import Table
from doctor.launch.values import NotAValue, parsed_json
from doctor.records import dataclass
from doctor.text import Text, _

Words = Callable[[Argument, Table], "tuple[str, ...]"]


@dataclass(frozen=True, slots=True)
class Replacement:
    """``why`` is a sentence for the reader; ``sure`` False where the new form does not do quite
    the same."""

    words: tuple[str, ...]
    why: Text
    sure: bool = True


def replacement(flag: str, argument: Argument, table: Table) -> Replacement | None:
    """For a flag that ``table`` lacks, None where nothing is known."""
    rule = _RULES.get(flag)
    if rule is None:
        return None
    words, why, sure = rule
    made = words(argument, table)
    return Replacement(made, why, sure)


def _drop(argument: Argument, table: Table) -> tuple[str, ...]:
    return ()


def _renamed(*names: str) -> Words:
    """The first of ``names`` that the version has, with the same values."""

    def words(argument: Argument, table: Table) -> tuple[str, ...]:
        for name in names:
            if name.partition(".")[0] in table.options:
                return (name, *argument.values)
        return ()

    return words


def _fixed(*given: str) -> Words:
    def words(argument: Argument, table: Table) -> tuple[str, ...]:
        return given if given[0].partition(".")[0] in table.options else ()

    return words


def _backend(argument: Argument, table: Table) -> tuple[str, ...]:
    value = argument.values[0].partition(":")[0] if argument.values else "auto"
    return _fixed("--structured-outputs-config.backend", value)(argument, table)


def _override(key: str) -> Words:
    def words(argument: Argument, table: Table) -> tuple[str, ...]:
        value: Any = argument.values[0] if argument.values else None
        try:
            value = parsed_json(value or "null")
        except NotAValue:
            return ()
        return _fixed("--hf-overrides", json.dumps({key: value}))(argument, table)

    return words


_TASKS: dict[str, tuple[str, ...]] = {
    "auto": (),
    "generate": ("--runner", "generate"),
    "transcription": ("--runner", "generate"),
    "draft": ("--runner", "draft"),
    "embed": ("--runner", "pooling", "--convert", "embed"),
    "embedding": ("--runner", "pooling", "--convert", "embed"),
    "classify": ("--runner", "pooling", "--convert", "classify"),
    "score": ("--runner", "pooling", "--convert", "classify"),
    "reward": ("--runner", "pooling"),
}


def _task(argument: Argument, table: Table) -> tuple[str, ...]:
    words = _TASKS.get(argument.values[0] if argument.values else "", ())
    return words if "--runner" in table.options else ()


_V0 = _("It belonged to the V0 engine, which is gone.")
_NO_EFFECT = _("Nothing takes its place: vLLM no longer needs it.")
_FEATURE = _("The feature itself was removed from vLLM.")
_ITSELF = _("vLLM finds this out by itself.")

_RULES: dict[str, tuple[Words, Text, bool]] = {
    "--swap-space": (
        _drop,
        _(
            "V1 never swaps, it computes again; --kv-offloading-size (GiB) keeps KV cache in CPU"
            " memory."
        ),
        True,
    ),
    "--disable-log-requests": (
        _drop,
        _("Requests are not logged unless --enable-log-requests asks for it."),
        True,
    ),
    "--engine-use-ray": (_drop, _NO_EFFECT, True),
    "--worker-use-ray": (
        _fixed("--distributed-executor-backend", "ray"),
        _("The executor is chosen by --distributed-executor-backend."),
        True,
    ),
    "--max-context-len-to-capture": (
        _renamed("--max-seq-len-to-capture"),
        _("CUDA graphs are now limited in another unit: --max-cudagraph-capture-size."),
        False,
    ),
    "--max-seq-len-to-capture": (
        _drop,
        _(
            "--max-cudagraph-capture-size limits CUDA graphs now, in tokens of a batch instead of"
            " the length of a sequence."
        ),
        True,
    ),
    "--quantization-param-path": (
        _drop,
        _("Scales of the KV cache come from the checkpoint."),
        True,
    ),
    "--device": (_drop, _ITSELF, True),
    "--enable-reasoning": (
        _drop,
        _("--reasoning-parser alone turns it on."),
        True,
    ),
    "--use-v2-block-manager": (_drop, _NO_EFFECT, True),
    "--tokenizer-pool-size": (_drop, _NO_EFFECT, True),
    "--tokenizer-pool-type": (_drop, _NO_EFFECT, True),
    "--tokenizer-pool-extra-config": (_drop, _NO_EFFECT, True),
    "--long-lora-scaling-factors": (_drop, _FEATURE, True),
    "--qlora-adapter-name-or-path": (_drop, _FEATURE, True),
    "--prompt-adapters": (_drop, _FEATURE, True),
    "--max-prompt-adapters": (_drop, _FEATURE, True),
    "--max-prompt-adapter-token": (_drop, _FEATURE, True),
    "--enable-prompt-adapter": (_drop, _FEATURE, True),
    "--expand-tools-even-if-tool-choice-none": (
        _drop,
        _("It is what vLLM does by default; --exclude-tools-when-tool-choice-none is the reverse."),
        True,
    ),
    "--num-scheduler-steps": (_drop, _V0, True),
    "--multi-step-stream-outputs": (_drop, _V0, True),
    "--override-neuron-config": (
        _renamed("--additional-config"),
        _("--additional-config takes its place."),
        True,
    ),
    "--guided-decoding-backend": (
        _backend,
        _("--structured-outputs-config takes the place of the guided-decoding flags."),
        True,
    ),
    "--guided-decoding-disable-fallback": (
        _drop,
        _("There is no fallback to another backend any more."),
        True,
    ),
    "--guided-decoding-disable-any-whitespace": (
        _fixed("--structured-outputs-config.disable_any_whitespace", "true"),
        _("--structured-outputs-config takes the place of the guided-decoding flags."),
        True,
    ),
    "--guided-decoding-disable-additional-properties": (
        _fixed("--structured-outputs-config.disable_additional_properties", "true"),
        _("--structured-outputs-config takes the place of the guided-decoding flags."),
        True,
    ),
    "--preemption-mode": (_drop, _V0, True),
    "--scheduler-delay-factor": (_drop, _V0, True),
    "--disable-async-output-proc": (_drop, _V0, True),
    "--rope-scaling": (
        _override("rope_scaling"),
        _("--hf-overrides changes the model's config.json."),
        True,
    ),
    "--rope-theta": (
        _override("rope_theta"),
        _("--hf-overrides changes the model's config.json."),
        True,
    ),
    "--enable-lora-bias": (_drop, _FEATURE, True),
    "--eplb-window-size": (
        _renamed("--eplb-config.window_size"),
        _("--eplb-config holds it now."),
        True,
    ),
    "--eplb-step-interval": (
        _renamed("--eplb-config.step_interval"),
        _("--eplb-config holds it now."),
        True,
    ),
    "--eplb-log-balancedness": (
        _fixed("--eplb-config.log_balancedness", "true"),
        _("--eplb-config holds it now."),
        True,
    ),
    "--num-redundant-experts": (
        _renamed("--eplb-config.num_redundant_experts"),
        _("--eplb-config holds it now."),
        True,
    ),
    "--override-pooler-config": (
        _renamed("--pooler-config"),
        _("--pooler-config takes its place."),
        True,
    ),
    "--lora-extra-vocab-size": (_drop, _FEATURE, True),
    "--num-lookahead-slots": (_drop, _V0, True),
    "--task": (
        _task,
        _("--runner and --convert take its place."),
        True,
    ),
    "--cuda-graph-sizes": (
        _renamed("--cudagraph-capture-sizes"),
        _("--cudagraph-capture-sizes takes its place."),
        True,
    ),
    "--disable-mm-preprocessor-cache": (
        _fixed("--mm-processor-cache-gb", "0"),
        _("A cache of 0 GB is none."),
        True,
    ),
    "--enable-multimodal-encoder-data-parallel": (
        _fixed("--mm-encoder-tp-mode", "data"),
        _("--mm-encoder-tp-mode takes its place."),
        True,
    ),
    "--logits-processor-pattern": (_drop, _FEATURE, True),
    "--use-gpu-for-pooling-score": (
        _renamed("--enable-flash-late-interaction"),
        _("--enable-flash-late-interaction takes its place."),
        True,
    ),
    "--disable-frontend-multiprocessing": (_drop, _NO_EFFECT, True),
    "--max-num-partial-prefills": (
        _drop,
        _("--long-prefill-token-threshold remains."),
        True,
    ),
    "--max-long-partial-prefills": (
        _drop,
        _("--long-prefill-token-threshold remains."),
        True,
    ),
    "--calculate-kv-scales": (
        _drop,
        _("Scales of the KV cache come from the checkpoint, else they are 1."),
        True,
    ),
    "--override-attention-dtype": (_drop, _NO_EFFECT, True),
    "--enable-bf16x3-router-gemm": (_drop, _NO_EFFECT, True),
    "--enable-mamba-fine-grained-prefix-cache": (
        _renamed("--enable-mamba-shared-prefix-checkpoint"),
        _("It was renamed."),
        True,
    ),
}

# Variable → what to use instead (facts/vllm.md §1.5).
VARIABLES: dict[str, Text] = {
    "VLLM_USE_V1": _("There is one engine only, so nothing is to be chosen."),
    "VLLM_ATTENTION_BACKEND": _("--attention-backend takes its place."),
    "VLLM_FLASH_ATTN_VERSION": _("--attention-config takes its place."),
    "VLLM_TORCH_PROFILER_DIR": _("--profiler-config takes its place."),
    "VLLM_ALL2ALL_BACKEND": _("--all2all-backend takes its place."),
}
