"""A byte-level tokenizer, as the tiny model of the facts has one.

Facts: observed/vllm-0.32.0-http-probe.txt, ``/tokenize`` of "hi" gives [71, 72].
"""

from __future__ import annotations

from dataclasses import dataclass

# GPT-2's byte order: the printable bytes first, then the rest by value.
_PRINTABLE = [*range(33, 127), *range(161, 173), *range(174, 256)]
_ORDER = _PRINTABLE + [byte for byte in range(256) if byte not in _PRINTABLE]
_IDS = {byte: index for index, byte in enumerate(_ORDER)}

_START, _END, _USER, _ASSISTANT = 256, 257, 258, (259, 260)
_NEWLINE = _IDS[10]
VOCABULARY = 261


def encode(text: str) -> list[int]:
    return [_IDS[byte] for byte in text.encode("utf-8", "surrogatepass")]


def decode(ids: list[int]) -> str:
    return bytes(_ORDER[i] for i in ids if 0 <= i < 256).decode("utf-8", "replace")


def encode_chat(contents: list[str]) -> list[int]:
    """A ChatML conversation: 5 tokens around each message, 4 to open the answer.

    "hi" alone is 11 tokens, as the real engine counted with such a template.
    """
    ids: list[int] = []
    for content in contents:
        ids += [_START, _USER, _NEWLINE, *encode(content), _END, _NEWLINE]
    return [*ids, _START, *_ASSISTANT, _NEWLINE]


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model answered within a budget."""

    model: str
    pieces: tuple[str, ...]
    finish: str
    prompt_tokens: int
    completion_tokens: int

    @property
    def text(self) -> str:
        return "".join(self.pieces)

    @property
    def total_tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens


def complete(model: str, answer: str, prompt_tokens: int, budget: int) -> Completion:
    """``answer`` one character a token and an end token, cut at ``budget``.

    Observed on vLLM 0.32.0: "ok" counts 3; with max_tokens 1 it is "o", finish ``length``.
    """
    pieces = tuple(answer[:budget])
    ended = budget > len(answer)
    return Completion(
        model, pieces, "stop" if ended else "length", prompt_tokens, len(pieces) + int(ended)
    )
