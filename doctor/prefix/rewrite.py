"""A request with what changes moved to where it does no harm: behind the last user message.

Nothing is lost: every value stands, with the words before it, at the end of the prompt. It must
not be kept in the history, or the next turn's prompt differs again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from doctor.prefix.lineage import Place, Text
from doctor.prefix.spots import Cut

_USER = frozenset({"user", "human"})


def rewritten(body: Mapping[str, Any], place: Place) -> dict[str, Any]:
    """A copy of ``body`` in the better order; equal to it where nothing changes."""
    made = dict(body)
    tail: list[str] = []
    if place.system.at or place.system.drift:
        tail += _told(place.lineage.system, place.system)
        _set_system(made, place.system_path, place.system.text)
    if place.tools.at or place.tools.drift:
        tail += _told(place.lineage.tools, place.tools)
        made["tools"] = _tools(place.tools.text, made.get("tools"))
    if tail:
        _append(made, "\n".join(tail))
    return made


def _told(text: Text, cut: Cut) -> list[str]:
    """Each value with the words before it on its line."""
    lines = []
    for (number, _offset), value in zip(cut.at, cut.values, strict=True):
        label = text.spots[number].before.rpartition("\n")[2].lstrip()
        lines.append(f"{label}{value}".strip())
    return [line for line in lines if line]


def _set_system(body: dict[str, Any], path: str, text: str) -> None:
    if path != "messages[0].content":
        body[path] = _like(body.get(path), text)
        return
    turns = list(body["messages"] if "messages" in body else body["input"])
    turns[0] = {**turns[0], "content": _like(turns[0].get("content"), text)}
    body["messages" if "messages" in body else "input"] = turns


def _like(old: Any, text: str) -> Any:
    """``text`` in the form of the old content: a string, or one part with the marks of the last."""
    if not isinstance(old, list):
        return text
    last = next((part for part in reversed(old) if isinstance(part, dict)), {})
    return [{**last, "type": last.get("type", "text"), "text": text}]


def _tools(text: str, old: Any) -> Any:
    import json

    try:
        return json.loads(text)
    except ValueError:
        return old


def _append(body: dict[str, Any], tail: str) -> None:
    """Put ``tail`` behind the last user message."""
    for name in ("messages", "input", "prompt"):
        turns = body.get(name)
        if isinstance(turns, str):
            body[name] = f"{turns}\n\n{tail}"
            return
        if not isinstance(turns, list):
            continue
        turns = list(turns)
        for index in range(len(turns) - 1, -1, -1):
            turn = turns[index]
            role = turn.get("role") if isinstance(turn, dict) else None
            if isinstance(role, str) and role in _USER:
                turns[index] = {**turn, "content": _with(turn.get("content"), tail)}
                body[name] = turns
                return
        body[name] = [*turns, {"role": "user", "content": tail}]
        return


def _with(content: Any, tail: str) -> Any:
    if isinstance(content, list):
        return [*content, {"type": "text", "text": tail}]
    return f"{content or ''}\n\n{tail}"
