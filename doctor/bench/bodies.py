"""The requests of a benchmark: prompts of a length, or those of a log."""

from __future__ import annotations

import itertools
import json
import random
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any

from doctor.connection import Protocol
from doctor.prefix.prompts import NoPrompt, Reader
from doctor.prefix.stream import lines
from doctor.records import dataclass
from doctor.text import _

# Words of one token to most tokenizers.
WORDS = (
    "time",
    "year",
    "people",
    "way",
    "day",
    "man",
    "thing",
    "woman",
    "life",
    "child",
    "world",
    "school",
    "state",
    "family",
    "student",
    "group",
    "country",
    "problem",
    "hand",
    "part",
    "place",
    "case",
    "week",
    "company",
    "system",
    "program",
    "question",
    "work",
    "number",
    "night",
    "point",
    "home",
    "water",
    "room",
    "mother",
    "area",
)
TOKENS_PER_WORD = 1.1
_CHARACTERS_PER_TOKEN = 4
# A log may be of any size; so many different prompts are enough.
_MOST_RECORDS = 2_000
_MOST_BYTES = 64 * 1024 * 1024
_OF_THE_PROMPT = {
    Protocol.OPENAI_CHAT: ("messages", "tools", "tool_choice", "response_format"),
    Protocol.ANTHROPIC_MESSAGES: ("messages", "system", "tools", "tool_choice"),
    Protocol.OPENAI_RESPONSES: ("input", "instructions", "tools", "tool_choice"),
}
_BUDGETS = ("max_tokens", "max_completion_tokens", "max_output_tokens")


class NoLog(Exception):
    """The log holds nothing that can be sent; the text says why."""


@dataclass(slots=True)
class Form:
    """How a completion is asked for; what a server refuses is left out of it (``without``).

    ``exact`` asks a vLLM to write as many tokens as it may, whatever the model says.
    """

    protocol: Protocol
    model: str
    exact: bool = False
    budget: str = "max_tokens"
    usage: bool = True

    def body(self, asked: Mapping[str, Any], tokens: int) -> str:
        """JSON text. ``asked`` is what the prompt is made of."""
        body: dict[str, Any] = {"model": self.model, **asked, "stream": True}
        chat = self.protocol is Protocol.OPENAI_CHAT
        if self.protocol is Protocol.OPENAI_RESPONSES:
            body["max_output_tokens"] = max(tokens, 16)
        else:
            body[self.budget if chat else "max_tokens"] = tokens
        if chat and self.usage:
            body["stream_options"] = {"include_usage": True}
        if self.exact:
            body["ignore_eos"] = True
        return json.dumps(body, ensure_ascii=False)

    def without(self, said: str) -> bool:
        """Leave out what the refusal ``said`` names; False where it names nothing of it."""
        if self.exact and "ignore_eos" in said:
            self.exact = False
        elif self.usage and ("stream_options" in said or "include_usage" in said):
            self.usage = False
        elif self.budget == "max_tokens" and "max_completion_tokens" in said:
            self.budget = "max_completion_tokens"
        else:
            return False
        return True


