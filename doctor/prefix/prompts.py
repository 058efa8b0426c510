"""A logged request as the prompt that an engine sees, in parts that keep their path.

OpenAI chat, completions and responses, and Anthropic messages, as bare bodies or inside the
records of gateways and recorders. The order is that of most chat templates: system text, tools,
turns (facts/vllm.md §6).
"""

from __future__ import annotations

import json
import marshal
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from doctor.prefix.media import as_text, is_media
from doctor.prefix.trace import Trace, is_ids

T = TypeVar("T")

# Where recorders keep the body of a request, outermost first.
_WRAPPERS = (
    ("request", "body"),
    ("proxy_server_request", "body"),
    ("proxy_server_request",),
    ("request_body",),
    ("requestBody",),
    ("body",),
    ("request",),
    ("data",),
    ("payload",),
    ("kwargs",),
)
_UNSEEN = 500  # tokens that a service adds of its own
_SYSTEM_ROLES = frozenset({"system", "developer"})


# Objects by the hundred thousand: the standard decorator makes them faster.
@dataclass(slots=True)
class Prompt:
    """``system`` and ``tools`` are texts with the paths of their parts in the request; ``turns``
    is one text per later message, its role in front.

    ``cached`` and ``prompt_tokens`` are what the engine reported, None where the record has no
    answer; ``untold`` says that there is one whose field for cached tokens is null. ``kept`` says
    whether anything was written to Anthropic's cache or read from it, None: not told. ``salt`` is
    ``cache_salt``. ``body`` is the request as it was logged. ``ids`` are its token ids, where the
    record has them; ``blocks`` those of a trace (numbers, their size, length).
    """

    model: str
    system: str
    tools: str
    turns: list[str]
    system_path: str = "system"
    body: Mapping[str, Any] = field(default_factory=dict)
    salt: str = ""
    cached: int | None = None
    prompt_tokens: int | None = None
    untold: bool = False
    kept: bool | None = None
    ids: list[int] | None = None
    blocks: tuple[list[int], int, int] | None = None

    def head(self, system: T, tools: T) -> tuple[T, T]:
        """Both in the order of the prompt: Anthropic's own models have the tools in front."""
        return (tools, system) if "claude" in self.model else (system, tools)

    @property
    def tells_cached(self) -> bool:
        """Whether its answer tells how much of it was cached. With more tokens than its text can
        make the record holds only a part of what was sent, so that nothing can be compared."""
        if self.cached is None or not self.prompt_tokens:
            return False
        return not self.characters or self.prompt_tokens <= 2 * self.characters + _UNSEEN

    @property
    def characters(self) -> int:
        return len(self.system) + len(self.tools) + sum(map(len, self.turns))


class NoPrompt(ValueError):
    """The record holds no request with a prompt."""


class Reader:
    """Makes prompts of records. ``field`` is a dotted path to the body, for other recorders."""

    def __init__(self, field: str | None = None) -> None:
        self.field = tuple(field.split(".")) if field else None
        # Tools rarely change, and to write them out costs as much as all the rest.
        self._trace = Trace()
        self._tools = b""
        self._tools_text = ""

    def prompt(self, record: Any) -> Prompt:
        """Raises ``NoPrompt``."""
        body = self._body(record)
        if "hash_ids" in body:
            return self._of_trace(body)
        model = body.get("model")
        tools = body.get("tools")
        prompt = Prompt(
            model if isinstance(model, str) else "",
            "",
            "" if not tools else self._written(tools),
            [],
            "system",
            body,
        )
        salt = body.get("cache_salt")
        if isinstance(salt, str):
            prompt.salt = salt
        self._fill(prompt, body)
        if body is not record or "usage" in record:
            usage = _usage(record)
            prompt.cached, prompt.prompt_tokens = _told(usage)
            prompt.kept = _kept(usage)
            prompt.untold = prompt.cached is None and any(
                usage.get(name, "") is None for name in _DETAILS
            )
        return prompt

    def _of_trace(self, body: Mapping[str, Any]) -> Prompt:
        try:
            blocks = self._trace.of(body)
        except ValueError as error:
            raise NoPrompt(str(error)) from None
        if blocks is None:
            raise NoPrompt("hash_ids without input_length")
        model = body.get("model")
        name = model if isinstance(model, str) else ""
        return Prompt(name, "", "", [], body=body, blocks=blocks)

    def _body(self, record: Any) -> Mapping[str, Any]:
        if not isinstance(record, dict):
            raise NoPrompt("not a JSON object")
        if self.field is not None:
            found = _below(record, self.field)
            if isinstance(found, dict):
                return found
            raise NoPrompt(f"nothing at {'.'.join(self.field)}")
        if "proxy_server_request" not in record and _is_body(record):
            return _with_parameters(record)
        for path in _WRAPPERS:
            found = _below(record, path)
            if isinstance(found, dict) and _is_body(found):
                return found
        if _is_body(record):
            return _with_parameters(record)
        raise NoPrompt("no messages, prompt or input")

    def _fill(self, prompt: Prompt, body: Mapping[str, Any]) -> None:
        ids = body.get("prompt_token_ids")
        if ids is not None and is_ids(ids):
            prompt.ids = ids
            if "messages" not in body:
                return
        system = body.get("system", body.get("instructions"))
        if system:
            prompt.system = _text(system)
            prompt.system_path = "system" if "system" in body else "instructions"
        turns = body.get("messages")
        if turns is None:
            turns = body.get("input", body.get("prompt"))
        if isinstance(turns, str):
            prompt.turns.append(turns)
            return
        if not isinstance(turns, list):
            raise NoPrompt("no messages, prompt or input")
        if turns and not isinstance(turns[0], dict) and is_ids(turns):
            prompt.ids = turns
            return
        begin = 0
        if turns and not prompt.system and _role_of(turns[0]) in _SYSTEM_ROLES:
            prompt.system = _text(turns[0].get("content"))
            prompt.system_path = "messages[0].content"
            begin = 1
        prompt.turns = [_of_turn(turn) for turn in (turns[begin:] if begin else turns)]

    def _written(self, tools: Any) -> str:
        # Equal mappings may be written in another order, which a comparison does not see. Version 2
        # refers to nothing, so equal bytes are equal tools.
        image = marshal.dumps(tools, 2)
        if image != self._tools:
            self._tools = image
            self._tools_text = json.dumps(tools, ensure_ascii=False)
        return self._tools_text


