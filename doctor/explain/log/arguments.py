"""The arguments of an engine as its log prints them, without keys."""

from __future__ import annotations

import ast
from typing import Any

from doctor.patterns import Pattern
from doctor.secrets import REDACTOR, Secret

_SECRET = ("api_key", "_token", "password", "secret")
_PAIR = Pattern(
    r"(?P<name>[a-z]\w{1,60})=(?P<value>'(?:[^'\\]|\\.){0,400}'|\[[^\]]{0,400}\]"
    r"|[^,()\[\]{}' ]{1,100})"
)
_CONFIG = (
    "model",
    "dtype",
    "max_seq_len",
    "tensor_parallel_size",
    "pipeline_parallel_size",
    "data_parallel_size",
    "quantization",
    "kv_cache_dtype",
    "enforce_eager",
    "enable_prefix_caching",
    "device_config",
)
_LONGEST = 300
_HIDDEN = "***"


def non_default(text: str) -> dict[str, Any]:
    """Of ``non-default args: {…}``; empty where it cannot be read (a line that was cut)."""
    start = text.find("{")
    if start < 0:
        return {}
    try:
        value = ast.literal_eval(text[start:].strip())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return {}
    return _masked(value) if isinstance(value, dict) else {}


def namespace(text: str) -> dict[str, Any]:
    """Of ``args: Namespace(…)``, as V0 prints all of them; those that are None are left out."""
    found = {match["name"]: _value(match["value"]) for match in _PAIR.finditer(text)}
    return _masked({name: value for name, value in found.items() if value is not None})


def learn_keys(text: str) -> None:
    """Let no key be shown that an engine's arguments in ``text`` hold."""
    for line in text.split("\n"):
        if "non-default args" in line:
            non_default(line)
        elif "Namespace(" in line:
            namespace(line)


def config(text: str) -> dict[str, Any]:
    """What matters of ``Initializing a … engine (v…) with config: …``."""
    found: dict[str, Any] = {}
    for match in _PAIR.finditer(text):
        if match["name"] in _CONFIG and match["name"] not in found:
            found[match["name"]] = _value(match["value"])
    return _masked(found)


def _value(text: str) -> Any:
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return text


def _masked(values: dict[Any, Any]) -> dict[str, Any]:
    """Plain values by their names; what may be a secret is learned and hidden."""
    shown: dict[str, Any] = {}
    for name, value in values.items():
        key = str(name)
        if key.lower().endswith(_SECRET) and isinstance(value, str | list | tuple):
            for one in [value] if isinstance(value, str) else value:
                REDACTOR.learn(Secret(str(one)))
            shown[key] = _HIDDEN
        elif isinstance(value, bool | int | float) or value is None:
            shown[key] = value
        else:
            shown[key] = str(value)[:_LONGEST]
    return shown
