"""JSON, TOML and YAML files as data whose values know their line."""

from __future__ import annotations

import json
import re
import tomllib
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from doctor.patterns import Pattern
from doctor.records import dataclass
from doctor.settings.locate import Lines, Path, json_lines, toml_lines
from doctor.untrusted import visible

# A YAML file of a few lines can stand for millions of nodes by its aliases.
_MAX_NODES = 20_000

_JSON_TOKEN = Pattern(r'"(?:\\.|[^"\\])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
_TRAILING_COMMA = Pattern(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])', re.DOTALL)
_TOML_PLACE = Pattern(r"\(at line (\d+)")


class Malformed(Exception):
    """The text is not what its name says. ``line`` counts from 1, None at the end of the file."""

    def __init__(self, message: str, line: int | None) -> None:
        super().__init__(message)
        self.message = visible(message)
        self.line = line


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed file. ``strict`` is False for JSON that needed its comments removed."""

    data: Any
    lines: Lines
    strict: bool = True

    def line(self, path: Path) -> int | None:
        """The line of the value at ``path``, counted from 1."""
        return self.lines.get(path)


def parse_json(text: str) -> Document:
    """JSON; comments and trailing commas are borne. Raises ``Malformed``."""
    text = text.removeprefix("\ufeff")
    try:
        return Document(json.loads(text), json_lines(text))
    except (ValueError, RecursionError) as error:
        problem = error
    try:
        plain = _JSON_TOKEN.sub(_blank_comment, text)
        plain = _TRAILING_COMMA.sub(lambda match: match.group(1) or "", plain)
        return Document(json.loads(plain), json_lines(text), strict=False)
    except (ValueError, RecursionError):
        line = problem.lineno if isinstance(problem, json.JSONDecodeError) else None
        message = problem.msg if isinstance(problem, json.JSONDecodeError) else str(problem)
        raise Malformed(message, line) from None


def _blank_comment(match: re.Match[str]) -> str:
    token = match.group()
    return token if token.startswith('"') else "\n" * token.count("\n")


def parse_toml(text: str) -> Document:
    """TOML. Raises ``Malformed``."""
    text = text.removeprefix("\ufeff")
    try:
        return Document(tomllib.loads(text), toml_lines(text))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        place = _TOML_PLACE.search(str(error))
        message = _TOML_PLACE.split(str(error))[0].strip()
        raise Malformed(message, int(place.group(1)) if place else None) from None


def parse_yaml(text: str) -> Document:
    """The first document of a YAML file. Raises ``Malformed``."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    yaml = YAML(typ="rt")
    yaml.allow_duplicate_keys = True
    try:
        data = next(iter(yaml.load_all(text)), None)
    except (YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        message = getattr(error, "problem", None) or str(error)
        raise Malformed(str(message), mark.line + 1 if mark else None) from None
    return Document(data, _yaml_lines(data))


def _yaml_lines(data: Any) -> Lines:
    lines: Lines = {}
    for path, node in walk(data):
        place = getattr(node, "lc", None)
        if place is None:
            continue
        keys = node if isinstance(node, Mapping) else range(len(node))
        for key in keys:
            try:
                row = place.value(key)[0] if isinstance(node, Mapping) else place.item(key)[0]
            except (KeyError, TypeError, AttributeError):
                continue  # merged in from an anchor elsewhere
            lines[(*path, key)] = row + 1
    return lines


def walk(data: Any) -> Iterator[tuple[Path, Any]]:
    """Every mapping and list in ``data`` with its path, from the root down, bounded in number."""
    waiting: deque[tuple[Path, Any]] = deque([((), data)])
    seen = 0
    while waiting and seen < _MAX_NODES:
        path, node = waiting.popleft()
        if isinstance(node, Mapping):
            seen += 1
            yield path, node
            waiting.extend(((*path, key), value) for key, value in node.items())
        elif isinstance(node, Sequence) and not isinstance(node, str | bytes):
            seen += 1
            yield path, node
            waiting.extend(((*path, index), value) for index, value in enumerate(node))


PARSERS: dict[str, Callable[[str], Document]] = {
    ".json": parse_json,
    ".jsonc": parse_json,
    ".toml": parse_toml,
    ".yaml": parse_yaml,
    ".yml": parse_yaml,
}
