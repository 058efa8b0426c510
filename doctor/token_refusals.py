"""The numbers in "too many tokens" refusals, whoever wrote them.

The wordings are those of vLLM old and new (facts/observed/vllm-0.32.0-http-probe.txt; cases
BR-123, BR-128, BR-129, BR-132), OpenAI, DeepSeek (case BR-121), Anthropic, SGLang, TGI, llama.cpp,
Gemini, DashScope, Moonshot and OpenRouter. Pure; all numbers are tokens.
"""

from __future__ import annotations

import functools
import re

from doctor.patterns import Pattern
from doctor.records import dataclass


@dataclass(frozen=True, slots=True)
class Counts:
    """What a refusal tells; None where it does not.

    ``window`` is the limit on prompt and output together, ``cap`` that on the output alone.
    ``total`` is prompt + output as requested. ``over`` is by how much the prompt alone exceeds
    the window, from a server that computes the output as what is left.
    """

    window: int | None = None
    cap: int | None = None
    prompt: int | None = None
    output: int | None = None
    total: int | None = None
    over: int | None = None


# A count, possibly with thousands separators. {name} becomes a named group.
_NUMBER = r"\d{1,3}(?:,\d{3})+|\d+"


def _named_number(name: re.Match[str]) -> str:
    return f"(?P<{name.group(1)}>{_NUMBER})"


_WORDINGS = (
    # "maximum context length is 16384 tokens. However, you requested 122946 tokens
    # (112946 in the messages, 10000 in the completion)"
    r"(?:maximum )?context (?:length|window)(?: of this model)?(?: is|:| of) `?{window}",
    r"messages resulted in {prompt} tokens",
    r"you requested (?:about |a total of )?{total} tokens",
    r"{prompt}(?: tokens)? (?:in|from|of) (?:the |your )?(?:input )?(?:messages|prompt|text)",
    r"{output}(?: tokens)? (?:in|for|of) the (?:completion|output)",
    # "your prompt contains at least 257 input tokens"
    r"(?:prompt|request) (?:contains|has) (?:at least )?{prompt} (?:input )?tokens",
    r"(?:max_tokens|max_completion_tokens)'? is too large: {output}",
    # "max_tokens=257 cannot be greater than max_model_len=256", "…=max_total_tokens=256"
    r"max_(?:completion_|output_)?tokens={output} cannot be greater than"
    r" max_model_len=(?:max_total_tokens=)?{window}",
    # "max_tokens must be at least 1, got -186"
    r"max_(?:completion_|output_)?tokens must be at least ?1, got -{over}",
    # Output alone.
    r"range of max_tokens (?:is|should be) \[\d+, ?{cap}\]",
    r"max_tokens: {output} > {cap}, which is the maximum allowed number of output tokens",
    r"supports at most {cap} completion tokens(?:, whereas you provided {output})?",
    r"max_(?:completion_)?tokens`? must be less than or equal to `?{cap}",
    r"max_(?:completion_|output_)?tokens\D{1,40}(?:maximum|max|at most|limit) (?:value )?"
    r"(?:is |of )?`?{cap}",
    # Anthropic.
    r"prompt is too long: {prompt} tokens > {window} maximum",
    r"exceed context limit: {prompt} \+ {output} > {window}",
    # SGLang, llama.cpp, TGI, Gemini, DashScope, Moonshot.
    r"input \({prompt} tokens\) is longer than the model's context length \({window} tokens\)",
    r"request \({prompt} tokens\) exceeds the available context size \({window} tokens\)",
    r"available context size \({window} tokens\)",
    r"`inputs` tokens \+ `max_new_tokens` must be <= {window}\. Given: {prompt} `inputs`"
    r" tokens and {output} `max_new_tokens`",
    r"input token count \({prompt}\) exceeds the maximum number of tokens allowed \({window}\)",
    r"range of input length should be \[\d+, ?{window}\]",
    r"exceeded model token limit: {window}",
)


# A budget for the thinking that is not below max_tokens, whichever of the two is named first:
# Anthropic's API, also through Bedrock, Vertex and LiteLLM (BerriAI/litellm issue 9001 and pull
# request 38836, vercel/ai issue 7927), and gateways that check it themselves.
_OUTPUT = r"max_?(?:completion_?|output_?|new_?)?tokens\b"
_THOUGHT = (
    r"(?:\b(?:thinking|reasoning)[\w.]{0,10}[ .]?(?:token[_ ]?)?budget(?:[._ ]?tokens)?"
    r"|\bbudget_?tokens)"
)
THINKING_NOT_BELOW = (
    rf"{_OUTPUT}.{{0,30}}?(?:(?:greater|larger|higher|more|bigger) than|大于|高于|超过)"
    rf"\s?(?:the )?[`'\"]?{_THOUGHT}(?:[`'\"]? ?[(:=]? ?(?P<budget>\d[\d,]*))?"
    rf"|{_THOUGHT}(?:[`'\"]? ?[(:=]? ?(?P<budget_first>\d[\d,]*))?"
    r".{0,30}?(?:(?:less|smaller|lower) than|below|exceeds?|小于|低于|不能超过|不得超过|超过)"
    rf"\s?(?:the )?[`'\"]?{_OUTPUT}"
)
_THINKING = Pattern(THINKING_NOT_BELOW, re.I)


@functools.cache
def _patterns() -> tuple[Pattern, ...]:
    return tuple(
        Pattern(re.sub(r"\{([a-z]+)\}", _named_number, wording), re.I | re.S)
        for wording in _WORDINGS
    )


def refuses_thinking(message: str) -> bool:
    """Whether ``message`` says that the thinking's budget is not below max_tokens."""
    return _THINKING.search(message) is not None


def thinking_budget(message: str) -> int | None:
    """The thinking's budget that such a refusal names."""
    match = _THINKING.search(message)
    told = None if match is None else match["budget"] or match["budget_first"]
    return None if told is None else int(told.replace(",", "")[:18])


def read(message: str) -> Counts:
    """The counts that ``message`` tells; the first wording that tells one decides."""
    found: dict[str, int] = {}
    for pattern in _patterns():
        match = pattern.search(message)
        for name, text in match.groupdict().items() if match else ():
            if text is not None:
                found.setdefault(name, int(text.replace(",", "")[:18]))
    # Functions and images count as prompt too, so the difference is truer than what is named.
    if found.get("total", 0) > found.get("output", 0) > 0:
        found["prompt"] = found["total"] - found["output"]
    return Counts(**found)
