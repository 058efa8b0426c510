"""What an engine's exception speaks of, where its wording is not known: where to look first.

As ``subjects`` for other texts; the functions that it passed through count as well, and the file
in which it was raised.
"""

from __future__ import annotations

import re

from doctor.explain.model import Cause
from doctor.text import Text, _

_Subject = tuple[re.Pattern[str], Text, tuple[Cause, ...]]


def _about(words: str, told: Text, *causes: Cause) -> _Subject:
    return re.compile(words, re.IGNORECASE), told, causes


# In the order in which they count.
SUBJECTS: tuple[_Subject, ...] = (
    _about(
        r"out of memory|\boom\b|memory (?:allocation|is not enough|insufficient)"
        r"|cublas_status_alloc",
        _("it speaks of memory"),
        Cause("KVD813", 0.4, _("does a smaller --gpu-memory-utilization help?")),
        Cause("KVD806", 0.3, _("do the weights fit at all?")),
    ),
    _about(
        r"quantiz|quant_|\bawq\b|gptq|marlin|compressed.?tensors|bitsandbytes|modelopt|gguf"
        r"|nvfp4|mxfp4",
        _("it speaks of quantization"),
        Cause("KVD907", 0.4, _("does the same model run without it, or in another format?")),
    ),
    _about(
        r"nccl|gloo|distributed|tcpstore|all_?reduce|process_?group|rendezvous",
        _("it speaks of what the ranks say to one another"),
        Cause("KVD923", 0.35, _("does it run on one GPU?")),
    ),
    _about(
        r"specul|draft|eagle|\bmtp\b",
        _("it speaks of speculation"),
        Cause("KVD905", 0.35, _("does it run without --speculative-config?")),
    ),
    _about(
        r"tokenizer|chat_template",
        _("it speaks of the tokenizer"),
        Cause("KVD913", 0.35, _("are the tokenizer's files there?")),
        Cause("KVD909", 0.3, _("was the model published after this version?")),
    ),
    _about(
        r"load_weights|safetensors|checkpoint|state_dict|size mismatch|shape mismatch",
        _("it speaks of the weights"),
        Cause("KVD909", 0.35, _("was the model published after this version?")),
        Cause("KVD913", 0.35, _("is the download complete?")),
    ),
    _about(
        r"triton|inductor|torch\.compile|\bptx|nvcc|flashinfer|\.so\b|cuda_?runtime|importerror"
        r"|has no attribute|cannot import",
        _("it speaks of compiled kernels or of another package's version"),
        Cause("KVD922", 0.35, _("does a clean environment, or --enforce-eager, change it?")),
    ),
    _about(
        r"compute capability|\bsm_?\d\d|device capability",
        _("it speaks of what the GPU can do"),
        Cause("KVD920", 0.35, _("does another backend or dtype run?")),
    ),
    _about(
        r"get_config|hf_config|config\.json|autoconfig|modelconfig",
        _("it speaks of the model's configuration"),
        Cause("KVD909", 0.35, _("was the model published after this version?")),
        Cause("KVD913", 0.3, _("is config.json what it should be?")),
    ),
)


def _at(files: str, told: Text, *causes: Cause) -> _Subject:
    return re.compile(files), told, causes


# Where an exception was raised, by the last two parts of the path, says what was at work.
PLACES: tuple[_Subject, ...] = (
    _at(
        r"quantization/|compressed_tensors/|/(?:awq|gptq|fp8|marlin|modelopt|mxfp4|bitsandbytes)\w*\.py",
        _("it was raised by the code of a quantization"),
        Cause("KVD907", 0.45, _("does the same model run without it, or in another format?")),
    ),
    _at(
        r"vllm/config\.py|config/\w+\.py|engine/arg_utils\.py|utils/argparse_utils\.py|vllm/envs\.py"
        r"|openai/cli_args\.py|common/cli_args\.py|cli/serve\.py|tool_parsers/|reasoning/",
        _("it was raised while the launch line was judged"),
        Cause("KVD919", 0.45, _("which option does the text speak of?")),
    ),
    _at(
        r"models/registry\.py|auto/\w+\.py|transformers_utils/(?:config|model_arch)\w*\.py"
        r"|transformers/configuration_utils\.py|dynamic_module_utils\.py",
        _("it was raised while the model's configuration was read"),
        Cause("KVD909", 0.45, _("was the model published after this version?")),
        Cause("KVD913", 0.35, _("is config.json what it should be?")),
    ),
    _at(
        r"utils/hub\.py|huggingface_hub/|utils/_http\.py|utils/_validators\.py|modelscope/",
        _("it was raised while files were fetched"),
        Cause("KVD913", 0.5, _("does the id or path exist, and is the Hub reached?")),
    ),
    _at(
        r"tokenization_\w+\.py|transformers_utils/tokenizer\w*\.py|tokenizers/\w+\.py",
        _("it was raised while the tokenizer was read"),
        Cause("KVD913", 0.4, _("are the tokenizer's files there?")),
        Cause("KVD909", 0.35, _("was the model published after this version?")),
    ),
    _at(
        r"model_loader/|weight_utils\.py|safetensors/torch\.py|model_executor/parameter\.py",
        _("it was raised while the weights were put into the model"),
        Cause("KVD909", 0.4, _("was the model published after this version?")),
        Cause("KVD913", 0.35, _("is the download complete?")),
    ),
    _at(
        r"distributed/|device_communicators/|c10d|executor/ray_\w+\.py",
        _("it was raised while the ranks met"),
        Cause("KVD923", 0.4, _("does it run on one GPU?")),
    ),
    _at(
        r"spec_decode/|v1/sample/rejection",
        _("it was raised by the code of speculation"),
        Cause("KVD905", 0.4, _("does it run without --speculative-config?")),
    ),
    _at(
        r"platforms/\w+\.py|cuda/__init__\.py|pynvml",
        _("it was raised while the GPU was looked at"),
        Cause("KVD811", 0.4, _("does nvidia-smi work in the same place?")),
    ),
    _at(
        r"triton/|_inductor/|_dynamo/|flashinfer/|deep_gemm/|torch/_ops\.py|vllm/_custom_ops\.py",
        _("it was raised by compiled kernels or by what compiles them"),
        Cause("KVD922", 0.4, _("does a clean environment, or --enforce-eager, change it?")),
    ),
)


def subject_at(place: str) -> tuple[Text, tuple[Cause, ...]] | None:
    """What was at work at ``place`` (the last two parts of a path), None where it tells little."""
    for pattern, told, causes in PLACES:
        if pattern.search(place):
            return told, causes
    return None


def subject_of(text: str) -> tuple[Text, tuple[Cause, ...]] | None:
    """The first subject of the exception and its functions, None where none is known."""
    for pattern, told, causes in SUBJECTS:
        if pattern.search(text):
            return told, causes
    return None
