"""GPUs by name: memory and compute capability, from the packaged table."""

from __future__ import annotations

import functools
import json
from importlib import resources
from typing import Any

from doctor.memory.errors import OptionError
from doctor.patterns import Pattern
from doctor.records import dataclass
from doctor.suggest import nearest
from doctor.text import _
from doctor.untrusted import visible

GIB = 1 << 30
_COUNT = Pattern(r"\s*(\d{1,3})\s*[x×*]\s*(?=\D)")
_JUNK = Pattern(r"[^a-z0-9]+")
_NOISE = Pattern(r"\b(?:nvidia|geforce|tesla|amd|instinct|gpu|pcie|sxm\d?|hbm\d?e?)\b")
_SIZE = Pattern(r"\s*(\d+(?:\.\d+)?)\s*(?:([KMGT])(i?)B?|([KMGT]))?\s*", flags=2)
_POWER = {"k": 1, "m": 2, "g": 3, "t": 4}


@dataclass(frozen=True, slots=True)
class Gpu:
    """``total`` in bytes as CUDA reports it; ``capability`` times ten, 0 where it has none;
    ``count`` as in ``2x H100``. ``source`` says where the total comes from."""

    name: str
    total: int
    capability: int = 0
    count: int | None = None
    source: str = ""


def named(text: str) -> Gpu:
    """``H100``, ``2x A100-80G``, ``rtx 4090``. Raises ``OptionError`` with the nearest names."""
    match = _COUNT.match(text)
    count = int(match.group(1)) if match else None
    wanted = _key(text[match.end() :] if match else text)
    keys = _keys()
    row = keys.get(wanted)
    if row is None:
        hint: str = ""
        alike = sorted(
            {r["name"] for k, r in keys.items() if wanted and k.startswith(f"{wanted} ")}
        )
        near = nearest(wanted, keys, cutoff=0.7)
        if len(alike) > 1:
            hint = _("; there is {names}", names=", ".join(alike))
        else:
            hint = _("; the nearest is {name}", name=keys[near]["name"]) if near else ""
        raise OptionError(
            _(
                "--gpu {name} is not known{hint}; --gpu-memory gives its size",
                name=visible(text, 80),
                hint=hint,
            )
        )
    total = round(float(row["total_gib"]) * GIB)
    return Gpu(row["name"], total, int(row["capability"]), count, row["source"])


def size(text: str, flag: str) -> int:
    """``80GiB``, ``24GB``, ``512M`` or bytes. ``GiB`` and ``G`` are powers of 1024, ``GB`` of 1000.

    Raises ``OptionError``.
    """
    match = _SIZE.fullmatch(text)
    if match is None:
        raise OptionError(
            _("{flag} {value}: write a size such as 80GiB", flag=flag, value=visible(text, 60))
        )
    number, unit, binary, bare = match.groups()
    letter = unit or bare
    if letter is None:
        value = float(number)
    else:
        decimal = unit is not None and not binary and text.strip()[-1] in "bB"
        value = float(number) * (1000 if decimal else 1024) ** _POWER[letter.lower()]
    if not 0 < value < 1e16:
        raise OptionError(_("{flag} {value} is no size", flag=flag, value=visible(text, 60)))
    return round(value)


def _key(text: str) -> str:
    return " ".join(_JUNK.sub(" ", _NOISE.sub(" ", text.lower())).split())


@functools.cache
def _keys() -> dict[str, dict[str, Any]]:
    file = resources.files("doctor.memory").joinpath("data/gpus.json")
    rows: list[dict[str, Any]] = json.loads(file.read_text("utf-8"))
    found: dict[str, dict[str, Any]] = {}
    for row in rows:
        for name in (row["name"], *row["aliases"]):
            found.setdefault(_key(name), row)
    return found
