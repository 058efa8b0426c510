"""YAML as nodes that know where they stand in the text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from doctor.launch.model import Word
from doctor.launch.reading.found import Groups
from doctor.launch.reading.shell import commands
from doctor.patterns import Pattern
from doctor.settings.documents import Malformed

_MAX_NODES = 20_000
_NESTED = 4
_REFERENCE = Pattern(r"\$\{([A-Za-z_]\w*)(?::?-([^}$]*))?\}|\$([A-Za-z_]\w*)")
_OF_POD = Pattern(r"\$\(([A-Za-z_]\w*)\)")

Node = Any


def documents(text: str) -> list[Node]:
    """The root nodes. Raises ``Malformed``."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    yaml = YAML(typ="safe", pure=True)
    try:
        return [node for node in yaml.compose_all(text.replace("\ufeff", " ")) if node is not None]
    except (YAMLError, ValueError, RecursionError, AttributeError) as error:
        mark = getattr(error, "problem_mark", None)
        message = getattr(error, "problem", None) or str(error)
        raise Malformed(str(message), mark.line + 1 if mark else None) from None


def get(node: Node, *keys: str) -> Node | None:
    """The node under ``keys``, None where one is missing."""
    for key in keys:
        if not is_mapping(node):
            return None
        node = next((value for name, value in node.value if name.value == key), None)
    return node


def is_mapping(node: Node) -> bool:
    return node is not None and type(node).__name__ == "MappingNode"


def is_sequence(node: Node) -> bool:
    return node is not None and type(node).__name__ == "SequenceNode"


def items(node: Node) -> list[Node]:
    """The items of a sequence, none for anything else."""
    return list(node.value) if is_sequence(node) else []


def is_scalar(node: Node) -> bool:
    return node is not None and type(node).__name__ == "ScalarNode"


def text_of(node: Node) -> str | None:
    return str(node.value) if is_scalar(node) else None


def pairs(node: Node) -> list[tuple[str, Node]]:
    """Keys and values of a mapping; merged ones (``<<``) after its own."""
    if not is_mapping(node):
        return []
    own = [(str(name.value), value) for name, value in node.value if is_scalar(name)]
    merged: list[tuple[str, Node]] = []
    for name, value in own:
        if name == "<<":
            merged += [p for p in pairs_once(value) if p[0] not in {n for n, _ in own}]
    return [pair for pair in own if pair[0] != "<<"] + merged


def pairs_once(node: Node) -> list[tuple[str, Node]]:
    if not is_mapping(node):
        return []
    return [(str(name.value), value) for name, value in node.value if is_scalar(name)]


def find(node: Node, key: str) -> Node | None:
    """As ``get`` for one key, with merged ones."""
    return next((value for name, value in pairs(node) if name == key), None)


def walk(node: Node) -> Iterator[Node]:
    """Every node below ``node``, itself first; bounded, since aliases repeat them."""
    waiting = [node]
    seen: set[int] = set()
    count = 0
    while waiting and count < _MAX_NODES:
        current = waiting.pop()
        if id(current) in seen:
            continue
        seen.add(id(current))
        count += 1
        yield current
        if is_mapping(current):
            waiting += [value for _, value in current.value]
        elif is_sequence(current):
            waiting += list(current.value)


def start(node: Node) -> int:
    return int(node.start_mark.index)


def end(node: Node) -> int:
    return int(node.end_mark.index)


def line(node: Node) -> int:
    return int(node.start_mark.line) + 1


class Fill:
    """References of a value filled in: compose's ``${NAME:-default}``, a pod's ``$(NAME)``."""

    def __init__(self, known: dict[str, str], pod: bool) -> None:
        self.known = known
        self.pod = pod

    def __call__(self, text: str) -> tuple[str, bool]:
        """The text, and whether all of it is known."""
        certain = True

        def one(match: Any) -> str:
            nonlocal certain
            name = match.group(1) or (None if self.pod else match.group(3))
            if name in self.known:
                return self.known[name]
            default = None if self.pod else match.group(2)
            if default is not None:
                return str(default)
            certain = False
            return str(match.group())

        pattern = _OF_POD if self.pod else _REFERENCE
        filled = text.replace("$$", "\0")
        for _turn in range(_NESTED):  # ${A:-${B:-1}}: from within
            before, filled = filled, pattern.sub(one, filled)
            if filled == before or not certain:
                break
        return filled.replace("\0", "$"), certain and ("${" not in filled or self.pod)


def list_words(text: str, node: Node, groups: Groups, fill: Fill) -> list[Word]:
    """The items of a sequence as words."""
    flow = bool(node.flow_style)
    group = groups.new("json" if flow else "item")
    fixed = groups.new("fixed")
    words = []
    for item in node.value:
        if not is_scalar(item):
            continue
        value, known = fill(str(item.value))
        block = item.style in ("|", ">")
        words.append(Word(value, start(item), end(item), fixed if block else group, known))
    return words


def literal(text: str, node: Node) -> tuple[int, int] | None:
    """Where the characters of a scalar stand as they are, None where some are escaped."""
    begin, stop = start(node), end(node)
    style = node.style
    if style in ("|", ">"):
        first = text.find("\n", begin)
        return (first + 1, stop) if 0 <= first < stop else None
    if style in ("'", '"'):
        inner = text[begin + 1 : stop - 1]
        escaped = "''" in inner if style == "'" else "\\" in inner
        return None if escaped else (begin + 1, stop - 1)
    return begin, stop


def command_words(
    text: str, node: Node, groups: Groups, fill: Fill
) -> tuple[list[Word], list[Any]]:
    """A command written as one string, split as compose splits it, and the slips in it."""
    place = literal(text, node)
    whole = text
    if place is None:
        whole, place = str(node.value), (0, len(str(node.value)))
    made = commands(whole, groups, start=place[0], end=place[1], blank=True, variables=fill.known)
    words = [word for command in made for word in command.words]
    slips = [slip for command in made for slip in command.slips]
    if whole is not text:
        fixed = groups.new("fixed")
        words = [Word(w.text, start(node), end(node), fixed, w.known) for w in words]
        slips = []
    return words, slips
