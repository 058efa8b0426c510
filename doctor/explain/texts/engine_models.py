"""Texts about the model's files, its architecture and its numbers (facts/vllm.md §§5.2, 5.6)."""

from __future__ import annotations

import re

from doctor.explain.model import Cause, symptom
from doctor.text import _

_UPGRADE = _("was the model published after this version? A newer one may know it")


def _architecture(match: re.Match[str]) -> tuple[Cause, ...]:
    name = match["name"].strip("'\" ")
    return (
        Cause(
            "KVD909",
            0.95,
            _("this vLLM does not know {name}; a newer one may", name=name),
            ("pip install --upgrade vllm",),
        ),
    )


def _window(match: re.Match[str]) -> tuple[Cause, ...]:
    own = match["own"]
    own = own.split(".")[0] if own else None
    told = (
        _("asked for {asked}, the model was made for {own}", asked=match["asked"], own=own)
        if own
        else _("asked for {asked}", asked=match["asked"])
    )
    return (
        Cause(
            "KVD910",
            0.95,
            told,
            (f"--max-model-len {own}" if own else "--max-model-len", "--hf-overrides"),
        ),
    )


def _no_backend(match: re.Match[str]) -> tuple[Cause, ...]:
    """The reasons stand in the text, one list per backend."""
    reasons = match.string[match.start() :].lower()
    if "kv_cache_dtype not supported" in reasons:
        return (
            Cause(
                "KVD919",
                0.8,
                _("no backend takes this --kv-cache-dtype on this GPU"),
                ("--kv-cache-dtype auto",),
            ),
            Cause("KVD908", 0.4, _("a newer GPU may have it")),
        )
    if "compute capability not supported" in reasons:
        return (
            Cause("KVD920", 0.75, _("the backends name the GPU's compute capability")),
            Cause("KVD908", 0.3, _("would another dtype do?")),
        )
    return (
        Cause("KVD919", 0.5, _("the text lists why each backend was refused")),
        Cause("KVD909", 0.4, _("does the model need a head size that no backend has?")),
    )


def _weight_name(match: re.Match[str]) -> tuple[Cause, ...]:
    """Scales and packed weights are of quantized checkpoints."""
    name = match["name"] or match["other"]
    quantized = any(word in name for word in ("scale", "qweight", "qzeros", "g_idx", "absmax"))
    told = _("{name} has no counterpart", name=name)
    return (
        Cause("KVD907" if quantized else "KVD909", 0.75, told),
        Cause(
            "KVD909" if quantized else "KVD907",
            0.45,
            _("a newer vLLM may read this checkpoint")
            if quantized
            else _("is it quantized in a form that vLLM does not see?"),
        ),
        Cause("KVD913", 0.25, _("do files of two formats lie in one folder?")),
    )


# Where the model's code could not be inspected at all, this is how it shows.
ARCHITECTURE = symptom(
    r"model architectures? (?P<name>\[[^\]]*\]|\S+) (?:are|is) not supported",
    _("vLLM does not know the model's architecture"),
    _architecture,
)
INSPECTION = symptom(
    r"model architectures? (?P<name>\[[^\]]*\]|\S+) failed to be inspected",
    _("the model's code could not be imported"),
    Cause("KVD909", 0.6, _("the exception above it names what is missing")),
    Cause("KVD922", 0.5, _("is a package missing, or too old for this vLLM?")),
)
INSPECTING = "Error in inspecting model architecture"

