"""Numbers in the texts with which servers refuse a token budget.

Texts: vLLM by version (facts/vllm.md §§2.4, 5.3), DeepSeek's range (case BR-121), and those that
other servers and providers print. A text that counts both sides is about the larger side: a
prompt over the window, or an output that leaves no room for a prompt.
"""

from __future__ import annotations

import re

from doctor.facts.answers import OutcomeKind
from doctor.patterns import Pattern
from doctor.records import dataclass
from doctor.token_refusals import refuses_thinking

_N = r"(\d[\d,_]*)"
_MAX = r"max(?:imum)?[_ ](?:completion_|output_|new_)?tokens(?:_to_sample)?"


@dataclass(frozen=True, slots=True)
class Budget:
    """``limit`` is the server's maximum, ``requested`` what is over it: the output's tokens, or
    all tokens where the prompt is what does not fit. None where the text has no number."""

    kind: OutcomeKind
    limit: int | None = None
    requested: int | None = None


def _patterns(*texts: str) -> tuple[Pattern, ...]:
    return tuple(Pattern(text, re.I | re.S) for text in texts)


_AT_LEAST_ONE = _patterns(_MAX + r"['`\"]? must be at least ?1, got (-?\d+)")
_NOT_POSITIVE = _patterns(
    _MAX + r"\b.{0,60}?(?:must be|should be|expected a value|ensure this value is)[^.]{0,40}?"
    r"(?:positive|greater than (?:or equal to )?[01]\b|at least 1\b|>=? ?[01]\b)",
    _MAX + r"\b.{0,40}?(?:必须大于|不能小于)",
    r"-\d+ is less than the minimum of [01] - ['`\"]?" + _MAX,
)
# The number that the server saw in the request: somebody sent it, if not the doctor.
_RECEIVED = _patterns(
    _MAX + r"\b.{0,160}?(?:['\"]input\\?['\"]: ?|\bgot )(-?\d+)",
    r"(-\d+) is less than the minimum of [01] - ['`\"]?" + _MAX,
)

# The output alone is over a limit: (limit, requested), requested may be missing.
_CAPS = _patterns(
    _MAX + r"['`\"]?=(?P<c>\d+) cannot be greater than (?:\w+=){1,3}(?P<n>\d+)",
    rf"['`\"]?{_MAX}['`\"]? \((?P<c>\d+)\) cannot be greater than the model's maximum context"
    r" length \((?P<n>\d+)\)",
    rf"{_MAX}['`\"]?: (?P<c>\d+) > (?P<n>\d+), which is the maximum allowed",
    rf"{_MAX}\b.{{0,80}}?expected a value <= (?P<n>\d+),? but got (?P<c>\d+)",
    r"supports at most (?P<n>\d[\d,]*) (?:completion|output) tokens"
    r"(?:, whereas you provided (?P<c>\d[\d,]*))?",
    rf"{_MAX}\b[^.\n]{{0,60}}?(?:must be|should be|value is) less than or equal to"
    r" [`'\"]?(?P<n>\d[\d,]*)(?:, got (?P<c>\d+))?",
    r"maximum tokens you requested exceeds the model limit of (?P<n>\d[\d,]*)",
    rf"{_MAX}\b[^.\[]{{0,80}}\[\s*-?\d+\s*,\s*(?P<n>\d[\d,]*?)\s*\]",
    rf"{_MAX}\b[^.]{{0,60}}?(?:exceeds?|(?:greater|larger|more) than|at most"
    r"|maximum(?! (?:context|model))(?: is| of)?|超过|不能大于|最大)[^\d.]{0,40}"
    r"(?P<n>\d[\d,]{2,})",
)
# The upper end is not part of the range.
_OPEN_RANGE = _patterns(
    rf"{_MAX}\b[^.\[]{{0,80}}\[\s*\d+\s*,\s*(?P<n>\d+)\s*\)",
    r"from 1 \(inclusive\) to (?P<n>\d+) \(exclusive\)",
)

