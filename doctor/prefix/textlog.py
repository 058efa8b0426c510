"""Requests within lines of text: what vLLM, new-api and others write into their own logs.

- vLLM ``--enable-log-requests`` at DEBUG: ``Request ID JSON body: {…}``, and ``Request ID details:
  prompt: '…', prompt_token_ids: […]``; to 0.10 ``Received request ID: prompt: '…', params: …``
  (its request_logger.py and logger.py).
- new-api in debug mode: ``… requestBody: {…}`` (its relay/compatible_handler.go).
- anything that puts a time, a name or a container in front of a JSON object.
"""

from __future__ import annotations

import ast
import json
import re
from typing import Any

_OF_VLLM = re.compile(r"\b(?:Request \S+ details|Received request \S+): prompt: (?=['\"])")
_BODY_OF_VLLM = re.compile(r"\bRequest \S+ JSON body: (?=\{)")
_LITERAL = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"", re.DOTALL)
_IDS = re.compile(r"\bprompt_token_ids: \[([\d, ]*)\]")
_OBJECT = re.compile(r'\{\s*"')
_TRIES = 4  # objects of a line that are looked into
# How chat templates begin a turn; the role is in the first group.
_TURNS = (
    re.compile(r"<\|im_start\|>(\w+)\n"),
    re.compile(r"<\|start_header_id\|>(\w+)<\|end_header_id\|>\n\n"),
    re.compile(r"<start_of_turn>(\w+)\n"),
    re.compile(r"<\|(system|user|assistant|observation|tool)\|>\n?"),
)


class TextLog:
    """Reads one log's lines of text, in order."""

    def __init__(self) -> None:
        # vLLM writes the body of a request first, and then its prompt: one of them is enough.
        self._bodies = False

    def record(self, line: str) -> Any:
        """The record in a line; None where there is none. Never raises."""
        body = _BODY_OF_VLLM.search(line)
        if body is not None:
            self._bodies = True
            return _object(line, body.end())
        prompt = _OF_VLLM.search(line)
        if prompt is not None:
            return None if self._bodies else _rendered(line, prompt.end())
        for number, found in enumerate(_OBJECT.finditer(line)):
            record = _object(line, found.start())
            if record is not None:
                return record
            if number >= _TRIES:
                break
        return None


def _object(line: str, start: int) -> Any:
    try:
        return json.JSONDecoder().raw_decode(line, start)[0]
    except (ValueError, RecursionError):
        return None


def _rendered(line: str, start: int) -> dict[str, Any] | None:
    """A prompt as the engine got it, taken apart into its turns again."""
    literal = _LITERAL.match(line, start)
    if literal is None:
        return None
    try:
        text = ast.literal_eval(literal.group())
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    record: dict[str, Any] = {"model": "", "messages": _turns(text)}
    ids = _IDS.search(line, literal.end())
    if ids is not None and ids.group(1):
        record["prompt_token_ids"] = [int(number) for number in ids.group(1).split(",")]
    return record


def _turns(text: str) -> list[dict[str, str]]:
    for pattern in _TURNS:
        marks = list(pattern.finditer(text))
        if marks:
            break
    else:
        return [{"role": "user", "content": text}]
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    turns = [
        {"role": mark.group(1), "content": text[mark.end() : end]}
        for mark, end in zip(marks, ends, strict=True)
    ]
    if marks[0].start():
        turns[0]["content"] = text[: marks[0].start()] + turns[0]["content"]
    return turns
