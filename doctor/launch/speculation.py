"""Speculative decoding as a line asks for it, whichever of the three forms it takes.

facts/vllm.md §7: ``--speculative-model`` and its group up to 0.8.0, ``--speculative-config`` from
0.8.3 (JSON or dotted), ``--spec-method``, ``--spec-model`` and ``--spec-tokens`` from 0.22.1.
"""

from __future__ import annotations

from typing import Any

from doctor.launch.model import Argument, Launch
from doctor.launch.values import NotAValue, parsed_json, whole_number
from doctor.records import dataclass

OLD_GROUP = {
    "--speculative-model": "model",
    "--num-speculative-tokens": "num_speculative_tokens",
    "--speculative-draft-tensor-parallel-size": "draft_tensor_parallel_size",
    "--speculative-max-model-len": "max_model_len",
    "--speculative-disable-by-batch-size": "disable_by_batch_size",
    "--speculative-model-quantization": "quantization",
    "--ngram-prompt-lookup-max": "prompt_lookup_max",
    "--ngram-prompt-lookup-min": "prompt_lookup_min",
}


@dataclass(frozen=True, slots=True)
class Speculation:
    """``tokens`` is None where the line does not tell, ``broken`` what is wrong with the JSON.
    ``arguments`` are those that ask for it."""

    method: str | None = None
    model: str | None = None
    tokens: int | None = None
    config: dict[str, Any] | None = None
    arguments: tuple[Argument, ...] = ()
    broken: str = ""

    @property
    def asked(self) -> bool:
        return bool(self.arguments)


def speculation(launch: Launch) -> Speculation:
    """What the line says of it, old flags included, even where the version has them no more."""
    config: dict[str, Any] = {}
    used: list[Argument] = []
    broken = ""
    dotted = [a for a in launch.arguments if a.flag == "--speculative-config" and a.path]
    plain = launch.last("--speculative-config")
    if plain is not None:
        used.append(plain)
        if not dotted and plain.values and plain.known:
            try:
                told = parsed_json(plain.values[0])
                config = told if isinstance(told, dict) else {}
                broken = "" if isinstance(told, dict) else "no JSON object"
            except NotAValue as error:
                broken = str(error)
    for argument in dotted:
        used.append(argument)
        config[argument.path.rstrip("+")] = _value(argument)
    for flag, key in (
        ("--spec-method", "method"),
        ("--spec-model", "model"),
        ("--spec-tokens", "num_speculative_tokens"),
    ):
        found = launch.last(flag)
        if found is not None:
            used.append(found)
            config.setdefault(key, _value(found))
    for argument in launch.arguments:
        name = argument.flag or "--" + argument.spelled[2:].replace("_", "-")
        if name in OLD_GROUP:
            used.append(argument)
            config.setdefault(OLD_GROUP[name], _value(argument))
    model = config.get("model")
    method = config.get("method")
    if model == "[ngram]":
        model, method = None, "ngram"
    tokens = config.get("num_speculative_tokens")
    return Speculation(
        str(method) if method else None,
        str(model) if model else None,
        tokens if isinstance(tokens, int) and not isinstance(tokens, bool) else None,
        config,
        tuple(used),
        broken,
    )


def _value(argument: Argument) -> Any:
    if not argument.values:
        return None
    text = argument.values[-1]
    number = whole_number(text) if text.lower() != "auto" else None
    return number if number is not None else text
