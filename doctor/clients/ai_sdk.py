"""What programs on Vercel's AI SDK share (opencode 1.18, Cline 3): one slash at the end of the base
goes, the path is added, and the runtime's fetch reads the URL and the header."""

from __future__ import annotations

from doctor.clients.whatwg import href


def join(base: str, path: str) -> str:
    """Raises ``ClientRefusal`` with the text that Bun gives."""
    url = base.removesuffix("/") + path
    return href(url, f'"{url}" cannot be parsed as a URL.')


def prepare_key(key: str) -> str:
    """Blanks and line breaks at the end of a header are dropped; those ahead of the key stay
    behind ``Bearer``."""
    return key.rstrip(" \t\r\n")
