"""Which model Claude Code asks for, and how large an answer it allows.

Seen on the wire with 2.1.332 (facts/gateway-clients.md §0.12, §3.1).
"""

from __future__ import annotations

import re

from doctor.clients.claude_settings import Layers
from doctor.clients.files import chosen
from doctor.clients.javascript import trimmed
from doctor.connection import Origin, OriginKind, Setting, Shadowed
from doctor.patterns import Pattern
from doctor.text import _

DEFAULT = Origin(OriginKind.DEFAULT, _("Claude Code default"))
MAX_TOKENS_VARIABLE = "CLAUDE_CODE_MAX_OUTPUT_TOKENS"
# What an alias stands for, and the variable that says otherwise.
_ALIASES = {
    "opus": ("claude-opus-5-5", "ANTHROPIC_DEFAULT_OPUS_MODEL"),
    "sonnet": ("claude-sonnet-5-5", "ANTHROPIC_DEFAULT_SONNET_MODEL"),
    "haiku": ("claude-haiku-5-5", "ANTHROPIC_DEFAULT_HAIKU_MODEL"),
    "fable": ("claude-fable-5-2", "ANTHROPIC_DEFAULT_FABLE_MODEL"),
}
_ALIASES["best"] = _ALIASES["opus"]
_ALIASES["opusplan"] = _ALIASES["sonnet"]
# What ANTHROPIC_DEFAULT_MODEL cannot say: the usual Opus takes its place.
_NO_LAST_RESORT = frozenset({"haiku", "best", "opusplan", "default"})
_LONG = Pattern(r"\[1m\]$", re.I)
# Models of Anthropic's own that are gone: Claude Code asks for today's Opus instead.
_RETIRED = Pattern(r"claude-opus-4(-[01])?-20\d{6}|claude-opus-4-[01]")
_NO_REMAP = "CLAUDE_CODE_DISABLE_LEGACY_MODEL_REMAP"

_NAMED = Pattern(r"claude-(opus|sonnet|haiku|fable|mythos)-(\d+)(?:[-.](\d{1,2}))?(?!\d)", re.I)
_OLDER = Pattern(r"claude-3(-5|-7)?-(opus|sonnet|haiku)", re.I)
# By family and version: (tokens asked for by default, the most that the variable may ask for).
_UNKNOWN = (32_000, 128_000)
_LIMITS = {
    **dict.fromkeys(("opus 5.5", "sonnet 5.5", "haiku 5.5", "fable 5.2"), (128_000, 128_000)),
    **dict.fromkeys(
        ("opus 4.6", "opus 4.7", "opus 4.8", "opus 5", "sonnet 5", "fable 5"), (64_000, 128_000)
    ),
    **dict.fromkeys(
        ("opus 4.5", "sonnet 4.5", "haiku 4.5", "sonnet 4", "sonnet 4.0"), (32_000, 64_000)
    ),
    **dict.fromkeys(("opus 4", "opus 4.0", "opus 4.1"), (32_000, 32_000)),
}
_LIMITS_OF_3 = {
    ("-7", "sonnet"): (32_000, 64_000),
    ("-5", "sonnet"): (8_192, 8_192),
    ("-5", "haiku"): (8_192, 8_192),
    ("", "sonnet"): (8_192, 8_192),
    ("", "opus"): (4_096, 4_096),
    ("", "haiku"): (4_096, 4_096),
}
# As parseFloat reads it.
_NUMBER = Pattern(r"\s*(\+?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?)")
_LONGEST_NUMBER = 12  # characters; more is over every limit


def model(layers: Layers) -> Setting[str]:
    """The model of a plain question; ``/model`` and ``--model`` of a session are not known.

    ``ANTHROPIC_MODEL`` beats ``model``, wherever each of them stands.
    """
    said = [*_of_variable(layers, "ANTHROPIC_MODEL"), *layers.texts("model")]
    last = _of_variable(layers, "ANTHROPIC_DEFAULT_MODEL")
    said += [text for text in last if trimmed(text.value).lower() not in _NO_LAST_RESORT]
    first = chosen(*(text for text in said if trimmed(text.value)))
    if first is None:
        return _resolved("opus", Setting("opus", DEFAULT), layers)
    return _resolved(trimmed(first.value), first, layers)


def _of_variable(layers: Layers, name: str) -> list[Shadowed[str]]:
    """The value in effect and those behind it; nothing where a blank one is in effect."""
    setting = layers.filled(name)
    if setting is None:
        return []
    return [Shadowed(setting.value, setting.origin), *setting.shadows]


def _resolved(name: str, said: Setting[str], layers: Layers) -> Setting[str]:
    """What goes on the wire for ``name``, with the place that decides."""
    plain = _LONG.sub("", name)
    alias = _ALIASES.get(plain.lower())
    if alias is None and _RETIRED.fullmatch(plain) and layers.filled(_NO_REMAP) is None:
        alias = _ALIASES["opus"]
    if alias is None:
        known = _NAMED.fullmatch(plain) and limits(plain) != _UNKNOWN
        sent = plain.lower() if known else plain
        # The text as it stands in the file, where nothing but blanks was taken off it.
        return said if sent == said.value else Setting(sent, said.origin, said.shadows)
    own = layers.filled(alias[1])
    if own is None:
        return Setting(alias[0], said.origin, said.shadows)
    shadows = (*own.shadows, Shadowed(said.value, said.origin), *said.shadows)
    lost = tuple(s for s in shadows if s.origin.kind is not OriginKind.DEFAULT)
    return Setting(_LONG.sub("", trimmed(own.value)), own.origin, lost)


def limits(name: str) -> tuple[int, int]:
    """The tokens that are asked for by default for a model id, and the most that may be."""
    if older := _OLDER.search(name):
        return _LIMITS_OF_3.get((older[1] or "", older[2].lower()), _UNKNOWN)
    if found := _NAMED.search(name):
        version = found[2] if found[3] is None else f"{found[2]}.{found[3]}"
        return _LIMITS.get(f"{found[1].lower()} {version}", _UNKNOWN)
    return _UNKNOWN


def max_tokens(layers: Layers, name: str) -> Setting[int]:
    """The ``max_tokens`` of a plain question to the model ``name``."""
    usual, most = limits(name)
    said = [(_number(s.value), s.origin) for s in _of_variable(layers, MAX_TOKENS_VARIABLE)]
    if not said or said[0][0] is None:  # what is no positive number does not count
        return Setting(usual, DEFAULT)
    kept = [Shadowed(min(n, most), origin) for n, origin in said if n is not None]
    return Setting(kept[0].value, kept[0].origin, tuple(kept[1:]))


def _number(text: str) -> int | None:
    found = _NUMBER.match(text)
    if found is None:
        return None
    number = int(float(found[1][:_LONGEST_NUMBER]))
    return number if number > 0 else None
