"""How one model id resembles another: what a wrong id most likely meant.

Pure: ids in, likenesses out. Nothing here knows of requests or settings. The kinds are those met
in the wild (facts/gateway-clients.md §§3.9, 3.10, 4.4; cases BR-098 … BR-110): another case, a
vendor or a path before the name, the routing prefix of a client library, a date behind it, the
name of the press release, an id that its vendor has retired.
"""

from __future__ import annotations

import enum
import fnmatch
import re
import unicodedata
from collections.abc import Iterable, Mapping

from doctor.model_words import (
    FAMILIES,
    FAMILY_NAMES,
    MOVING,
    OPENAI_O,
    PACKAGING,
    QWEN3_INSTRUCT,
    RENAMED,
    ROUTING_PREFIXES,
    STYLES,
    VARIANTS,
    VENDORS,
)
from doctor.patterns import Pattern
from doctor.records import dataclass

_FIRST_WORD = Pattern(r"[a-z]+")


class Likeness(enum.StrEnum):
    """In which way two ids are the same, the surest first; NEAR is a mere resemblance."""

    SAME = "same"
    QUOTED = "quoted"  # blanks or quotes around it
    CASE = "case"
    ROOT = "root"  # the weights' name or path, which the server serves under another id
    ROUTING = "routing"  # the routing prefix of a client library before it
    PATH = "path"
    VENDOR = "vendor"
    RENAMED = "renamed"  # its vendor has retired the id
    VERSION = "version"  # a date, a tag or "latest" behind it
    SPELLING = "spelling"  # other punctuation or order of the same words
    NEAR = "near"


@dataclass(frozen=True, slots=True)
class Match:
    """A served id and how it resembles the wanted one. ``score`` is 0 … 1, 1 for all but NEAR."""

    id: str
    likeness: Likeness
    score: float = 1.0


_QUOTES = "\"'`“”‘’「」«»"
_DATED = Pattern(
    r"(?:[-@:_](?:\d{4}-\d{2}-\d{2}|\d{2}-\d{4}|\d{4}-\d{2}|\d{8}|\d{6}|\d{3,4}|latest|preview|exp"
    r"|beta|v\d+:\d+)|:(?:free|\d+(?:\.\d+)?))$"
)
_WORD = Pattern(r"[a-z]+|\d+")
_OTHER_WORK = Pattern(
    r"embed|rerank|whisper|tts|asr|speech|audio|dall-?e|image|moderation|video|sora|\bbge\b|ocr"
    r"|realtime|guard|diffusion|flux|midjourney|suno",
    re.I,
)
_NEAR = 0.6
_SLIP = 0.85


def core(name: str) -> str:
    """``name`` without blanks and quotes around it."""
    return name.strip().strip(_QUOTES).strip()


def without_routing(name: str) -> tuple[str, ...]:
    """``name`` with one, two, … leading routing prefixes of client libraries taken off."""
    shorter: list[str] = []
    rest = core(name)
    while True:
        prefix, slash, rest = rest.partition("/")
        if not slash or not rest or prefix.lower() not in ROUTING_PREFIXES:
            return tuple(shorter)
        shorter.append(rest)


def is_family_name(name: str) -> bool:
    """Whether ``name`` is what people call a family of models ("gpt3"), not an id."""
    return _fold(core(name)) in FAMILY_NAMES


def with_vendor(name: str) -> str | None:
    """``name`` as sites with vendor prefixes (OpenRouter) spell it; None where it has one."""
    inner = core(name)
    if "/" in inner:
        return None
    vendor = VENDORS.get(family(inner) or "")
    return f"{vendor}/{inner}" if vendor else None


def provider_style(name: str) -> str | None:
    """The provider whose ids have the form of ``name``."""
    inner = core(name)
    return next((provider for form, provider in STYLES if form.match(inner)), None)


def family(name: str) -> str | None:
    """The family that ``name`` says the model is of: "qwen", "gpt", …; None where it says none."""
    base = _base(_fold(core(name)))
    if OPENAI_O.match(base):
        return "gpt"
    return next((word for word in _WORD.findall(base) if word in FAMILIES), None)


def vendor_of(name: str) -> str | None:
    """The vendor whose family ``name`` begins with, None for ids with a path."""
    if "/" in name:
        return None
    word = _FIRST_WORD.match(core(name).lower())
    return None if word is None else VENDORS.get(word.group())


def successors(name: str) -> tuple[str, ...]:
    """The ids that took the place of ``name`` when its vendor retired it."""
    return RENAMED.get(_base(_fold(core(name))), ())


def is_dated(name: str) -> bool:
    """Whether a date, a tag or a word of release stands behind the name."""
    base = _base(_fold(core(name)))
    return _undated(base) != base


def answers_chat(name: str) -> bool:
    """Whether nothing in ``name`` says that the model is for something else than chat."""
    return _OTHER_WORK.search(name) is None


def served_as(name: str, served: Iterable[str]) -> str | None:
    """The entry of ``served`` that takes exactly ``name``: itself, or a pattern such as ``*``."""
    patterns = []
    for candidate in served:
        if candidate == name:
            return candidate
        if "*" in candidate:
            patterns.append(candidate)
    return next((p for p in patterns if fnmatch.fnmatchcase(name, p)), None)