SYMPTOMS = (
    symptom(
        r"user-specified max_model_len \((?P<asked>\d+)\) is greater than the derived max_model_len"
        r"(?: \((?:\w+=(?P<own>[\d.]+))?)?",
        _("the window is longer than the model was made for"),
        _window,
    ),
    symptom(
        r"cannot access gated repo|gatedrepoerror|access to model \S+ is restricted"
        r"|you are trying to access a gated repo",
        _("the weights are given out only to who accepted their licence, with a token"),
        Cause(
            "KVD913",
            0.95,
            _("accept the licence on the model's page; is HF_TOKEN set inside of the container?"),
            ("HF_TOKEN",),
        ),
    ),
    symptom(
        r"repositorynotfounderror|repository not found for url|is not a local folder and is not a"
        r" valid model identifier|invalid repository id or local directory specified"
        r"|no supported config format found|repo id must (?:be in the form|use alphanumeric)"
        r"|hfvalidationerror|can't load the configuration of"
        r"|incorrect path_or_model_id",
        _("there is no such model, as it was named"),
        Cause(
            "KVD913",
            0.95,
            _("a path must hold config.json as the container sees it; a private id needs HF_TOKEN"),
        ),
    ),
    symptom(
        r"localentrynotfounderror|outgoing traffic has been disabled"
        r"|(?:couldn't|we could not|cannot) connect to '?https://huggingface\.co"
        r"|cannot find the requested files in the (?:disk|local) cache|offlinemodeisenabled"
        r"|offline mode is enabled|cachenotfound|cache directory not found"
        r"|host='huggingface\.co'|an error happened while trying to locate the file on the hub",
        _("the weights are not in the cache, and the Hub was not reached"),
        Cause(
            "KVD913",
            0.85,
            _("download them first, mount the cache, or name a mirror"),
            ("HF_ENDPOINT", "HF_HOME"),
        ),
        Cause("KVD310", 0.2, _("does this machine resolve and reach huggingface.co?")),
    ),
    ARCHITECTURE,
    INSPECTION,
    symptom(
        r"model type [`'\"]?(?P<name>[\w.-]+)[`'\"]? but transformers does not recognize"
        r"|transformers does not recognize this architecture|unrecognized model in ",
        _("transformers does not know the model"),
        Cause("KVD909", 0.9, _UPGRADE, ("pip install --upgrade vllm transformers",)),
    ),
    symptom(
        r"cannot import name '\w+' from 'transformers|module '?transformers\S* has no attribute"
        r"|has no attribute '?all_special_tokens_extended|support for transformers v4 is deprecated"
        r".{0,40}error|requires transformers\s?[<>=]",
        _("transformers and vLLM do not go together in these versions"),
        Cause("KVD922", 0.9, _("install vLLM into a clean environment with what it asks for")),
    ),
    symptom(
        r"trust[-_]remote[-_]code=true|--trust-remote-code|contains custom code which must be"
        r" executed",
        _("the model brings its own code, which runs only where that is allowed"),
        Cause("KVD909", 0.85, _("only if you trust its author"), ("--trust-remote-code",)),
    ),
    symptom(
        r"did not match any variant of untagged enum \w+",
        _("the tokenizer's file is newer than the program that reads it"),
        Cause("KVD909", 0.9, _UPGRADE, ("pip install --upgrade transformers tokenizers",)),
    ),
    symptom(
        r"tokenizer class \S+ does not exist",
        _("the tokenizer was saved by a newer transformers than the one that reads it"),
        Cause("KVD909", 0.85, _UPGRADE, ("pip install --upgrade transformers",)),
        Cause("KVD922", 0.4, _("or may this vLLM not have a newer one? Then a newer vLLM")),
    ),
    symptom(
        r"keyerror: '(?P<name>(?:[\w-]+\.)*"
        r"(?:layers|blocks|h|layer|experts|mlp|attn|visual|model)\.[\w.]+)'"
        r"|there is no module or parameter named '?(?P<other>[\w.]+)",
        _("the weights hold a name that this version's model has not, or lack one that it has"),
        _weight_name,
    ),
    symptom(
        r"for ModelConfig\b.{0,60}expecting value: line \d+ column \d+",
        _("a JSON file of the model is empty, or a pointer of git-lfs"),
        Cause("KVD913", 0.85, _("look at config.json and the other .json files beside it")),
    ),
    symptom(
        r"config file at '[^']{1,300}\.gguf' is not a valid json",
        _("this version takes the GGUF file for a configuration: it has no loader for GGUF"),
        Cause("KVD907", 0.8, _("take the weights as safetensors, AWQ or GPTQ, or a newer vLLM")),
        Cause("KVD909", 0.2, _UPGRADE),
    ),
    symptom(
        r"couldn't instantiate the backend tokenizer|failed to load the tokenizer"
        r"|can't load tokenizer for",
        _("the tokenizer could not be loaded"),
        Cause("KVD913", 0.75, _("is tokenizer.json (or tokenizer.model) beside config.json?")),
        Cause("KVD909", 0.35, _UPGRADE),
    ),
    symptom(
        r"cannot find any model weights with|no (?:safetensors|model) weights? (?:files? )?found"
        r"|error while deserializing header|headertoolarge|invalidheaderdeserialization"
        r"|metadataincompletebuffer|safetensors_rust\.safetensorerror|unpicklingerror"
        r"|checkpoint shard .{0,80}missing",
        _("the files of the weights are incomplete or no weights at all"),
        Cause(
            "KVD913",
            0.95,
            _("a git-lfs pointer or a broken download: compare the sizes with the Hub's"),
        ),
    ),
    symptom(
        r"gguf model with architecture (?P<name>[\w.-]+) is not supported"
        r"|valueerror: architecture (?P<other>[\w.-]+) not supported",
        _("transformers reads no GGUF file of this architecture"),
        Cause("KVD909", 0.85, _UPGRADE, ("pip install --upgrade vllm transformers",)),
        Cause("KVD907", 0.5, _("the same model in another format (safetensors, AWQ, FP8) may do")),
    ),
    symptom(
        r"`?rope_scaling`?(?:'s \S+ field)? (?:must be|should have)|unknown rope scaling type"
        r"|rope_scaling\[[\"']\w+[\"']\]",
        _("config.json describes its positions in a way that this version does not know"),
        Cause("KVD909", 0.85, _UPGRADE, ("pip install --upgrade vllm transformers",)),
        Cause("KVD919", 0.3, _("or was it overridden, with --hf-overrides or --rope-scaling?")),
    ),
    symptom(
        r"loading lora \S+ failed|no adapter found for",
        _("the LoRA adapter was not found"),
        Cause("KVD913", 0.85, _("does its folder hold adapter_config.json?")),
    ),
    symptom(
        r"lora rank (?P<rank>\d+) is greater than max_lora_rank (?P<most>\d+)",
        _("the adapter's rank is over what was allowed at the start"),
        lambda match: (
            Cause(
                "KVD919",
                0.95,
                _("the adapter has rank {rank}", rank=match["rank"]),
                (f"--max-lora-rank {match['rank']}",),
            ),
        ),
    ),
    symptom(
        r"no valid attention backend found|selected backend \S+ is not valid for this"
        r" configuration",
        _("no attention backend takes this model with these settings on this GPU"),
        _no_backend,
    ),
)