def _is_body(record: Mapping[str, Any]) -> bool:
    return (
        isinstance(record.get("messages"), list)
        or isinstance(record.get("hash_ids"), list)
        or isinstance(record.get("prompt_token_ids"), list)
        or ("model" in record and any(name in record for name in ("input", "prompt")))
    )


def _with_parameters(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """LiteLLM's loggers keep the tools of a request apart from its messages."""
    parameters = record.get("model_parameters")
    if not isinstance(parameters, dict):
        return record
    return {**parameters, "model": record.get("model"), "messages": record.get("messages")}


def _below(record: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        if isinstance(record, str):
            record = _parsed(record)
        if not isinstance(record, dict):
            return None
        record = record.get(name)
    return _parsed(record) if isinstance(record, str) else record


def _parsed(text: str) -> Any:
    """Some recorders keep the body as a text of its own."""
    if not text.lstrip().startswith("{"):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _text(content: Any) -> str:
    """The text of a content: a string, or a list of parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(_parts(content))
    return "" if content is None else json.dumps(content, ensure_ascii=False)


def _parts(content: list[Any]) -> Iterator[str]:
    for part in content:
        if isinstance(part, str):
            yield part
        elif isinstance(part, dict):
            text = part.get("text")
            thinking = part.get("thinking")
            if isinstance(text, str):
                yield text
            elif isinstance(thinking, str):
                yield _thought(thinking)
            elif is_media(part):
                yield as_text(part)
            else:
                # A mark of the cache is no text of the prompt.
                kept = {name: value for name, value in part.items() if name != "cache_control"}
                yield json.dumps(kept, ensure_ascii=False)


def _role_of(turn: Any) -> str:
    if not isinstance(turn, dict):
        return ""
    role = turn["role"] if "role" in turn else turn.get("type")
    return role if isinstance(role, str) else ""


def _of_turn(turn: Any) -> str:
    """A later message: its role, and its text on the lines below."""
    if not isinstance(turn, dict):
        return _text(turn)
    role, content = turn.get("role"), turn.get("content")
    if len(turn) == 2 and isinstance(role, str) and isinstance(content, str):
        return f"{role}\n{content}"
    text = _text(turn.get("content", turn.get("output")))
    calls = turn.get("tool_calls")
    if calls is None and ("arguments" in turn or "input" in turn):
        calls = {name: turn[name] for name in _OF_A_CALL if name in turn}
    if calls:
        text += json.dumps(calls, ensure_ascii=False)
    reasoning = turn.get("reasoning_content")
    if isinstance(reasoning, str) and reasoning:
        text = f"{_thought(reasoning)}\n{text}"
    return f"{_role_of(turn)}\n{text}"


# What an item of the Responses API that is a call holds of it.
_OF_A_CALL = ("call_id", "name", "arguments", "input")


def _thought(text: str) -> str:
    """As most chat templates write it."""
    return f"<think>{text}</think>"


_DETAILS = ("prompt_tokens_details", "input_tokens_details")


def _usage(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """What the answer in the record tells of its tokens; empty where there is none."""
    usage = record.get("usage")
    for path in (("response", "usage"), ("response", "body", "usage"), ("response_body", "usage")):
        if isinstance(usage, dict):
            break
        usage = _below(record, path)
    return usage if isinstance(usage, dict) else {}


def _told(usage: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """(cached, prompt) tokens as the engine reported them."""
    details = next((usage[name] for name in _DETAILS if usage.get(name)), None)
    cached = details.get("cached_tokens") if isinstance(details, dict) else None
    total = usage.get("prompt_tokens", usage.get("input_tokens"))
    if cached is None and isinstance(usage.get("cache_read_input_tokens"), int):
        cached = usage["cache_read_input_tokens"]
        if isinstance(total, int):
            total += cached + (usage.get("cache_creation_input_tokens") or 0)
    return (
        cached if isinstance(cached, int) else None,
        total if isinstance(total, int) else None,
    )


def _kept(usage: Mapping[str, Any]) -> bool | None:
    counts = (usage.get("cache_creation_input_tokens"), usage.get("cache_read_input_tokens"))
    if not all(isinstance(count, int) for count in counts):
        return None
    return any(counts)
