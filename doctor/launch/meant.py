"""What was likely meant by a value that a flag does not take."""

from __future__ import annotations

import ast
import json

from doctor.launch.model import Argument, Launch
from doctor.launch.tables import table
from doctor.launch.values import whole_number
from doctor.suggest import nearest

_OTHER_NAMES = {
    "--dtype": {"fp16": "float16", "bf16": "bfloat16", "fp32": "float32", "f16": "float16"},
    "--kv-cache-dtype": {
        "fp16": "auto",
        "float16": "auto",
        "bf16": "auto",
        "bfloat16": "auto",
        "int8": "fp8",
        "fp8_e4m3fn": "fp8_e4m3",
        "e4m3": "fp8_e4m3",
    },
    "--task": {"embeddings": "embed"},
}


def meant_value(launch: Launch, argument: Argument, value: str) -> str | None:
    """The value that was likely meant by one that the flag does not take."""
    flag = table(launch.version.table).flags.get(argument.flag or "")
    if flag is None:
        return None
    bare = value.strip().strip("\"'“”‘’")
    if flag.choices or flag.kind == "storebool":
        choices = flag.choices or ("True", "False")
        told = _OTHER_NAMES.get(flag.name, {}).get(bare.lower())
        if told in choices:
            return told
        return nearest(bare, choices, 0.7)
    base = flag.kind.rstrip("+?")
    digits = bare.replace(",", "").replace("_", "").replace(" ", "")
    if base in ("int", "hint", "hintauto"):
        return _integer(digits, base)
    if base == "float":
        percent = digits.removesuffix("%")
        if digits.endswith("%") and percent.isdigit():
            return str(int(percent) / 100)
        return digits if _is_float(digits) and digits != value else None
    if base in ("json", "dict"):
        return _json(bare)
    return None


def _integer(text: str, base: str) -> str | None:
    lower = text.lower()
    for unit in ("tokens", "token", "gib", "gb", "mib", "mb", "kib", "kb", "b"):
        if lower.endswith(unit) and lower != unit:
            keep = text[: len(text) - len(unit)] + (unit[0].upper() if len(unit) > 1 else "")
            text = text[: len(text) - len(unit)] if unit.startswith("tok") or unit == "b" else keep
            break
    if text.endswith(".0") and text[:-2].isdigit():
        text = text[:-2]
    number = whole_number(text)
    if number is None:
        head, suffix = text[:-1], text[-1:]
        if suffix in "KMGT" and "." in head:
            number = whole_number(head + suffix.lower())
    if number is None or (number < 0 and base != "hintauto"):
        return None
    # Without suffixes of its own the number is written out.
    return str(number)


def _is_float(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _json(text: str) -> str | None:
    """JSON as it was likely meant: Python's quotes and words."""
    try:
        value = ast.literal_eval(text)
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None
    try:
        return json.dumps(value) if isinstance(value, dict) else None
    except (TypeError, ValueError):
        return None
