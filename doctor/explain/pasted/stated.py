"""Settings that stand in the text itself: what a shell, an env file, a compose file or a script
gives a client, pasted together with the error.

A value that its poster has masked, or left out, says nothing of the real one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from doctor.patterns import Pattern
from doctor.records import dataclass

# NAME=…, export NAME=…, $env:NAME = …, "NAME": "…", NAME: …, - NAME=…
_VARIABLE = Pattern(
    r"(?:^|[\s'\"{,:(])(?P<name>[A-Z][A-Z0-9_]{0,40}_(?:API_KEY|AUTH_TOKEN|BASE_URL"
    r"|API_BASE(?:_URL)?|API_URL)|HTTPS?_PROXY|ALL_PROXY|https?_proxy|all_proxy)"
    r"['\"]?(?: ?= ?|: )(?P<value>\S.*)"
)
_SETX = Pattern(r"(?i:\bsetx) (?P<name>[A-Z][A-Z0-9_]+) (?P<value>\S.*)")
# Arguments of the clients' constructors, and the same fields of their settings files.
_ARGUMENT = Pattern(
    r"\b(?P<name>api_?key|base_?url|api_base|auth_?token)['\"]?\s*[=:]\s*"
    r"(?P<value>(?P<quote>['\"`]).{1,300}?(?P=quote))",
    re.IGNORECASE,
)
_QUOTED = Pattern(r"(?P<quote>['\"`])(?P<inner>.*?)(?P=quote)(?=[\s,;)}\]]|$)")
_WORD = Pattern(r"[^\s,;]+")
_ANTHROPIC = Pattern(r"anthropic|claude", re.IGNORECASE)
# Clients whose addresses and keys have rules of their own.
_OTHERWISE = Pattern(
    r"azure|ollama|gemini|google|bedrock|vertex|cohere"
    # What asks no model, or no one knows what.
    r"|axios\.create|\bky\.|supabase|stripe|github_api|gitlab|telegram|slack|sentry|jira|notion",
    re.IGNORECASE,
)
_MASKED = Pattern(
    r"…|\.\.\.|\*{2,}|x{4,}|<[^>]*>|\{|\$|%\w+%|\byour|placeholder|redact|_here\b|你的|您的",
    re.IGNORECASE,
)
_LEAST_KEY = 16
_OF_ARGUMENTS = {"apikey": "API_KEY", "baseurl": "BASE_URL", "apibase": "BASE_URL"}
_NEAR = 4


@dataclass(frozen=True, slots=True)
class Stated:
    """A variable as a client would find it. ``line`` counts from 1."""

    name: str
    value: str
    line: int


def stated_in(lines: Sequence[str]) -> tuple[Stated, ...]:
    """What is stated once, or always alike, by the names of environment variables: an argument of
    a client of OpenAI or Anthropic under its variable's name."""
    found: dict[str, Stated | None] = {}
    for one in _all(lines):
        known = found.setdefault(one.name, one)
        if known is not None and known.value != one.value:
            found[one.name] = None
    return tuple(one for one in found.values() if one is not None)


def _all(lines: Sequence[str]) -> Iterator[Stated]:
    for number, line in enumerate(lines, 1):
        if _OTHERWISE.search(line) is not None:
            continue
        match = _VARIABLE.search(line) or _SETX.search(line)
        if match is not None:
            name, value = match["name"], _unquoted(match["value"])
            if _counts(name, value):
                yield Stated(name, value, number)
            continue
        near = " ".join(lines[max(0, number - _NEAR) : number])
        family = "ANTHROPIC" if _ANTHROPIC.search(near) else "OPENAI"
        for argument in _ARGUMENT.finditer(line):
            name = _variable_of(argument["name"], family)
            value = _unescaped(argument["value"][1:-1])
            if name is not None and _counts(name, value):
                yield Stated(name, value, number)


def _variable_of(argument: str, family: str) -> str | None:
    bare = argument.lower().replace("_", "")
    if bare == "authtoken":
        return "ANTHROPIC_AUTH_TOKEN" if family == "ANTHROPIC" else None
    return f"{family}_{_OF_ARGUMENTS[bare]}"


def _unquoted(text: str) -> str:
    """What stands in quotes as a shell has it, else the first word: a comment may follow."""
    quoted = _QUOTED.match(text)
    if quoted is not None:
        return quoted["inner"]
    word = _WORD.match(text)
    return word.group().rstrip("'\"`)}]") if word is not None else ""


def _unescaped(text: str) -> str:
    return text.replace("\\n", "\n").replace("\\r", "\r").replace("\\t", "\t")


def _counts(name: str, value: str) -> bool:
    if _MASKED.search(value) is not None:
        return False
    if name.upper().endswith("_PROXY") or "://" in value:
        return True
    return name.endswith(("KEY", "TOKEN")) and len(value.strip()) >= _LEAST_KEY
