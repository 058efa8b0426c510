"""YAML: one new line of a mapping, or one new item of a list, with what it needs above it.

Only block style is written to: a mapping in braces or a list in brackets is refused.
"""

from __future__ import annotations

import json
import re
from typing import Any

from doctor.fixes.editors.base import Edit, line_end, line_start, newline_of, would_change_more
from doctor.fixes.editors.json_add import with_new
from doctor.fixes.refusal import RefusedEdit
from doctor.fixes.steps import EditFile, Selector, plain
from doctor.text import _

_BARE = re.compile(r"[A-Za-z][\w./@-]*(?::[\w./@-]+)*", re.ASCII)
_WORDS = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "none", "nan"})
_UNIT = "  "


def add(text: str, step: EditFile) -> Edit:
    """The edit that puts ``step.new`` at ``step.at``. Raises ``RefusedEdit``, also where something
    stands there already."""
    newline = newline_of(text)
    before = _data(text)
    if before is None:
        lines = _lines(step.at, step, "")
        start = "" if not text or text.endswith("\n") else newline
        found = Edit(len(text), len(text), start + newline.join(lines) + newline)
        before = {}
    else:
        found = _inserted(text, step, newline)
    after = _data(found.applied(text))
    if after != with_new(before, step.at, step.new):
        raise would_change_more(step)
    return found


def _data(text: str) -> Any:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    try:
        return YAML(typ="safe", pure=True).load(text)
    except (YAMLError, ValueError, RecursionError, TypeError) as error:
        mark = getattr(error, "problem_mark", None)
        reason = str(getattr(error, "problem", None) or type(error).__name__)
        line = mark.line + 1 if mark else None
        raise RefusedEdit(_("not YAML: {reason}", reason=reason), line) from None


def _inserted(text: str, step: EditFile, newline: str) -> Edit:
    from ruamel.yaml import YAML

    node: Any = YAML(typ="rt").compose(text)
    depth = 0
    while depth < len(step.at):
        child = _child(node, step.at[depth])
        if child is None:
            break
        node, depth = child, depth + 1
    if depth == len(step.at):
        raise RefusedEdit(_("{name} is set already", name=step.name))
    children = _children(node, step.at[depth])
    if not children or node.flow_style:
        raise RefusedEdit(_("{name} has no place there", name=step.name), node.start_mark.line + 1)
    first = children[0][0].start_mark.index
    ahead = text[line_start(text, first) : first]
    if isinstance(step.at[depth], int):
        indent = ahead[: ahead.rindex("-")] if "-" in ahead else ahead
    else:
        indent = " " * len(ahead)
    position = line_end(text, _last(children[-1][1], text))
    start = "" if position == 0 or text[position - 1 : position] == "\n" else newline
    body = newline.join(_lines(step.at[depth:], step, indent)) + newline
    return Edit(position, position, start + body)


def _child(node: Any, key: str | int) -> Any:
    from ruamel.yaml.nodes import MappingNode, SequenceNode

    if isinstance(node, MappingNode) and isinstance(key, str):
        return next((value for name, value in node.value if str(name.value) == key), None)
    if isinstance(node, SequenceNode) and isinstance(key, int):
        return node.value[key] if key < len(node.value) else None
    return None


def _children(node: Any, key: str | int) -> list[tuple[Any, Any]]:
    """Pairs of what begins a line and what ends it; empty where the node is of another kind."""
    from ruamel.yaml.nodes import MappingNode, SequenceNode

    if isinstance(node, MappingNode) and isinstance(key, str):
        return list(node.value)
    if isinstance(node, SequenceNode) and isinstance(key, int):
        return [(item, item) for item in node.value]
    return []


def _last(node: Any, text: str) -> int:
    """The last character of a node's own text."""
    from ruamel.yaml.nodes import MappingNode, SequenceNode

    while isinstance(node, MappingNode | SequenceNode) and node.value and not node.flow_style:
        last = node.value[-1]
        node = last[1] if isinstance(last, tuple) else last
    start, end = int(node.start_mark.index), int(node.end_mark.index)
    return start + len(text[start:end].rstrip("\r\n"))


def _lines(keys: Selector, step: EditFile, indent: str) -> list[str]:
    """The lines that put the value below ``keys``, from ``indent`` on."""
    key, rest = keys[0], keys[1:]
    if isinstance(key, int):
        inner = _lines(rest, step, indent + _UNIT) if rest else [f"{indent}{_UNIT}{_scalar(step)}"]
        return [f"{indent}- {inner[0][len(indent) + len(_UNIT) :]}", *inner[1:]]
    name = f"{indent}{_plain_or_quoted(key)}:"
    if not rest:
        return [f"{name} {_scalar(step)}"]
    return [name, *_lines(rest, step, indent + _UNIT)]


def _scalar(step: EditFile) -> str:
    if isinstance(step.new, bool | int):
        return plain(step.new) or ""
    return _plain_or_quoted(plain(step.new) or "")


def _plain_or_quoted(text: str) -> str:
    if _BARE.fullmatch(text) and text.lower() not in _WORDS:
        return text
    return json.dumps(text, ensure_ascii=False)
