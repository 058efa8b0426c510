"""YAML: one scalar replaced, or one line of a mapping or list removed.

ruamel.yaml says where every scalar stands; the edit itself is one of text. The edited text is
read again, and every node but the one must be the same. A list of ``NAME=value`` (a compose
file's ``environment``) is addressed by the names.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from doctor.fixes.editors.base import (
    Edit,
    line_end,
    line_of,
    line_start,
    literals,
    not_found,
    not_unique,
    unsupported,
    would_change_more,
)
from doctor.fixes.refusal import RefusedEdit
from doctor.fixes.steps import EditFile, Operation, Selector, plain
from doctor.text import _

# Aliases can make millions of nodes of a few lines.
_MAX_NODES = 20_000
_STR = "tag:yaml.org,2002:str"
_INT = "tag:yaml.org,2002:int"
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)=")
# What every reader, those of YAML 1.1 included, takes for a string without quotes.
_BARE = re.compile(r"[A-Za-z][\w./@-]*(?::[\w./@-]+)*", re.ASCII)
_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "none", "nan"})
_COMMENT_TO_END = re.compile(r"[ \t]*(?:#[^\n]*)?\r?\n?")

# (path, tag, text); a mapping and a list stand as their kind.
Nodes = list[tuple[Selector, str, str]]


@dataclass(frozen=True, slots=True)
class Spot:
    """A scalar: its literal's stretch, how it is quoted, its text, and what stands ahead of the
    value in it (``NAME=``). ``index`` is its place among the nodes; ``key`` where its line's own
    text begins."""

    start: int
    end: int
    style: str | None
    tag: str
    value: str
    prefix: str
    index: int
    key: int


def edit(text: str, step: EditFile) -> Edit:
    """The edit that ``step`` asks for. Raises ``RefusedEdit``."""
    if step.operation is Operation.ADD:
        from doctor.fixes.editors.yaml_add import add

        return add(text, step)
    nodes, spots = _read(text)
    if len(spots.get(step.at, ())) > 1:
        raise not_unique(step)
    if step.at not in spots:
        raise not_found(step)
    spot = spots[step.at][0]
    old = plain(step.old) or ""
    literal = text[spot.start : spot.end]
    if spot.value != spot.prefix + old or literal.startswith(("&", "!", "*")):
        raise not_found(step, line_of(text, spot.start))
    if step.operation is Operation.REMOVE:
        found = _removal(text, spot, step)
        # Of a mapping the key's node goes as well, which stands right before the value's.
        first = spot.index - (spot.key != spot.start)
        rest = [node[1:] for node in (*nodes[:first], *nodes[spot.index + 1 :])]
        if _kinds_and_texts(found.applied(text)) != rest:
            raise would_change_more(step, line_of(text, spot.start))
        return found
    if step.operation is not Operation.SET:
        raise unsupported(step)
    new = spot.prefix + (plain(step.new) or "")
    tag = _INT if spot.tag == _INT and isinstance(step.new, int) else _STR
    expected = list(nodes)
    expected[spot.index] = (expected[spot.index][0], tag, new)
    for candidate in _literals(new, spot, tag):
        hidden = literals(step, _inner(literal), _inner(candidate))
        found = Edit(spot.start, spot.end, candidate, hidden)
        try:
            after, _spots = _read(found.applied(text))
        except RefusedEdit:
            continue
        if _relabelled(after, spot, step) == _relabelled(expected, spot, step):
            return found
    raise would_change_more(step, line_of(text, spot.start))


def _relabelled(nodes: Nodes, spot: Spot, step: EditFile) -> Nodes:
    """Paths of ``NAME=value`` items do not count: they change with nothing but the value."""
    return [(path[:-1] if spot.prefix else path, tag, text) for path, tag, text in nodes]


def _literals(new: str, spot: Spot, tag: str) -> Iterator[str]:
    bare = tag == _INT or (_BARE.fullmatch(new) is not None and new.lower() not in _WORDS)
    if spot.prefix and spot.style is None:
        bare = re.fullmatch(r"[\w./@:=+-]+", new, re.ASCII) is not None and not new.endswith(":")
    quotes: dict[str, str] = {}
    if new.isprintable():
        quotes["'"] = "'" + new.replace("'", "''") + "'"
    quotes['"'] = json.dumps(new, ensure_ascii=False)
    if spot.style in quotes:
        yield quotes[spot.style]
    elif bare:
        yield new
    yield from quotes.values()


def _inner(literal: str) -> str:
    if literal[:1] in ("'", '"'):
        return literal[1:-1]
    return literal.partition("\n")[2].strip() if literal[:1] in ("|", ">") else literal


def _removal(text: str, spot: Spot, step: EditFile) -> Edit:
    start, end = line_start(text, spot.key), line_end(text, spot.end)
    ahead = text[start : spot.key].strip(" ")
    item = spot.key == spot.start
    if ahead != ("-" if item else "") or not _COMMENT_TO_END.fullmatch(text, spot.end, end):
        raise unsupported(step)
    return Edit(start, end, "", literals(step, _inner(text[spot.start : spot.end])))


def _kinds_and_texts(text: str) -> list[tuple[str, str]]:
    """The nodes without their paths, which shift with a list; empty for what is no YAML."""
    try:
        return [node[1:] for node in _read(text)[0]]
    except RefusedEdit:
        return []


def _read(text: str) -> tuple[Nodes, dict[Selector, list[Spot]]]:
    """All nodes in order, and the scalars of the first document by path.

    Raises ``RefusedEdit`` for what is no YAML.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        documents = list(YAML(typ="rt").compose_all(text))
        walker = _Walker(text)
        for number, document in enumerate(documents):
            walker.walk(document, (), None, first=number == 0)
    except (YAMLError, ValueError, RecursionError) as error:
        mark = getattr(error, "problem_mark", None)
        reason = str(getattr(error, "problem", None) or type(error).__name__)
        line = mark.line + 1 if mark else None
        raise RefusedEdit(_("not YAML: {reason}", reason=reason), line) from None
    return walker.nodes, walker.spots


