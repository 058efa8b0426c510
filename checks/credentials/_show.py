"""How a key, a character and a place are shown in findings."""

from __future__ import annotations

import re

from doctor.checkapi import Evidence, Secret, _, character_name, visible
from doctor.connection import Connection, Origin, Setting
from doctor.patterns import Pattern

from ._sources import origin_of

_HEAD = Pattern(r"\A(?:[^!-~]|[\"'`])*")
_TAIL = Pattern(r"(?:[^!-~]|[\"'`])*\Z")
_BLANK_SIGN = "␠"
_CONTROLS = {
    "\n": "U+000A LINE FEED",
    "\r": "U+000D CARRIAGE RETURN",
    "\t": "U+0009 TAB",
    "\0": "U+0000 NULL",
    " ": "U+0020 SPACE",
}


def shown(secret: Secret) -> str:
    """The key masked, with what stands at its ends spelled out: ``sk-…WXYZ⏎``."""
    text = secret.reveal()
    head, tail = _HEAD.findall(text)[0], _TAIL.findall(text)[0]
    if len(head) == len(text):
        return secret.masked if text.isascii() or not text else _("(no ASCII character)")
    core = Secret(text[len(head) : len(text) - len(tail)])
    return f"{_spelled(head)}{core.masked}{_spelled(tail)}"


def _spelled(end: str) -> str:
    """A blank at an end is not seen, so it gets a sign."""
    return visible(end, 12).replace(" ", _BLANK_SIGN)


def name_of(char: str) -> str:
    """``U+000A LINE FEED``: the code point with its name, control characters too."""
    return _CONTROLS.get(char) or character_name(char)


def key_evidence(setting: Setting[Secret]) -> Evidence:
    """The key as it is, with its length and its source."""
    text = _("{key}, {n} characters", key=shown(setting.value), n=len(setting.value))
    return Evidence(_("key"), str(origin_of(setting)), text)


def place(origin: Origin) -> str:
    """The source in a sentence: ``OPENAI_API_KEY (~/.zshrc:41)``."""
    if origin.path is not None:
        where = f"{origin.path}:{origin.line}" if origin.line else origin.path
        return f"{origin.name} ({where})" if origin.name else where
    return origin.name


def host_of(connection: Connection) -> str:
    """The host of the base URL, or the base as it stands where there is none."""
    base = connection.base_url.value
    match = re.match(r"\s*https?://(?:[^/@?#]*@)?(\[[^\]]*\]|[^/:?#\s]+)", base, re.I)
    return match.group(1) if match else visible(base, 80)


def works_anyway(let_through: bool) -> str:
    """The sentence to add where the fault does no harm to this client and server."""
    if not let_through:
        return ""
    return _(" This server lets the request through all the same; another client may fail.")
