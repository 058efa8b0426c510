"""Regular expressions that cost nothing until they are needed.

kvdoctor knows hundreds of them: what a healthy run needs is a handful, and the words of every
refusal are of use only once something was refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

__all__ = ["Pattern"]


class Pattern:
    """As ``re.compile`` gives it, but compiled at its first use, which is also when a malformed
    one raises ``re.error``."""

    def __init__(self, pattern: str, flags: int = 0) -> None:
        self.pattern = pattern
        self.flags = flags

    def __repr__(self) -> str:
        return f"Pattern({self.pattern!r})"

    @cached_property
    def compiled(self) -> re.Pattern[str]:
        return re.compile(self.pattern, self.flags)

    def match(self, text: str, start: int = 0) -> re.Match[str] | None:
        return self.compiled.match(text, start)

    def fullmatch(self, text: str) -> re.Match[str] | None:
        return self.compiled.fullmatch(text)

    def search(self, text: str, start: int = 0) -> re.Match[str] | None:
        return self.compiled.search(text, start)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        return self.compiled.finditer(text)

    def findall(self, text: str) -> list[Any]:
        return self.compiled.findall(text)

    def split(self, text: str, limit: int = 0) -> list[str]:
        return self.compiled.split(text, limit)

    def sub(
        self, replacement: str | Callable[[re.Match[str]], str], text: str, count: int = 0
    ) -> str:
        return self.compiled.sub(replacement, text, count)
