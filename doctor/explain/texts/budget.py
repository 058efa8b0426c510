"""Texts about tokens: output budget, window, batch."""

from __future__ import annotations

import re

from doctor.explain.model import Cause, symptom
from doctor.text import _
from doctor.token_refusals import THINKING_NOT_BELOW


def _requested(match: re.Match[str]) -> tuple[Cause, ...]:
    """vLLM before 0.10 and OpenAI split the sum into prompt and completion."""
    window = int(match.group("window"))
    output = int(match.groupdict().get("output") or 0)
    if output > window:
        return (
            Cause("KVD601", 0.8, _("max_tokens alone is larger than the window")),
            Cause("KVD602", 0.2, _("prompt and output together are over the window")),
        )
    return (
        Cause("KVD602", 0.85, _("prompt and output together are over the window")),
        Cause("KVD603", 0.15, _("a client may count with another tokenizer, or another limit")),
    )


def _too_long(match: re.Match[str]) -> tuple[Cause, ...]:
    """The scheduler's limit is the batch or the window, whichever is smaller."""
    limit = int(match.group("limit"))
    batch = 0.75 if limit in (512, 2048, 2560, 8192) else 0.25
    return (
        Cause("KVD608", batch, _("is --max-num-batched-tokens this number?")),
        Cause("KVD602", 1 - batch, _("is --max-model-len this number?")),
    )


# How programs call the output's budget.
_NAME = r"max_?(?:completion_?|output_?|new_?)?tokens(?:_to_sample)?"

