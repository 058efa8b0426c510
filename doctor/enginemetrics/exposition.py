"""Prometheus' text format, read line by line: what makes no sense is counted and left out.

Only lines about vLLM are taken apart. A proxy, a sidecar or a cut body may leave anything in the
text, and one bad line must not cost the rest, as it does in strict parsers.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from doctor.patterns import Pattern
from doctor.records import dataclass

_LINE = Pattern(
    r"[ \t]*(?:ray_)?(?P<vllm>vllm[:_])?(?P<name>[a-zA-Z_:][a-zA-Z0-9_:]*)"
    r"[ \t]*(?:\{(?P<labels>(?:[^\"}]|\"(?:[^\"\\]|\\.)*\")*)\})?"
    r"[ \t]+(?P<value>[^ \t{}\"]+)(?:[ \t]+-?[0-9.eE+]+)?(?:[ \t]+#.*)?[ \t]*"
)
_LABEL = Pattern(r"[ \t]*(?P<name>[a-zA-Z_]\w*)[ \t]*=[ \t]*\"(?P<value>(?:[^\"\\]|\\.)*)\"[ \t]*")
_ESCAPE = Pattern(r"\\(.)")
_ESCAPED = {"n": "\n", '"': '"', "\\": "\\"}
_HEAD = Pattern(r"[ \t]*(?:ray_)?vllm[:_]([a-zA-Z0-9_:]+)")


@dataclass(slots=True)
class Tally:
    """Lines that could not be read, of those that were wanted."""

    malformed: int = 0


Sample = tuple[str, dict[str, str], float]


def samples(
    text: str, wanted: Callable[[str], bool], plain: frozenset[str], tally: Tally
) -> Iterator[Sample]:
    """Name, labels and value of every sample of vLLM whose name, without its prefix, is
    ``wanted``, and of those in ``plain``, which have no prefix."""
    heads = tuple(plain)
    for line in text.split("\n"):
        if line.startswith(("vllm", "ray_vllm", " ", "\t")):
            head = _HEAD.match(line)
            if head is None or not wanted(head.group(1)):
                continue
        elif not line.startswith(heads):
            continue
        sample = _sample(line.rstrip("\r"))
        if sample is None:
            tally.malformed += 1
        elif sample[0] in plain or wanted(sample[0]):
            yield sample


def _sample(line: str) -> Sample | None:
    match = _LINE.fullmatch(line)
    if match is None:
        return None
    labels = _labels((match["labels"] or "").strip())
    value = number(match["value"])
    if labels is None or value is None:
        return None
    return match["name"], labels, value


def _labels(text: str) -> dict[str, str] | None:
    found: dict[str, str] = {}
    at = 0
    while at < len(text):
        match = _LABEL.match(text, at)
        if match is None:
            return None
        value = match["value"]
        found[match["name"]] = _ESCAPE.sub(_unescaped, value) if "\\" in value else value
        at = match.end()
        if at < len(text):
            if text[at] != ",":
                return None
            at += 1
    return found


def _unescaped(match: re.Match[str]) -> str:
    return _ESCAPED.get(match.group(1), match.group(0))


def number(text: str) -> float | None:
    """A sample's value, NaN and the infinities among them; None for what is no number."""
    try:
        return float(text)
    except ValueError:
        return None
