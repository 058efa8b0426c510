"""Templates and scripts: placeholders whose names or calls say that they change.

Of a template only what stands in a placeholder counts; whether a prompt is a system prompt is told
by the file's name or, in scripts, by the role beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from doctor.prefix.kinds import CLOCK, STATE, UNIQUE_ID, Kind
from doctor.prefix.static.python_source import SourceSpot
from doctor.prefix.static.volatile import kind_of_name

_JINJA = re.compile(r"\{\{-?\s*(.+?)\s*-?\}\}|\{%-?\s*set\s+\w+\s*=\s*(.+?)\s*-?%\}", re.DOTALL)
_BRACES = re.compile(r"(?<![{$])\{([A-Za-z_][\w.]*)\}(?!\})")
_DOLLAR = re.compile(r"\$\{?([A-Za-z_]\w*)\}?")
_NAME = re.compile(r"[A-Za-z_]\w*")
_SYSTEM_LITERAL = re.compile(
    r"(?:role\s*:\s*['\"](?:system|developer)['\"]\s*,\s*content\s*:|"
    r"\b(?:system|instructions|system_?prompt)\s*[:=])\s*`((?:[^`\\]|\\.)*)`",
    re.IGNORECASE | re.DOTALL,
)
_INTERPOLATED = re.compile(r"\$\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}")
_SCRIPT_CALLS: tuple[tuple[re.Pattern[str], Kind], ...] = (
    (re.compile(r"\bnew\s+Date\b|\bDate\.now\b|\bdayjs\(\s*\)|\bmoment\(\s*\)"), CLOCK),
    (re.compile(r"\brandomUUID\b|\buuid(?:v4)?\(|\bnanoid\(|\bMath\.random\b"), UNIQUE_ID),
    (re.compile(r"\bprocess\.cwd\b|\bos\.(?:hostname|userInfo)\b"), STATE),
)
SCRIPTS = (".js", ".mjs", ".cjs", ".ts", ".tsx", ".jsx")
TEMPLATES = (".jinja", ".jinja2", ".j2", ".tmpl", ".mustache", ".hbs", ".prompt")
_PROMPT_FILE = re.compile(r"system|prompt|instruction", re.IGNORECASE)


def is_prompt_text(name: str) -> bool:
    """Whether a plain text of this file name is a prompt."""
    return name.lower().endswith((".txt", ".md")) and bool(_PROMPT_FILE.search(name))


def scan_template(text: str) -> list[SourceSpot]:
    """The placeholders of a template that name something that changes."""
    return list(_in_template(text))


def _in_template(text: str) -> Iterator[SourceSpot]:
    for pattern in (_JINJA, _BRACES, _DOLLAR):
        for match in pattern.finditer(text):
            inside = next(group for group in match.groups() if group is not None)
            for name in _NAME.findall(inside):
                kind = kind_of_name(name)
                if kind is not None:
                    line = text.count("\n", 0, match.start()) + 1
                    yield SourceSpot(kind, line, line, match.group()[:80], guess=True)
                    break


def scan_script(text: str) -> list[SourceSpot]:
    """Template literals of system prompts into which something is put that changes."""
    found: list[SourceSpot] = []
    for literal in _SYSTEM_LITERAL.finditer(text):
        first = text.count("\n", 0, literal.start()) + 1
        for inside in _INTERPOLATED.finditer(literal.group(1)):
            for pattern, kind in _SCRIPT_CALLS:
                if pattern.search(inside.group(1)):
                    at = literal.start(1) + inside.start()
                    line = text.count("\n", 0, at) + 1
                    found.append(SourceSpot(kind, line, first, inside.group()[:80]))
                    break
    return found
