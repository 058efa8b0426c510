"""Commands in the strings of a YAML file whose form is some other program's own.

A block whose lines YAML keeps (``|``) is a script; a string whose lines it joins is one command.
Lists of flags (``extraArgs`` of a chart) are arguments to be added to a line that is not shown.
"""

from __future__ import annotations

from doctor.launch.model import Variable
from doctor.launch.reading.fences import fences, shell_of
from doctor.launch.reading.found import Found, Groups
from doctor.launch.reading.shell import commands
from doctor.launch.reading.yamltext import (
    Fill,
    Node,
    is_scalar,
    is_sequence,
    line,
    list_words,
    literal,
    start,
    walk,
)
from doctor.patterns import Pattern

_FIRST = Pattern(
    r"\s*(?:vllm|python[\d.]*|nohup|exec|sudo|env|uv|uvx|docker|podman|[A-Z_][A-Z0-9_]*=\S*)\s"
)
_STARTS = ("vllm serve", "vllm.entrypoints", "vllm-openai")
# Routers and other servers of such files have these as well.
_OF_MANY = frozenset(
    {"--host", "--port", "--model", "--config", "--log-level", "--api-key", "--root-path"}
    | {"--served-model-name", "--ssl-keyfile", "--ssl-certfile", "--uvicorn-log-level"}
)
_MANY = 200


def read(text: str, roots: list[Node], groups: Groups) -> list[Found]:
    """Every command, in the order of the text."""
    nodes = [node for root in roots for node in walk(root)]
    nodes.sort(key=start)
    found: list[Found] = []
    for node in nodes[: _MANY * 100]:
        if len(found) >= _MANY:
            break
        if is_scalar(node) and _is_command(node):
            found += _string(text, node, groups)
        elif is_sequence(node) and node.value and all(is_scalar(item) for item in node.value):
            found += _list(text, node, groups)
    return found


def _is_command(node: Node) -> bool:
    """Whether a string holds a command, and does not only speak of one."""
    told = str(node.value)
    return any(start in told for start in _STARTS) and (
        node.style == "|" or "--" in told or _FIRST.match(told) is not None
    )


def _string(text: str, node: Node, groups: Groups) -> list[Found]:
    place = literal(text, node)
    if place is None:
        return []
    begin, stop = place
    blocks = fences(text[begin:stop])
    whole = text
    if blocks:
        whole = text[:begin] + shell_of(text[begin:stop], blocks) + text[stop:]
    made = commands(
        whole,
        groups,
        start=begin,
        end=stop,
        blank=node.style != "|",
        wanted=lambda told: "vllm" in told,
    )
    found = []
    for command in made:
        exports = [Variable(name, value, cut) for name, (value, cut) in command.exports.items()]
        number = text.count("\n", 0, command.start) + 1
        found.append(Found(command.words, "", number, command.slips, exports))
    return found


def _list(text: str, node: Node, groups: Groups) -> list[Found]:
    from doctor.launch.tables import ever

    told = [str(item.value) for item in node.value]
    flags = [
        "--" + word[2:].partition("=")[0].partition(" ")[0].replace("_", "-")
        for word in told
        if word.startswith("--")
    ]
    known = set(flags) & set(ever())
    alone = told[0].startswith("--") and len(known) * 2 > len(flags) and known - _OF_MANY
    if told[:2] != ["vllm", "serve"] and not alone:
        return []
    words = list_words(text, node, groups, Fill({}, pod=False))
    return [Found(words, "", line(node), flags_alone=told[0].startswith("--"))]
