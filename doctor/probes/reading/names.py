"""Names in the texts of errors: the parameter that is refused, the models that are served."""

from __future__ import annotations

import re

from doctor.patterns import Pattern
from doctor.probes.reading.errorbody import ErrorBody
from doctor.untrusted import visible

_PARAMETER = tuple(
    Pattern(text, re.I | re.M)
    for text in (
        r"\(parameter=([\w.]+)",
        r"(?:supplied|parameter|argument|field|value|property|properties|keyword)s?\b"
        r"[^'`\"\w\n]{0,6}[\['`\"]+([\w.\[\]-]+)['`\"]",
        r"(?:argument supplied|unknown parameter|unsupported parameter|unrecogni[sz]ed[^:\n]{0,60})"
        r":\s*['`\"]?([\w.]+)",
        r"^([\w.]+): extra inputs are not permitted",
        r"['`\"](\w+)['`\"] (?:is|does) not support",
    )
)
_TOOLS = Pattern(r"enable-auto-tool-choice|does not support (?:tools|function calling)", re.I)
_SERVED = (
    Pattern(r"valid aliases: ([^\n]+?)\.?\s*(?:$|\n|\()", re.I),
    Pattern(r"supported api model names are ([^\n]+?)(?:, but\b|\.\s|\.?$)", re.I | re.M),
    Pattern(
        r"(?:available|supported|allowed) models(?: are)?:? \[?([^\]\n]+?)(?:\]|\.\s|\.?$)",
        re.I | re.M,
    ),
)
# LM Studio: one on each line.
_ON_LINES = Pattern(r"your models:\s*\n((?:[ \t]*\S+[ \t]*(?:\n|$)|\n)+)", re.I)
_SEPARATOR = Pattern(r"\s*(?:,|;|\bor\b|\band\b)\s*")
# A text may list hundreds; the models list is the place to read them all.
_MOST = 50


def param_of(error: ErrorBody) -> str:
    """The parameter that the error speaks of, empty where it names none."""
    if error.param:
        return error.param.removeprefix("body.")
    if _TOOLS.search(error.message):
        return "tools"
    for pattern in _PARAMETER:
        match = pattern.search(error.message)
        if match is not None:
            return match.group(1)
    return ""


def served_in(error: ErrorBody) -> tuple[str, ...]:
    """The model ids that the text offers instead (vLLM from 0.32, DeepSeek, LM Studio)."""
    lines = _ON_LINES.search(error.message)
    if lines is not None:
        return tuple(dict.fromkeys(visible(name, 200) for name in lines.group(1).split()))[:_MOST]
    said = error.said
    for pattern in _SERVED:
        match = pattern.search(said)
        if match is not None:
            names = (name.strip(" `'\"") for name in _SEPARATOR.split(match.group(1)))
            kept = [visible(name, 200) for name in names if name and " " not in name]
            return tuple(dict.fromkeys(kept))[:_MOST]
    return ()
