"""Parts of a prompt whose heading says what they hold: git's state, a file tree, memories.

Their lines do not tell by themselves that they change; what stands above them does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from doctor.prefix.kinds import STATE, TEXT, Kind

_FAR = 16_384  # characters above a line in which its heading is looked for
_CLIENT_GIT = "\ngitStatus: This is the git status"
_TAG = re.compile(r"<([A-Za-z][\w.-]*)(?:\s[^<>]*)?>")
_MARKDOWN = re.compile(r"(#{1,6})\s")
_NAMES = re.compile(r"(?<=[a-z])(?=[A-Z])|[_\-.]+")  # gitStatus, git_status
_STATE = re.compile(
    r"\b(?:git|branch|commits?|diff|(?:modified|changed|staged|untracked|open|opened|visible|active"
    r"|recent|project|workspace)\s+(?:files?|tabs?|editors?)|(?:director(?:y|ies)|folder|files?|"
    r"project|repo(?:sitory)?|code)\s*(?:structure|tree|list(?:ing)?|layout|map|overview)|cwd|"
    r"workspace|environment|env|system info(?:rmation)?|todos?|to-do|task list|scratchpad|memory|"
    r"memories|remember(?:ed)?|summary|(?:chat|conversation) history|state|status|devices?|"
    r"inventory|progress)\b|记忆|状态|目录|历史|摘要|环境",
    re.IGNORECASE,
)
_TEXT = re.compile(
    r"\b(?:context|documents?|docs?|passages?|snippets?|sources?|results?|retrieved|retrieval|"
    r"knowledge|references?|facts|relevant|examples?|profile|preferences|customer|account|notes?|"
    r"news|weather)\b|上下文|文档|资料|参考|示例|用户信息",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Section:
    """``kind`` is what its heading says; from ``start`` to ``end`` of the text."""

    kind: Kind
    heading: str
    start: int
    end: int


def in_client_git(text: str, at: int) -> bool:
    """Whether ``at`` is in what Claude Code tells of the repository, at the end of its prompt."""
    return text.find(_CLIENT_GIT, max(0, at - _FAR), at) >= 0


def section(text: str, span: tuple[int, int]) -> Section | None:
    """The nearest one around ``span`` that is known to change; None where no heading says so."""
    return _element(text, span) or _below_heading(text, span)


def _element(text: str, span: tuple[int, int]) -> Section | None:
    """Within an element of mark-up."""
    first = max(0, span[0] - _FAR)
    for tag in reversed(list(_TAG.finditer(text, first, span[0]))):
        close = text.find(f"</{tag[1]}>", tag.end())
        if close < span[1]:
            continue
        kind = _said(tag[1])
        if kind is not None:
            return Section(kind, tag[0], tag.end(), close)
    return None


def _below_heading(text: str, span: tuple[int, int]) -> Section | None:
    """Below a line that ends in a colon, or a heading of Markdown."""
    if any(map(_is_heading, text[span[0] : span[1]].split("\n")[1:])):
        return None
    level = 7
    end = text.rfind("\n", 0, span[0])
    while end > 0 and span[0] - end < _FAR:
        begin = text.rfind("\n", 0, end) + 1
        line = text[begin:end]
        found = _level(line)
        if found < level:
            level = found
            kind = _said(line)
            if kind is not None:
                return Section(kind, line, end + 1, _end(text, end + 1, span[1]))
            if level == 1:
                return None
        end = begin - 1
    return None


def _level(line: str) -> int:
    """1 to 6 of a heading of Markdown, 6 of a line that ends in a colon; else 7."""
    if match := _MARKDOWN.match(line):
        return len(match[1])
    return 6 if _is_heading(line) else 7


def _is_heading(line: str) -> bool:
    if _MARKDOWN.match(line):
        return True
    return len(line) <= 120 and line.rstrip(" *_").endswith((":", "：")) and line[:1] not in " \t-*"


def _end(text: str, start: int, at: int) -> int:
    """Where the paragraph ends in which ``at`` is, without the blanks behind it."""
    end = at
    while end < len(text):
        close = text.find("\n", end)
        close = len(text) if close < 0 else close
        line = text[end:close]
        # What is left of the line that ``at`` is in is no line of its own.
        if (end == 0 or text[end - 1] == "\n") and (not line.strip() or _is_heading(line)):
            break
        end = close + 1
    end = min(end, len(text))
    while end > start and text[end - 1].isspace():
        end -= 1
    return end


def _said(heading: str) -> Kind | None:
    words = _NAMES.sub(" ", heading)
    if _STATE.search(words):
        return STATE
    return TEXT if _TEXT.search(words) else None