def likeness(wanted: str, other: str, root: str | None = None) -> Likeness | None:
    """How the id ``other`` is the same as ``wanted``; None where it is another one.

    ``root`` is the name or path of the weights behind ``other``, as vLLM tells it.
    """
    if wanted == other:
        return Likeness.SAME
    a, b = core(wanted), core(other)
    if a == b:
        return Likeness.QUOTED
    folded_a, folded_b = _fold(a), _fold(b)
    if folded_a == folded_b:
        return Likeness.CASE
    if root is not None and _fold(core(root)) == folded_a:
        return Likeness.ROOT
    if any(_fold(shorter) == folded_b for shorter in without_routing(a)):
        return Likeness.ROUTING
    base_a, base_b = _base(folded_a), _base(folded_b)
    if base_a == base_b:
        return Likeness.PATH if _is_path(a) or _is_path(b) else Likeness.VENDOR
    return _likeness_of_bases(base_a, base_b)


def matches(
    wanted: str, served: Iterable[str], roots: Mapping[str, str] | None = None, limit: int = 4
) -> tuple[Match, ...]:
    """The served ids that ``wanted`` may have meant, likeliest first; never ``wanted`` itself.

    If any is the same in some way, mere resemblances are left out.
    """
    roots = roots or {}
    alike: list[Match] = []
    near: list[Match] = []
    for candidate in dict.fromkeys(served):
        if candidate == wanted or "*" in candidate:
            continue
        kind = likeness(wanted, candidate, roots.get(candidate))
        if kind is not None:
            alike.append(Match(candidate, kind))
        elif (score := _resemblance(wanted, candidate)) >= _NEAR:
            near.append(Match(candidate, Likeness.NEAR, score))
    alike.sort(key=lambda match: _ORDER[match.likeness])
    near.sort(key=lambda match: -match.score)
    return tuple((alike or near)[:limit])


def is_slip(wanted: str, match: Match) -> bool:
    """Whether ``wanted`` is ``match`` mistyped: almost the same letters and the same numbers."""
    numbers = [[w for w in _WORD.findall(_fold(n)) if w.isdigit()] for n in (wanted, match.id)]
    return match.score >= _SLIP and numbers[0] == numbers[1]


def same_model(asked: str, answered: str, root: str | None = None) -> bool:
    """Whether an answer that calls itself ``answered`` may well be of the model ``asked``.

    Lenient: an alias that names no family promises nothing, a vendor expands what moves
    ("gpt-4o" to "gpt-4o-2024-08-06"), and words for packing ("AWQ") make no other model.
    """
    if not core(asked) or not core(answered) or family(asked) is None:
        return True
    if likeness(asked, answered, root) or likeness(answered, asked):
        return True
    a, b = (_undated(_base(_fold(core(name)))) for name in (asked, answered))
    moving = MOVING.get(a)
    if moving is not None and moving.match(b):
        return True
    words_a, words_b = _WORD.findall(a), _WORD.findall(b)
    if _moves(_fold(core(asked))):
        return set(words_a) <= set(words_b)
    return _only_packaging(words_a, words_b)


def _only_packaging(asked: list[str], answered: list[str]) -> bool:
    """Whether the words differ by such only as name a deployment or how weights are packed."""
    rest = list(answered)
    own: list[str] = []
    for word in asked:
        if word in rest:
            rest.remove(word)
        else:
            own.append(word)
    packed = any(word in PACKAGING and len(word) > 1 for word in rest)
    if any(word not in PACKAGING and not (packed and word.isdigit()) for word in rest):
        return False
    return all(not w.isdigit() and w not in VARIANTS and w not in FAMILIES for w in own)


def _likeness_of_bases(base_a: str, base_b: str) -> Likeness | None:
    undated_a, undated_b = _undated(base_a), _undated(base_b)
    qwen = QWEN3_INSTRUCT.fullmatch(base_a)
    if base_b in RENAMED.get(base_a, ()) or (qwen and qwen.group(1) == base_b):
        return Likeness.RENAMED
    if undated_a == undated_b:
        return Likeness.VERSION
    words_a, words_b = _WORD.findall(undated_a), _WORD.findall(undated_b)
    if len(words_a) > 1 and _unordered(words_a) == _unordered(words_b):
        return Likeness.SPELLING
    return None


def _unordered(words: list[str]) -> tuple[list[str], list[str]]:
    """Letters in any order; numbers keep theirs, since "3-8b" and "8-3b" are two models."""
    return sorted(w for w in words if not w.isdigit()), [w for w in words if w.isdigit()]


def _resemblance(wanted: str, candidate: str) -> float:
    a, b = (_undated(_base(_fold(core(name)))) for name in (wanted, candidate))
    if not a or not b:
        return 0.0
    from difflib import SequenceMatcher

    matcher = SequenceMatcher(None, a, b)
    if matcher.real_quick_ratio() < _NEAR or matcher.quick_ratio() < _NEAR:
        return 0.0
    return matcher.ratio()


def _fold(name: str) -> str:
    return unicodedata.normalize("NFKC", name).casefold()


def _base(name: str) -> str:
    trimmed = name.rstrip("/\\")
    return re.split(r"[/\\]", trimmed)[-1] or name


def _undated(name: str) -> str:
    """``name`` without the dates, tags and words of release behind it."""
    while (shorter := _DATED.sub("", name)) != name and shorter:
        name = shorter
    return name


def _moves(name: str) -> bool:
    return name.endswith("latest")


def _is_path(name: str) -> bool:
    return name.startswith(("/", "./", "../", "~", "\\")) or bool(
        re.match(r"[A-Za-z]:[\\/]", name) or "\\" in name or name.count("/") > 2
    )


_ORDER = {kind: order for order, kind in enumerate(Likeness)}
