"""Env files as command line programs on Node read them: with the package dotenv.

It leaves ``${NAME}`` as it stands, where python-dotenv fills it in (Gemini CLI 0.61.0, Qwen Code
0.24.4).
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from doctor.clients.files import Files
from doctor.settings.variables import Held, Layer


def read(files: Files, path: Path) -> Layer | None:
    """An env file; None where there is none."""
    layer = files.env(path)
    if layer is None:
        return None
    held = {name: _unexpanded(one) for name, one in layer.held.items()}
    return Layer(held, tuple(map(_unexpanded, layer.lost)))


def _unexpanded(held: Held) -> Held:
    if "${" not in held.raw:
        return held
    raw = held.raw.strip()
    quoted = len(raw) > 1 and raw[0] == raw[-1] and raw[0] in "\"'`"
    value = raw[1:-1] if quoted else raw.partition(" #")[0].rstrip()
    return replace(held, value=value)