class _Walker:
    def __init__(self, text: str) -> None:
        self.text = text
        self.nodes: Nodes = []
        self.spots: dict[Selector, list[Spot]] = {}
        self._open: set[int] = set()

    def walk(self, node: Any, path: Selector, key: Any, *, first: bool) -> None:
        from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode

        if len(self.nodes) > _MAX_NODES or id(node) in self._open:
            raise RefusedEdit(_("this YAML is too large, or refers to itself"))
        if isinstance(node, ScalarNode):
            self._scalar(node, path, key, first=first)
            return
        self.nodes.append((path, str(node.tag), ""))
        self._open.add(id(node))
        if isinstance(node, MappingNode):
            for name, value in node.value:
                self.walk(name, path, None, first=False)
                self.walk(value, (*path, str(name.value)), name, first=first)
        elif isinstance(node, SequenceNode):
            for index, value in enumerate(node.value):
                self.walk(value, (*path, index), None, first=first)
        self._open.discard(id(node))

    def _scalar(self, node: Any, path: Selector, key: Any, *, first: bool) -> None:
        value, tag = str(node.value), str(node.tag)
        prefix = ""
        match = _ASSIGNMENT.match(value) if path and isinstance(path[-1], int) else None
        if match is not None:
            prefix = match.group()
            path = (*path[:-1], match.group(1))
        index = len(self.nodes)
        self.nodes.append((path, tag, value))
        if not first:
            return
        start, end = node.start_mark.index, node.end_mark.index
        end = start + len(self.text[start:end].rstrip("\r\n")) if node.style in ("|", ">") else end
        where = start if key is None else key.start_mark.index
        spot = Spot(start, end, node.style, tag, value, prefix, index, where)
        self.spots.setdefault(path, []).append(spot)


def places(text: str) -> dict[Selector, int]:
    """Where each scalar of the first document begins. Raises ``RefusedEdit``."""
    return {at: found[-1].start for at, found in _read(text)[1].items()}
