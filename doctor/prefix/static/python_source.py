"""Python: what of a system prompt is computed from a clock, an id or a state.

A prompt is what stands beside ``"role": "system"``, what is given to ``system=``,
``instructions=`` or ``SystemMessage(…)``, and what is assigned to a name such as
``system_prompt``. Values are followed through assignments and returns within one file.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from doctor.prefix.kinds import Kind
from doctor.prefix.static.volatile import kind_of_call

_PROMPT_NAME = re.compile(
    r"(?:^|_)(?:system|sys)_?(?:prompt|message|msg|text|content|template)s?$|"
    r"^(?:system|instructions|developer_message)$",
    re.IGNORECASE,
)
_PROMPT_CALLS = frozenset({"SystemMessage", "SystemMessagePromptTemplate", "DeveloperMessage"})
_ROLES = frozenset({"system", "developer"})


@dataclass(frozen=True, slots=True)
class Volatile:
    """Something in the source whose value changes, and the line of the call, from 1."""

    kind: Kind
    line: int
    text: str


@dataclass(frozen=True, slots=True)
class SourceSpot:
    """``line`` is where the value is made; ``prompt_line`` where the prompt is. ``guess`` says that
    only a name tells. ``pin`` is the variable that sets the value instead, "" where none does."""

    kind: Kind
    line: int
    prompt_line: int
    text: str
    guess: bool = False
    pin: str = ""


@dataclass(slots=True)
class _Known:
    """What names and functions of a file stand for."""

    values: dict[str, list[ast.expr]] = field(default_factory=dict)
    returns: dict[str, list[ast.expr]] = field(default_factory=dict)


def scan_python(source: str) -> list[SourceSpot]:
    """The spots of one file. Raises ``SyntaxError`` and ``ValueError`` as the parser does."""
    tree = ast.parse(source)
    known = _known(tree)
    found: dict[tuple[str, int], SourceSpot] = {}
    for prompt in _prompts(tree):
        for value in _volatile(prompt, known, frozenset()):
            key = (value.kind.code, value.line)
            line = getattr(prompt, "lineno", value.line)
            found.setdefault(key, SourceSpot(value.kind, value.line, line, value.text))
    return sorted(found.values(), key=lambda spot: spot.line)


def _known(tree: ast.AST) -> _Known:
    known = _Known()
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    known.values.setdefault(target.id, []).append(node.value)
        elif isinstance(node, ast.AnnAssign | ast.AugAssign) and isinstance(node.target, ast.Name):
            if node.value is not None:
                known.values.setdefault(node.target.id, []).append(node.value)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            returned = [
                part.value
                for part in ast.walk(node)
                if isinstance(part, ast.Return) and part.value is not None
            ]
            known.returns.setdefault(node.name, []).extend(returned)
    return known


def _prompts(tree: ast.AST) -> Iterator[ast.expr]:
    """The expressions that make system prompts."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Dict):
            yield from _of_dict(node)
        elif isinstance(node, ast.Call):
            yield from _of_call(node)
        elif isinstance(node, ast.Tuple) and len(node.elts) == 2:
            role, content = node.elts
            if isinstance(role, ast.Constant) and role.value in _ROLES:
                yield content
        elif isinstance(node, ast.Assign) and any(map(_is_prompt, node.targets)):
            yield node.value


def _is_prompt(target: ast.expr) -> bool:
    return isinstance(target, ast.Name) and bool(_PROMPT_NAME.search(target.id))


def _of_dict(node: ast.Dict) -> Iterator[ast.expr]:
    entries = {
        key.value: value
        for key, value in zip(node.keys, node.values, strict=True)
        if isinstance(key, ast.Constant)
    }
    role, content = entries.get("role"), entries.get("content")
    if isinstance(role, ast.Constant) and role.value in _ROLES and content is not None:
        yield content


def _of_call(node: ast.Call) -> Iterator[ast.expr]:
    names = _dotted(node.func)
    if names and names[-1] in _PROMPT_CALLS:
        yield from node.args[:1]
        yield from (keyword.value for keyword in node.keywords if keyword.arg == "content")
        return
    for keyword in node.keywords:
        if keyword.arg is not None and _PROMPT_NAME.search(keyword.arg):
            yield keyword.value


def _volatile(node: ast.expr, known: _Known, seen: frozenset[str]) -> Iterator[Volatile]:
    """What in ``node``, and in the names that it uses, changes by itself."""
    for part in ast.walk(node):
        if isinstance(part, ast.Call):
            names = _dotted(part.func)
            kind = kind_of_call(names) if names else None
            if kind is not None:
                yield Volatile(kind, part.lineno, ast.unparse(part)[:80])
            elif len(names) == 1 and names[0] in known.returns and names[0] not in seen:
                for value in known.returns[names[0]]:
                    yield from _volatile(value, known, seen | {names[0]})
        elif isinstance(part, ast.Name) and part.id in known.values and part.id not in seen:
            for value in known.values[part.id]:
                yield from _volatile(value, known, seen | {part.id})


def _dotted(node: ast.expr) -> tuple[str, ...]:
    """("datetime", "now") for ``datetime.now``; empty for anything that is no plain name."""
    names: list[str] = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    if isinstance(node, ast.Name):
        names.append(node.id)
    elif not names:
        return ()
    return tuple(reversed(names))
