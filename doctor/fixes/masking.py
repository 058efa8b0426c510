"""How a key looks in a diff: its core masked, every stray character around and in it visible."""

from __future__ import annotations

import re
from collections.abc import Iterable

from doctor.secrets import MASK, mask
from doctor.settings.names import is_secret_name
from doctor.untrusted import visible

# Characters; what is shorter is a placeholder, and masking it would shred other words.
_SHORTEST = 6
_CORE = re.compile(r"[A-Za-z0-9_.\-]+")
_ESCAPE = re.compile(r"\\(?:u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|x[0-9A-Fa-f]{2}|[^\n])")
_ASSIGNED = re.compile(
    r"""(?P<name>[A-Za-z_][\w.-]*)["']?[ \t]*[=:][ \t]*(?P<quote>["']?)
        (?P<value>[^\s"',;}\]…]{6,})""",
    re.VERBOSE,
)
_FISH = re.compile(
    r"""\bset[ \t](?:[^\n;]*[ \t])?(?P<name>[A-Za-z_]\w*)[ \t]+(?P<quote>["']?)
        (?P<value>[^\s"';…]{6,})""",
    re.VERBOSE,
)
_NO_SECRET = re.compile(r"\$|os\.environ|%[A-Za-z_]+%|\{\{|\{env:|https?://")
# Settings for the name of a variable, and what such a name looks like.
_FOR_NAMES = re.compile(r"(?:env_key|key_env|api_key_env|env_http_headers)")
_NAME = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")


def masked(literal: str) -> str:
    """``sk-…WXYZ⏎``: a line break is named and kept, so that lines stay lines."""
    pieces = _pieces(literal)
    cores = [text for text, is_core in pieces if is_core]
    longest = max(cores, key=len, default="")
    shown = []
    for text, is_core in pieces:
        if not is_core:
            shown.append("".join(f"{visible(c)}\n" if c == "\n" else visible(c) for c in text))
        elif text == "Bearer":
            shown.append(text)
        else:
            shown.append(mask(text) if text == longest else MASK)
    return "".join(shown)


def _pieces(literal: str) -> list[tuple[str, bool]]:
    """The literal as escapes and stray characters on the one hand, runs of a key's on the other."""
    pieces: list[tuple[str, bool]] = []
    position = 0
    while position < len(literal):
        match = _ESCAPE.match(literal, position)
        is_core = match is None and (match := _CORE.match(literal, position)) is not None
        end = match.end() if match else position + 1
        pieces.append((literal[position:end], is_core))
        position = end
    return pieces


def mask_literals(text: str, literals: Iterable[str]) -> str:
    """``text`` with each of ``literals`` masked wherever it stands."""
    keys = (one for one in literals if len(one.strip()) >= _SHORTEST)
    known = sorted(keys, key=len, reverse=True)
    if not known:
        return text
    pattern = re.compile("|".join(map(re.escape, known)))
    return pattern.sub(lambda match: masked(match.group()), text)


def mask_line(line: str) -> str:
    """A line with whatever is assigned to a name of a secret masked: ``DB_PASSWORD=…``."""

    def replaced(match: re.Match[str]) -> str:
        value = match["value"]
        if not is_secret_name(match["name"]) or MASK in value or _NO_SECRET.match(value):
            return match.group()
        if match.string.startswith(MASK, match.end("value")):
            return match.group()  # it is masked already
        if _FOR_NAMES.fullmatch(match["name"].rpartition(".")[2]) and _NAME.fullmatch(value):
            return match.group()
        start = match.start("value") - match.start()
        return match.group()[:start] + mask(value)

    return _FISH.sub(replaced, _ASSIGNED.sub(replaced, line))
