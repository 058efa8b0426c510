"""Errors as people say them."""

from __future__ import annotations

import re

# The number is for programmers: "[Errno 111] Connection refused".
_ERRNO = re.compile(r"\[Errno -?\d+\] (.)")


def said(error: str) -> str:
    """``error`` without its number, and not shouting in the middle of a sentence."""
    if not _ERRNO.search(error):
        return error
    return _ERRNO.sub(lambda match: match.group(1).lower(), error)
