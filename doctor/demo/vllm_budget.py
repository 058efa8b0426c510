"""Which token budgets vLLM refuses, and in which words (facts: vllm.md 2.4)."""

from __future__ import annotations

from dataclasses import dataclass

from .ask import Protocol
from .messages import Response
from .vllm_shapes import error, with_parameter

# A text longer than this many characters for each token of the window is not even tokenized:
# "more than 3328 characters, which is the upper bound for 256 input tokens" was observed.
_CHARACTERS_PER_TOKEN = 13


@dataclass(frozen=True, slots=True)
class Budget:
    """What a request wants of a window."""

    protocol: Protocol | None
    prompt_tokens: int
    characters: int
    wanted: int | None
    field: str
    exact: bool = False


def refuse(want: Budget, window: int, version: tuple[int, ...]) -> Response | None:
    """The refusal, or None where the request fits."""
    field = "max_completion_tokens" if want.protocol is Protocol.MESSAGES else want.field
    if want.wanted is not None and want.wanted > window:
        text = (
            f"{field}={want.wanted} cannot be greater than max_model_len={window}."
            " Please request fewer output tokens."
        )
        return error(want.protocol, with_parameter(text, field, want.wanted), field)
    if want.wanted is not None and want.wanted < 1:
        return too_small(want.protocol, want.wanted)
    if want.characters > window * _CHARACTERS_PER_TOKEN:
        text = (
            f"This model's maximum context length is {window} tokens. However, your prompt"
            f" contains {want.characters} characters (more than"
            f" {window * _CHARACTERS_PER_TOKEN} characters, which is the upper bound for"
            f" {window} input tokens). Please reduce the length of the input prompt."
        )
        text = with_parameter(text, "input_text", want.characters)
        return error(want.protocol, text, "input_text")
    if want.prompt_tokens > window:
        return _prompt_too_long(want, window)
    if want.prompt_tokens == window:
        # Observed: a prompt that fills the window leaves 0 tokens, and says it so.
        return too_small(want.protocol, 0)
    if version < (0, 32) and want.wanted and want.prompt_tokens + want.wanted > window:
        return _sum_too_long(want, window, want.wanted)
    return None


def room(want: Budget, window: int, default: int | None = None) -> int:
    """The tokens that may be generated: from 0.32 on the wish is clamped, not refused."""
    left = window - want.prompt_tokens
    wish = want.wanted if want.wanted is not None else default
    return left if wish is None else min(wish, left)


def too_small(protocol: Protocol | None, got: int) -> Response:
    text = with_parameter(f"max_tokens must be at least 1, got {got}.", "max_tokens", got)
    return error(protocol, text, "max_tokens")


def _prompt_too_long(want: Budget, window: int) -> Response:
    # A text is tokenized up to the limit and one more: the count is a lower bound.
    count = want.prompt_tokens if want.exact else window + 1
    least = "" if want.exact else "at least "
    text = (
        f"This model's maximum context length is {window} tokens. However, your prompt contains"
        f" {least}{count} input tokens, which exceeds this limit even without any output"
        " tokens. Please reduce the length of the input prompt."
    )
    return error(want.protocol, with_parameter(text, "input_tokens", count), "input_tokens")


def _sum_too_long(want: Budget, window: int, wanted: int) -> Response:
    """0.18.0 to 0.31.0."""
    text = (
        f"This model's maximum context length is {window} tokens. However, you requested"
        f" {wanted} output tokens and your prompt contains {want.prompt_tokens} input tokens,"
        f" for a total of {want.prompt_tokens + wanted} tokens. Please reduce the length of the"
        " input prompt or the number of requested output tokens."
    )
    text = with_parameter(text, "input_tokens", want.prompt_tokens)
    return error(want.protocol, text, "input_tokens")
