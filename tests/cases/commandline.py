"""What a command line of a report says of the environment and of the server."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_ENGINES = ("vllm.entrypoints.openai.api_server", "vllm/vllm-openai")
# Flags of vLLM that stand alone are no concern here: none of these is one.
_AIDER = ("--openai-api-key", "--openai-api-base", "--anthropic-api-key")
_MODEL = ("--model",)
_NAMES = ("--served-model-name", "--served_model_name")
_WINDOW = ("--max-model-len", "--max_model_len")
_KEY = ("--api-key", "--api_key")


@dataclass(frozen=True, slots=True)
class Engine:
    """The server that a line starts: the ids that it serves, its window in tokens, its key."""

    served: tuple[str, ...]
    weights: str | None = None
    window: int | None = None
    key: str | None = None


@dataclass(frozen=True, slots=True)
class CommandLine:
    """``env`` is what the line sets for the program that it starts. ``docker_env_files`` are read
    by docker's own rules. ``url`` and ``key`` are those of a request that curl makes."""

    env: dict[str, str] = field(default_factory=dict)
    docker_env_files: tuple[str, ...] = ()
    engine: Engine | None = None
    url: str | None = None
    key: str | None = None


def read_command_line(argv: Sequence[str], env: dict[str, str]) -> CommandLine:
    """``env`` is the shell's, from which ``-e NAME`` takes a value."""
    rest = list(argv)
    found: dict[str, str] = {}
    while rest and (match := _ASSIGNMENT.fullmatch(rest[0])):
        found[match.group(1)] = match.group(2)
        rest.pop(0)
    options = _options(rest)
    found.update(_of_aider(rest, options))
    if rest[:1] == ["docker"] and "run" in rest:
        for given in (*options.get("-e", ()), *options.get("--env", ())):
            name, equals, value = given.partition("=")
            if equals:
                found[name] = value
            elif name in env:
                found[name] = env[name]
    asked = _of_curl(rest, options)
    env_files = options.get("--env-file", ()) if rest[:1] == ["docker"] else ()
    return CommandLine(found, env_files, _engine(rest, options), *asked)


def _options(words: Sequence[str]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for name, value in _pairs(words):
        found[name] = (*found.get(name, ()), value)
    return found


def _pairs(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    for position, word in enumerate(words):
        if not word.startswith("-"):
            continue
        name, equals, value = word.partition("=")
        if equals:
            yield name, value
        elif position + 1 < len(words) and not words[position + 1].startswith("-"):
            yield word, words[position + 1]


def _of_aider(words: Sequence[str], options: dict[str, tuple[str, ...]]) -> dict[str, str]:
    """aider sets the variable of the provider: ``--api-key openai=KEY``."""
    if words[:1] != ["aider"]:
        return {}
    found = {}
    for given in options.get("--api-key", ()):
        provider, equals, key = given.partition("=")
        if equals:
            found[f"{provider.upper()}_API_KEY"] = key
    for flag in _AIDER:
        if (value := _last(options, (flag,))) is not None:
            found[flag.removeprefix("--").replace("-", "_").upper()] = value
    return found


def _of_curl(
    words: Sequence[str], options: dict[str, tuple[str, ...]]
) -> tuple[str | None, str | None]:
    if words[:1] != ["curl"]:
        return None, None
    url = next((word for word in words if re.match(r"https?:", word, re.IGNORECASE)), None)
    for header in (*options.get("-H", ()), *options.get("--header", ())):
        name, _colon, value = header.partition(":")
        if name.strip().lower() in ("authorization", "x-api-key"):
            return url, value.strip(" ").removeprefix("Bearer ")
    return url, None


def _engine(words: Sequence[str], options: dict[str, tuple[str, ...]]) -> Engine | None:
    positional = None
    if list(words[:2]) == ["vllm", "serve"]:
        positional = words[2] if len(words) > 2 and not words[2].startswith("-") else None
    elif not any(mark in word for word in words for mark in _ENGINES):
        return None
    weights = positional or _last(options, _MODEL)
    names = tuple(value for flag in _NAMES for value in options.get(flag, ()))
    window = _last(options, _WINDOW)
    return Engine(
        served=names or ((weights,) if weights else ()),
        weights=weights,
        window=int(window) if window and window.isdigit() else None,
        key=_last(options, _KEY),
    )


def _last(options: dict[str, tuple[str, ...]], names: Sequence[str]) -> str | None:
    found = [value for name in names for value in options.get(name, ())]
    return found[-1] if found else None