SYMPTOMS = (
    symptom(
        r"max_(?:completion_)?tokens=(?P<asked>\d+) cannot be greater than max_model_len"
        r"|valid range of max_tokens is|max_tokens is too large|range of max_tokens should be"
        r"|at most [\d,]+ (?:completion|output) tokens|maximum tokens you requested exceeds"
        r"|max_tokens['\"`]?: \d+ > \d+, which is the maximum"
        r"|max_tokens.{0,40}(?:exceed(?! context)|must be less than or equal to)"
        r"|integer above maximum value, expected a value <= \d+"
        r"|malformed input request: \d+ is not less or equal to \d+"
        r"|max(?:_completion|_output|_new)?_?tokens.{0,60}(?:超过|超出|不能大于|最大值?为|范围)"
        r"|maxoutputtokens.{0,60}(?:range|exceeds?|must be)"
        r"|max_tokens \(\d+\) (?:is )?(?:greater|larger|more) than",
        _("max_tokens is larger than the model allows"),
        Cause("KVD601", 0.75, _("the text names the largest value")),
        Cause("KVD604", 0.25, _("is the value the client's own default, such as 32000?")),
    ),
    symptom(
        r"maximum context length is (?P<window>\d+) tokens\D+(?P<sum>\d+) tokens "
        r"\((?P<prompt>\d+) in the messages, (?P<output>\d+) in the completion\)",
        _("the request does not fit into the window"),
        _requested,
    ),
    symptom(
        r"max_(?:completion_)?tokens must be at least ?1, got -\d+",
        _("the prompt alone is longer than the window, so nothing is left for the answer"),
        Cause("KVD602", 0.9, _("the number is by how many tokens")),
        Cause("KVD606", 0.1, _("or is a negative max_tokens configured?")),
    ),
    symptom(
        r"max_(?:completion_)?tokens must be at least 1, got 0|max_tokens.{0,30}positive"
        r"|max_(?:completion_)?tokens['\"]?: integer below minimum value.{0,60}got 0",
        _("max_tokens is not positive"),
        Cause("KVD606", 0.9, _("where is 0 set?")),
    ),
    symptom(
        # -1 is some programs' word for "no limit", -2 for "as much as the window holds".
        rf"\b{_NAME}\\?['\"`]{{0,2}} ?(?:[:=]|is) ?['\"]?-(?![12]\b)\d+"
        rf"|{_NAME}['\"`]{{0,2}}: integer below minimum value.{{0,60}}got -"
        rf"|-\d+ is less than the minimum of [01] - ['\"`]?{_NAME}"
        # What pydantic says of a value, in FastAPI's frame.
        rf"|{_NAME}\b.{{0,80}}greater than.{{0,80}}\binput(?:_value)?\\?['\"]?[:=] ?-\d+",
        _("a negative max_tokens was sent"),
        Cause(
            "KVD606",
            0.85,
            _("does a program compute it as the window less the prompt? It has to be 1 at least"),
        ),
        Cause("KVD602", 0.4, _("then the prompt alone is longer than the window it knows")),
    ),
    symptom(
        r"exceeded the [\d,]+ output token maximum",
        _("Claude Code stopped the answer at its own limit"),
        Cause("KVD604", 0.5, _("set CLAUDE_CODE_MAX_OUTPUT_TOKENS to what the model allows")),
        Cause("KVD514", 0.3, _("does the answer run on without an end?")),
        Cause("KVD605", 0.2, _("does the thinking take the budget?")),
    ),
    symptom(
        THINKING_NOT_BELOW,
        _("the thinking's budget is not below max_tokens"),
        Cause("KVD605", 0.8, _("raise max_tokens, or lower the thinking's budget")),
        Cause("KVD604", 0.2, _("is max_tokens the client's own default?")),
    ),
    symptom(
        # Claude's API (LibreChat issue 8346), Gemini's (Roo-Code issue 4399).
        r"budget_tokens\b.{0,20}input should be greater than or equal to \d+"
        r"|thinking[_ ]?budget[`'\"]? ?\(?-?\d*\)? ?(?:is (?:invalid|out of range)"
        r"|(?:must|should) be (?:an integer )?(?:in the range|between))",
        _("the thinking's budget is outside of what the model takes"),
        Cause(
            "KVD516",
            0.85,
            _("Claude wants 1,024 at least, Gemini's range depends on the model: where is it set?"),
        ),
    ),
    symptom(
        r"input prompt \((?P<prompt>\d+) tokens\) is too long and exceeds limit of (?P<limit>\d+)",
        _("the engine's scheduler refuses a prompt of that length"),
        _too_long,
    ),
    symptom(
        r"maximum context length|prompt is too long|longer than the maximum model length"
        r"|longer than the model's context length|tokens to keep from the initial prompt"
        r"|trying to keep the first \d+ tokens|loaded with context length of only"
        r"|requested tokens \(\d+\) exceed context window|truncating input prompt"
        r"|exceed_context_size|prompt_tokens.{0,40}must be less than max_seq_len"
        r"|input (?:token )?length too long|maximum (?:prompt|input) length"
        r"|prompt[^。\n]{0,10}(?:超长|过长)|token数?.{0,10}超(?:过|出).{0,10}(?:上下文|限制|最大)"
        r"|context length is only|context_length_exceeded|input is too long"
        r"|range of input length should be"
        r"|exceeds? (?:the )?(?:model's )?(?:maximum |available )?context "
        r"(?:limit|length|window|size)|exceeds model max context"
        r"|`inputs` tokens \+ `max_new_tokens`|model token limit"
        r"|(?:input|prompt) token count .{0,40}exceeds|n_keep: ?[\d,]+ ?>= ?n_ctx"
        r"|(?:上下文|输入)[^。]{0,20}(?:超过|超长|过长|超出|超限)|上下文[^。]{0,20}(?:溢出|已满)"
        r"|超(?:过|出|過|限)[^。\n]{0,12}上下文",
        _("the prompt does not fit into the window"),
        Cause("KVD602", 0.9, _("compare the prompt's tokens with max_model_len")),
        Cause("KVD603", 0.1, _("client and server may hold different limits")),
    ),
    symptom(
        # Agents' and chat programs' own words; some look at their own count before they ask.
        r"(?:conversation|prompt|input|history|messages?) (?:has )?exceed(?:s|ed) (?:the )?"
        r"model(?:'s)? (?:max(?:imum)? )?context|exceed the remaining context window"
        r"|context ?(?:window|length|size|limit)(?: was| is| has been)? ?exceed(?:ed|s)"
        r"|context (?:window )?overflow(?:ed\b|:)|context window (?:has overflowed|is full\b)"
        r"|context limit (?:was |is )?reached"
        r"|(?:reached|hit) (?:its|the|your|the model's) (?:maximum |max )?context (?:window|length"
        r"|limit|size)|ran out of room in the model's context"
        r"|(?:conversation|chat)(?: history)? (?:is |has become |has grown )?too (?:long|large)\b"
        r"|prompt (?:is )?too large for (?:the|this) model"
        r"|(?:message|prompt|request|input|conversation) exceeds (?:the )?(?:maximum )?token limit"
        r"|(?:对话|会话|對話|历史记录)[^。\n]{0,8}(?:过长|超长|太长|過長)",
        _("the conversation does not fit into the model's window"),
        Cause("KVD602", 0.8, _("begin anew or have it summarised, or serve a larger window")),
        Cause("KVD601", 0.3, _("is max_tokens itself nearly as large as the window?")),
        Cause("KVD603", 0.25, _("client and server may hold different limits")),
    ),
    symptom(
        r"unsupported (?:parameter|value): '?(?P<name>\w+)"
        r"|'max_tokens' is not supported with this model"
        r"|unrecognized request argument|extra inputs are not permitted|unknown parameter: "
        r"|unsupported_parameter|unsupported_value|unknown name \\?\"\w+\\?\"(?:: | at )"
        r"|unsupportedparamserror|does not support (?:the )?parameters?\b"
        r"|invalid value: '[^'\n]{1,60}'\. supported values are|不支持(?:该)?参数",
        _("the server does not take a parameter of the request"),
        Cause("KVD516", 0.9, _("the text names the parameter and often the one to use")),
    ),
    symptom(
        r"\"auto\" tool choice requires --enable-auto-tool-choice",
        _("vLLM was started without a tool parser"),
        Cause("KVD911", 0.95, _("add --enable-auto-tool-choice --tool-call-parser NAME")),
    ),
)