_WINDOW = _patterns(
    rf"maximum (?:context|model|sequence) length(?::| is| of)(?: only)? {_N}",
    rf"context length is only {_N}",
    rf"context (?:size|window)(?: of)? \(?{_N}",
    rf"max_seq_len \({_N}\)",
    rf"max_model_len[= ]+{_N}",
    rf"model token limit: {_N}",
    rf"`inputs` tokens \+ `max_new_tokens` must be <= {_N}",
    rf"`inputs` must have (?:less|fewer) than {_N}",
    rf"context limit: [\d,]+ \+ [\d,]+ > {_N}",
    rf"tokens > {_N} maximum",
    rf"exceeds? (?:the )?(?:configured )?limit of {_N}",
    rf"maximum number of tokens allowed \({_N}\)",
    rf"range of input length should be \[\d+, ?{_N}\]",
    rf"upper bound for {_N} input tokens",
    rf"maximum (?:allowed )?(?:input|prompt) length (?:is|of) {_N}",
)
_PROMPT = _patterns(
    rf"{_N} in (?:the|your) (?:messages|prompt)",
    rf"{_N}(?: tokens?)? (?:of|from) (?:the )?(?:text input|input messages|input)",
    rf"prompt contains (?:at least )?{_N} input tokens",
    rf"request has {_N} input tokens",
    rf"messages resulted in {_N} tokens",
    rf"passed {_N} input tokens",
    rf"prompt \(length {_N}\)",
    rf"input prompt \({_N} tokens\)",
    rf"prompt is too long: {_N}",
    rf"input token count \({_N}\)",
    rf"context limit: {_N} \+ [\d,]+ >",
    rf"Given: {_N} `inputs` tokens",
    rf"request \({_N} tokens\) exceeds",
)
_OUTPUT = _patterns(
    rf"{_N} (?:in|for) the (?:completion|output)",
    rf"{_N} tokens for the completion",
    rf"requested {_N} output tokens",
    rf"is too large: {_N}",
    rf"context limit: [\d,]+ \+ {_N} >",
    rf"{_N} `max_new_tokens`",
)
_TOTAL = _patterns(
    rf"requested (?:about |a total of |up to )?{_N} tokens",
    rf"for a total of (?:at least )?{_N} tokens",
    rf"\(requested: {_N}\)",
)
_TOO_LONG = _patterns(
    r"context_length_exceeded",
    r"reduce the length of the (?:messages|input|prompt)",
    r"(?:prompt|input|request)(?: is)? (?:too long|exceeds? (?:the )?(?:available |maximum )?"
    r"(?:context|token|input))",
    r"exceed(?:s|ed)? (?:the )?(?:model(?:'s)? )?(?:max(?:imum)? )?context"
    r" (?:length|window|size|limit)",
    r"context ?(?:length|window|size|limit)(?: was| is| has been)? ?exceeded",
    r"reached (?:its|the) (?:maximum )?context (?:window|length|limit)",
    r"prompt token count .{0,20}exceeds|exceeds model max context",
    r"(?:decoder prompt|input prompt) \([^)]*\) is (?:too long|longer)",
    r"maximum context length|context length is only|available context size",
    r"input token(?:s| count)[^.]{0,20} exceeds?|range of input length",
    r"exceeds? max(?:imum)? length",
    r"context window exceeds|prompt[^。]{0,10}超长",
    r"model token limit",
    r"context limit: [\d,]+ \+",
    r"`inputs` (?:tokens \+|must have (?:less|fewer) than)",
    r"max_total_tokens .{0,80}max_seq_len",
    r"(?:上下文|输入)[^。]{0,20}(?:超过|超长|过长|超出|超限)|上下文[^。]{0,20}溢出",
    r"超(?:过|出|過|限)[^。]{0,12}上下文",
)


def budget_of(said: str, asked: int | None) -> Budget | None:
    """What ``said`` says of a budget, None where it speaks of none.

    ``asked`` is the max_tokens that was sent, None where that is not known.
    """
    if not re.search(r"token|context|max_|length|too long|上下文|输入", said, re.I):
        return None
    got = _number(_AT_LEAST_ONE, said)
    if got is not None:
        return _not_positive(got, asked)
    if refuses_thinking(said):
        return Budget(OutcomeKind.THINKING_REFUSED, None, asked)
    cap = _cap(said, asked)
    if cap is not None:
        return cap
    if any(pattern.search(said) for pattern in _NOT_POSITIVE):
        received = _number(_RECEIVED, said)
        sent = asked if received is None else received
        if sent is None or sent < 1:
            return Budget(OutcomeKind.MAX_TOKENS_NOT_POSITIVE, 1, sent)
    if any(pattern.search(said) for pattern in _TOO_LONG):
        return _sum(said, asked)
    return None


def _not_positive(got: int, asked: int | None) -> Budget:
    """vLLM prints what is left for the output as if it had been asked for: a number that was not
    sent means that the prompt fills the window (facts/vllm.md §2.4)."""
    meant = got >= -1 if asked is None else (got == asked or asked < 1)
    if meant:
        return Budget(OutcomeKind.MAX_TOKENS_NOT_POSITIVE, 1, got)
    return Budget(OutcomeKind.PROMPT_TOO_LONG)


def _cap(said: str, asked: int | None) -> Budget | None:
    for pattern, less in (*((p, 0) for p in _CAPS), *((p, 1) for p in _OPEN_RANGE)):
        match = pattern.search(said)
        if match is None:
            continue
        groups = match.groupdict()
        limit = _int(groups["n"]) - less
        requested = _int(groups["c"]) if groups.get("c") else asked
        if asked is not None and asked < 1:
            return Budget(OutcomeKind.MAX_TOKENS_NOT_POSITIVE, limit, asked)
        if requested is not None and requested <= limit:
            continue
        return Budget(OutcomeKind.MAX_TOKENS_REFUSED, limit, requested)
    return None


def _sum(said: str, asked: int | None) -> Budget:
    window = _number(_WINDOW, said)
    prompt = _number(_PROMPT, said)
    output = _number(_OUTPUT, said)
    total = _number(_TOTAL, said)
    if output is None and prompt is None and total is not None and asked is not None:
        prompt, output = max(total - asked, 0), asked
    if output is None and prompt is not None and total is not None:
        output = total - prompt
    if prompt is None and output is not None and total is not None:
        prompt = total - output
    over_alone = window is not None and prompt is not None and prompt >= window
    if not over_alone and output is not None and output > (prompt or 0):
        return Budget(OutcomeKind.MAX_TOKENS_REFUSED, window, output)
    if total is None and prompt is not None:
        total = prompt + (output or 0)
    return Budget(OutcomeKind.PROMPT_TOO_LONG, window, total)


def _number(patterns: tuple[Pattern, ...], said: str) -> int | None:
    for pattern in patterns:
        match = pattern.search(said)
        if match is not None:
            return _int(match.group(1))
    return None


def _int(digits: str) -> int:
    # A server may print any number of digits; nothing here needs more than these.
    return int(digits.replace(",", "").replace("_", "")[:18])
