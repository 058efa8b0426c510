"""How long an answer Qwen Code allows where nothing is configured: by the model's name.

Read in 0.24.4 and observed: the model's known limit, at most 64,000 (some Opus models: 128,000);
32,000 for a name that it does not know. The window is taken into account only where the settings
tell a small one.
"""

from __future__ import annotations

import re

from doctor.patterns import Pattern

DEFAULT = 32_000
_CEILING = 64_000
_SMALLEST = 4_000  # what is left of it in a window that is too small
_OPUS = Pattern(r"claude-opus-(?:4-[678]|5)")
# Beginnings of names without prefixes and dates, the first that fits counts.
_KNOWN = (
    (Pattern(r"gemini-3"), 65_536),
    (Pattern(r"gemini-"), 8_192),
    (Pattern(r"gpt-5"), 131_072),
    (Pattern(r"gpt-"), 16_384),
    (Pattern(r"o\d"), 131_072),
    (_OPUS, 128_000),
    (Pattern(r"claude-"), 65_536),
    (Pattern(r"qwen3\.\d"), 65_536),
    (Pattern(r"coder-model$"), 65_536),
    (Pattern(r"qwen"), 32_768),
    (Pattern(r"deepseek-(?:v4|flash)"), 384_000),
    (Pattern(r"deepseek-(?:reasoner|r1)"), 65_536),
    (Pattern(r"deepseek-chat"), 8_192),
    (Pattern(r"glm-5(?:\.\d+)?(?:-|$)"), 131_072),
    (Pattern(r"glm-4\.7"), 16_384),
    (Pattern(r"minimax-m2\.5"), 65_536),
    (Pattern(r"kimi-k3"), 131_072),
    (Pattern(r"kimi-k2\.5"), 32_768),
)
_TAG = Pattern(
    r":(?:free|beta|extended|thinking|online|nitro|floor|latest"
    r"|\d+(?:\.\d+)?(?:x\d+)?b(?:-[\w.]+)*)$"
)
_PLAIN = Pattern(r"claude-[a-z]+-\d+(?:-\d+)?\.\d+")
_KEPT = Pattern(r"qwen-(?:plus|flash|vl-max)-latest$|kimi-k2-\d{4}$|deepseek-v4")
_DATED = Pattern(r"-(?:\d{4,}|\d+x\d+b|v\d+(?:\.\d+)*|latest|exp)$")
_QUANTISED = Pattern(r"-(?:\d?bit|int[48]|bf16|fp16|q[45]|quantized)$")


def limit(model: str) -> int | None:
    """The most that it lets ``model`` write; None for a name that it does not know."""
    name = _plain(model)
    return next((most for pattern, most in _KNOWN if pattern.match(name)), None)


def default(model: str, window: int | None) -> int | None:
    """What it asks for of its own accord. None where that depends on the length of the prompt."""
    known = limit(model)
    most = DEFAULT if known is None else known
    if not _OPUS.match(_plain(model)):
        most = min(most, _CEILING)
    if window is None:
        return most
    room = window - max(10_000, round(0.05 * window))
    if room <= _SMALLEST:
        return min(most, _SMALLEST)
    # Its own prompt is some 12,000 tokens, which it takes for up to 23,000, and grows.
    return most if room >= most + 60_000 else None


def _plain(model: str) -> str:
    name = model.lower().strip().rpartition("/")[2].rpartition("|")[2]
    name = _TAG.sub("", name).rpartition(":")[2]
    name = re.sub(r"\s+", "-", name)
    if _PLAIN.match(name):
        name = re.sub(r"^(claude-[a-z]+-\d+(?:-\d+)?)\.(\d+)(?:\.\d+)*", r"\1-\2", name)
    name = name.replace("-preview", "")
    if not _KEPT.match(name):
        name = _DATED.sub("", name)
    return _QUANTISED.sub("", name)