@dataclass(slots=True)
class Prompts:
    """Words in random order, so that no engine finds them in its cache, but for the shared part.

    ``base`` and ``per_word`` say how many tokens a prompt has: measured with ``learn``, else a
    guess.
    """

    protocol: Protocol
    tokens: int
    output: int
    shared: float = 0.0
    seed: int = 0
    base: float = 0.0
    per_word: float = TOKENS_PER_WORD
    nonce: str = field(default_factory=lambda: secrets.token_hex(4))
    _rng: random.Random = field(default_factory=random.Random)
    _count: int = 0

    def __post_init__(self) -> None:
        self._rng = random.Random(self.seed)  # noqa: S311 - no secret

    def learn(self, short: tuple[int, int], long: tuple[int, int]) -> None:
        """From two prompts: (words, tokens that the server counted)."""
        more = long[0] - short[0]
        if more > 0 and long[1] > short[1]:
            self.per_word = (long[1] - short[1]) / more
            self.base = max(short[1] - self.per_word * short[0], 0.0)

    def of_words(self, count: int) -> Mapping[str, Any]:
        """A prompt of ``count`` words that nobody has sent before."""
        return _asked(self.protocol, " ".join(self._unique(count)))

    def next(self) -> tuple[Mapping[str, Any], int]:
        """What the next request is made of, and its budget of output tokens."""
        words = max(round((self.tokens - self.base) / self.per_word), 1)
        common = round(words * self.shared)
        # The same in every request of this run, and in no other run.
        fixed = random.Random(f"{self.nonce}{self.seed}")  # noqa: S311 - no secret
        start = [self.nonce, *fixed.choices(WORDS, k=common - 1)] if common else []
        own = self._unique(words - common) if words > common else []
        return _asked(self.protocol, " ".join((*start, *own))), self.output

    def _unique(self, count: int) -> list[str]:
        # The mark is short: a tokenizer of bytes makes a token of each character.
        self._count += 1
        mark = f"{self.nonce[:2]}{self._count:x}"
        return [mark, *self._rng.choices(WORDS, k=count - 1)]


class Logged:
    """The prompts of a log in their order, from the beginning again when they are used up."""

    def __init__(self, records: list[tuple[Mapping[str, Any], int]], unread: int) -> None:
        self.count = len(records)
        # About: of the longest one, and what it may answer.
        self.prompt_tokens = max(_tokens(asked) for asked, _budget in records)
        self.output_tokens = max(budget for _asked_, budget in records)
        self.unread = unread
        self._records = itertools.cycle(records)

    def next(self) -> tuple[Mapping[str, Any], int]:
        """What the next request is made of, and its budget of output tokens."""
        return next(self._records)


def from_log(
    files: Iterable[str], protocol: Protocol, output: int | None, field: str | None
) -> Logged:
    """``output`` None takes each record's own budget, else 128.

    Raises ``NoLog`` and ``OSError``.
    """
    reader = Reader(field)
    records: list[tuple[Mapping[str, Any], int]] = []
    unread, size, why = 0, 0, ""
    for line in lines(files):
        try:
            if line.data is None:
                raise NoPrompt(_("the line is too long"))
            body = reader.prompt(json.loads(line.data)).body
            asked = _of_body(protocol, body)
        except (NoPrompt, ValueError, RecursionError) as error:
            unread += 1
            why = why or f"{line.source}:{line.number}: {error}"
            continue
        own = next((body[name] for name in _BUDGETS if isinstance(body.get(name), int)), 128)
        records.append((asked, output or max(own, 1)))
        size += len(line.data)
        if len(records) >= _MOST_RECORDS or size >= _MOST_BYTES:
            break
    if not records:
        raise NoLog(why or _("the log is empty"))
    return Logged(records, unread)


def _tokens(asked: Mapping[str, Any]) -> int:
    return len(json.dumps(asked, ensure_ascii=False)) // _CHARACTERS_PER_TOKEN + 1


def _of_body(protocol: Protocol, body: Mapping[str, Any]) -> Mapping[str, Any]:
    """What the prompt is made of. Raises ``NoPrompt`` where the API is another one."""
    prompt = body.get("prompt")
    if isinstance(prompt, str) and "messages" not in body:
        return _asked(protocol, prompt)
    names = _OF_THE_PROMPT[protocol]
    if names[0] not in body:
        raise NoPrompt(_("a request of another API: --protocol says which one is spoken"))
    if protocol is Protocol.OPENAI_CHAT and "system" in body:
        raise NoPrompt(_("a request of the Messages API: --protocol anthropic-messages"))
    return {name: body[name] for name in names if body.get(name)}


def _asked(protocol: Protocol, text: str) -> Mapping[str, Any]:
    if protocol is Protocol.OPENAI_RESPONSES:
        return {"input": text}
    return {"messages": [{"role": "user", "content": text}]}
