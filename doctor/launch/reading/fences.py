"""Guides and bug reports in Markdown: what is a command stands in fences, the rest is prose.

A text is blanked outside the fences, not cut, so that every place in it stays what it was.
"""

from __future__ import annotations

from doctor.patterns import Pattern
from doctor.records import dataclass

_FENCE = Pattern(r"(?m)^[ \t]*(?:>[ \t]?)*(`{3,}|~{3,})[ \t]*([\w+.-]*)[^\n`]*$")
_SHELL = frozenset({"", "bash", "sh", "shell", "zsh", "console", "shell-session", "terminal"})
_SHELL_AS_WELL = frozenset({"text", "txt", "powershell", "cmd", "bat", "fish", "plaintext"})
_OTHERS = {
    "yaml": "yaml", "yml": "yaml", "dockerfile": "dockerfile", "docker": "dockerfile",
    "json": "json",
}  # fmt: skip
# Fences that are not of a shell are read one by one.
_MANY = 20


@dataclass(frozen=True, slots=True)
class Fence:
    """``language`` is ``shell``, ``yaml``, ``dockerfile``, ``json`` or ``""``."""

    language: str
    start: int
    end: int


def fences(text: str) -> tuple[Fence, ...]:
    """The fenced blocks of a text; one that does not end goes on to the end of the text."""
    found: list[Fence] = []
    opened: tuple[str, str, int] | None = None
    for match in _FENCE.finditer(text):
        mark, language = match.group(1), match.group(2).lower()
        if opened is None:
            opened = (mark, language, min(match.end() + 1, len(text)))
        elif mark[0] == opened[0][0] and len(mark) >= len(opened[0]) and not language:
            found.append(Fence(_kind(opened[1]), opened[2], max(match.start(), opened[2])))
            opened = None
    if opened is not None:
        found.append(Fence(_kind(opened[1]), opened[2], len(text)))
    return tuple(found)


def _kind(language: str) -> str:
    if language in _SHELL or language in _SHELL_AS_WELL:
        return "shell"
    return _OTHERS.get(language, "")


def shell_of(text: str, blocks: tuple[Fence, ...]) -> str:
    """``text`` with blanks for all that stands in no fence of a shell."""
    return _only(text, tuple(block for block in blocks if block.language == "shell"))


def others_of(text: str, blocks: tuple[Fence, ...]) -> list[str]:
    """``text`` once for each fence of another kind, blank outside it."""
    chosen = [block for block in blocks if block.language not in ("shell", "")]
    return [_only(text, (block,)) for block in chosen[:_MANY]]


def _only(text: str, blocks: tuple[Fence, ...]) -> str:
    parts: list[str] = []
    position = 0
    for block in blocks:
        parts.append(_blank(text[position : block.start]))
        parts.append(text[block.start : block.end])
        position = block.end
    parts.append(_blank(text[position:]))
    return "".join(parts)


def _blank(text: str) -> str:
    return "\n".join(" " * len(line) for line in text.split("\n"))
