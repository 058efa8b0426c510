"""JSON: one new member or item, in objects and lists that are there or are made for it.

What stands there keeps its bytes. A new line is indented as its neighbours are; an object on one
line stays on one line.
"""

from __future__ import annotations

import copy
import json
from typing import Any

from doctor.fixes.editors.base import Edit, line_of, line_start, newline_of, would_change_more
from doctor.fixes.editors.json import Spot, data_of, spots
from doctor.fixes.refusal import RefusedEdit
from doctor.fixes.steps import EditFile, Selector
from doctor.text import _

_UNIT = "  "


def add(text: str, step: EditFile) -> Edit:
    """The edit that puts ``step.new`` at ``step.at``. Raises ``RefusedEdit``, also where something
    stands there already."""
    if not text.strip("\ufeff \t\r\n"):
        made = json.dumps(nested(step.at, step.new), indent=2, ensure_ascii=False) + "\n"
        return Edit(len(text) - len(text.lstrip("\ufeff")), len(text), made)
    before = data_of(text)
    known = spots(text)
    depth = _depth(known, step)
    container = known[step.at[:depth]][0]
    value = nested(step.at[depth + 1 :], step.new)
    found = _inserted(text, known, step.at[: depth + 1], container, value)
    try:
        after = data_of(found.applied(text))
    except RefusedEdit:
        after = None
    if after != with_new(before, step.at, step.new):
        raise would_change_more(step, line_of(text, container.start))
    return found


def nested(keys: Selector, value: Any) -> Any:
    """``value`` below ``keys``: a name makes an object, a number a list of one."""
    for key in reversed(keys):
        value = {key: value} if isinstance(key, str) else [value]
    return value


def with_new(data: Any, path: Selector, value: Any) -> Any:
    """``data`` with ``value`` at ``path``; what is missing on the way is made.

    Raises ``RefusedEdit`` where something else stands on the way.
    """
    made = copy.deepcopy(data)
    node = made
    for number, key in enumerate(path):
        rest = path[number + 1 :]
        if isinstance(node, dict):
            there = key in node
        else:
            there = isinstance(node, list) and isinstance(key, int) and key < len(node)
        if rest and there:
            node = node[key]
            continue
        new = nested(rest, value)
        if isinstance(node, dict) and isinstance(key, str):
            node[key] = new
        elif isinstance(node, list) and key == len(node):
            node.append(new)
        else:
            raise RefusedEdit(_("{name} has no place there", name=".".join(map(str, path))))
        break
    return made


def _depth(known: dict[Selector, list[Spot]], step: EditFile) -> int:
    """How much of the path is there."""
    depth = 0
    while depth < len(step.at) and step.at[: depth + 1] in known:
        depth += 1
    if any(len(known[step.at[:length]]) > 1 for length in range(depth + 1)):
        raise RefusedEdit(_("{name} stands there more than once", name=step.name))
    if depth == len(step.at):
        raise RefusedEdit(_("{name} is set already", name=step.name))
    return depth


def _inserted(
    text: str, known: dict[Selector, list[Spot]], at: Selector, container: Spot, value: Any
) -> Edit:
    opening = text[container.start]
    key = at[-1]
    if opening != ("{" if isinstance(key, str) else "["):
        name = ".".join(map(str, at))
        raise RefusedEdit(_("{name} has no place there", name=name), line_of(text, container.start))
    members = [
        found[-1] for path, found in known.items() if path[:-1] == at[:-1] and len(path) == len(at)
    ]
    newline = newline_of(text)
    outer = _indent(text, container.start)
    if not members:
        inner = outer + _UNIT
        body = newline + inner + _rendered(key, value, inner, newline) + newline + outer
        kept = text[container.start + 1 : container.end - 1].strip()
        if kept:
            # Comments alone: the member goes behind them.
            body = newline + inner + kept + body
        return Edit(container.start + 1, container.end - 1, body)
    last = max(members, key=lambda spot: spot.end)
    own_line = not text[line_start(text, last.member) : last.member].strip()
    end = _line_body_end(text, last.end)
    rest = text[last.end : end]
    comma = rest.lstrip().startswith(",")
    closes = "}" in _code(rest) or "]" in _code(rest)
    if own_line and not closes:
        inner = _indent(text, last.member)
        member = _rendered(key, value, inner, newline)
        if comma:
            return Edit(end, end, newline + inner + member + ",")
        return Edit(last.end, end, "," + rest + newline + inner + member)
    flat = json.dumps(value, ensure_ascii=False)
    member = flat if isinstance(key, int) else f"{json.dumps(key, ensure_ascii=False)}: {flat}"
    if comma:
        position = last.end + rest.index(",") + 1
        return Edit(position, position, " " + member)
    return Edit(last.end, last.end, ", " + member)


def _rendered(key: str | int, value: Any, indent: str, newline: str) -> str:
    unit = "\t" if indent.startswith("\t") else _UNIT
    body = json.dumps(value, indent=unit, ensure_ascii=False).replace("\n", newline + indent)
    return body if isinstance(key, int) else f"{json.dumps(key, ensure_ascii=False)}: {body}"


def _indent(text: str, position: int) -> str:
    line = text[line_start(text, position) : position].lstrip("\ufeff")
    return line[: len(line) - len(line.lstrip())]


def _line_body_end(text: str, position: int) -> int:
    """The end of the line without its line break."""
    end = text.find("\n", position)
    if end < 0:
        return len(text)
    return end - 1 if text[end - 1 : end] == "\r" else end


def _code(rest: str) -> str:
    """What stands behind a value on its line, without a comment."""
    return rest.partition("//")[0]
