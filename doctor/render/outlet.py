"""The last step before a stream: what is written can be encoded and commands nobody.

The log of a build server is read by the server itself: a line that begins with ``::error`` or
holds ``##vso[`` is an order to it. Text of others may hold such lines, and wrapping makes more. One
character of each is spelled out, in a way that means the same inside of JSON.
"""

from __future__ import annotations

from typing import IO

from doctor.patterns import Pattern

# GitHub: ``::name …::`` at the beginning, ``##[name]`` anywhere. Azure and TeamCity: ``##name[``.
# Colours ahead of it are left aside, as those who read a log leave them.
_AT_START = Pattern(
    r"(?m)^((?:[ \t]|\x1b\[[0-9;]*m)*):(?=:[A-Za-z][\w-]*(?:[ ,][^\n]*)?(?:\x1b\[[0-9;]*m)*::)"
)
_ANYWHERE = Pattern(r"(##[A-Za-z]*)\[")


class Outlet:
    """A text stream that takes whatever there is. What rich and ``Sink`` write goes through it."""

    def __init__(self, stream: IO[str]) -> None:
        self._stream = stream
        self._begun = False

    @property
    def encoding(self) -> str:
        return getattr(self._stream, "encoding", None) or "utf-8"

    def write(self, text: str) -> int:
        # A lone surrogate, or a character that the terminal's encoding lacks, must not end the
        # run with a traceback.
        encoding = self.encoding
        safe = inert(text, begun=self._begun).encode(encoding, "backslashreplace").decode(encoding)
        if text:
            self._begun = not text.endswith("\n")
        return self._stream.write(safe)

    def write_orders(self, text: str) -> int:
        """Write ``text`` with the orders in it; what is not meant as one was made ``inert``."""
        encoding = self.encoding
        self._begun = bool(text) and not text.endswith("\n")
        return self._stream.write(text.encode(encoding, "backslashreplace").decode(encoding))

    def flush(self) -> None:
        self._stream.flush()

    def isatty(self) -> bool:
        return self._stream.isatty()


def inert(text: str, *, begun: bool = False) -> str:
    """``text`` without orders to a build server. ``begun``: it continues a line."""
    if "##" in text:
        text = _ANYWHERE.sub(r"\1\\u005b", text)
    if "::" not in text:
        return text
    head, newline, rest = text.partition("\n") if begun else ("", "", text)
    return head + newline + _AT_START.sub(r"\1\\u003a", rest)
