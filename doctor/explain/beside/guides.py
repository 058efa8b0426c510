"""Whole texts in which nobody tells of a failure: guides, lists of changes, sources."""

from __future__ import annotations

from collections.abc import Sequence

from doctor.patterns import Pattern

_LONG, _HEADINGS = 20, 4
_HEADING = Pattern(r"#{1,5} \S|[=~-]{4,}\s*$|<h[1-5]\b")
_SHARE = 0.4
_CODE = Pattern(
    r"\s*(?:(?:import|from|export|def|class|return|raise|throw|try|except|catch|else|elif|if|for|while"
    r"|const|let|var|func|fn|pub|use|async|await|public|private|static|type|interface|package|case"
    r"|with|assert)\b.*[\w:;{(,)}\]'\"]\s*$|self\.|@\w|//|/?\*|\w[\w.]* ?(?::=|=) ?\S"
    r"|[\])}>]+[;,:]?\s*$"
    r"|\w[\w.]*\(.*[\]){(,;]\s*$|\"{3}|(?!\"[^\"]*\"\s*:)[rfb]?['\"`].*['\"`][,)\]]*;?\s*$)"
)
# Somebody who asks, a form for it, or what programs print.
_TOLD = Pattern(
    r"\bI(?:'m|'ve|'d)? (?:am|have|get|got|tried|use|see|run|ran|set|can|was|did|think|try)\b"
    r"|我(?:用|的|在|配置|遇到|们|按)|复现|实际(?:行为|结果)|报错(?:如下|信息)|求助"
    r"|^#+ .*(?:reproduc|expected|actual|describe the|what happened|environment info|log output)"
    r"|^\s*(?:Traceback \(|(?:\w+\.)*\w+(?:Error|Exception): |\w+ error: |error: |curl: \(|fatal: )"
    r"|^\W{0,3}\d{4}-\d\d-\d\d[ T]\d\d:\d\d|\[\d{4}-\d\d-\d\d|\d\d:\d\d:\d\d.{0,40}\bERROR\b"
    r"|HTTP/[\d.]+\"? [45]\d\d|API Error|\bcaused by\b|^\s*Error (?:code: [45]\d\d|\[\w+\]:)"
    r"|^\s*(?:HTTP )?[45]\d\d [A-Z]"
)


def is_guide(lines: Sequence[str]) -> bool:
    """Whether the text is a guide, a list of changes or a source: it has headings, or mostly
    statements, and nobody tells in it of a failure."""
    if len(lines) < _LONG:
        return False
    headings = sum(_HEADING.match(line) is not None for line in lines)
    of_source = sum(_CODE.match(line) is not None for line in lines)
    written = sum(not line.isspace() and line != "" for line in lines)
    if headings < _HEADINGS and of_source < written * _SHARE:
        return False
    return not any(map(_TOLD.search, lines))
