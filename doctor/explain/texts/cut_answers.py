"""Texts of programs whose answer broke off: they say so themselves, or fail on half a JSON.

Wordings: huggingface/serge #33, sunix/todowai #106, agent0ai/agent-zero #1836, langchainjs #2327,
xability/maidr-legacy #322. What V8 (Node 18) and CPython print of half a JSON was tried.
"""

from __future__ import annotations

import re

from doctor.explain.model import Cause, symptom
from doctor.text import _

_MORE = _("compare completion_tokens with max_tokens: if it is lower, the provider's own cap is it")
_THOUGHT = _("does the model think? Then the thinking used max_tokens up")

_CUT = r"(?:truncated|cut[ -]?(?:off|short)|incomplete)"
_ANSWER = r"(?:response|answer|output|reply|completion|generation|message|json|tool[ _]calls?)"
_MAKER = r"(?:llm|model|ai|assistant|claude|gemini|gpt[\w.-]*|completion)"
_IS = (
    r"(?: (?:is|was|were|got|has been|have been|may (?:be|have been)|appears?|seems?|looks?)"
    r"(?: (?:to be|to have been|likely|probably))?)?"
)
_OUTPUT = (
    r"(?:max_?(?:completion_?|output_?|new_?)?tokens\b|max(?:imum)? output tokens"
    r"|output[ -](?:token )?(?:limit|cap|budget|length))"
)
_LIMIT = rf"(?:{_OUTPUT}|token (?:limit|budget)|length limit|finish_?reason\W{{1,4}}length)"
# What is shortened on its way to the model, or to the screen, is another matter.
_OTHERS = r"^(?!.*\b(?:prompts?|inputs?|history|context|tool (?:results?|outputs?)|stdout|logs?)\b)"
# A file of settings that does not parse is no answer either.
_OF_A_FILE = r"^(?!.*(?:\.jsonc?\b|\.lock\b|\b(?:settings?|config\w*|manifest)\b))"


def _eof(match: re.Match[str]) -> tuple[Cause, ...]:
    """serde counts columns from 1, so nothing at all was there at column 0."""
    if match["column"] == "0":
        return (
            Cause("KVD510", 0.5, _("print the body: is it empty?")),
            Cause("KVD513", 0.3, _("print the message: which of its fields is filled?")),
        )
    return _HALF


_SHORT = _("the answer was cut before its end")
_CUT_OFF = (Cause("KVD514", 0.55, _MORE), Cause("KVD605", 0.45, _THOUGHT))
_HALF = (
    Cause("KVD514", 0.55, _("is it what the model wrote? Then finish_reason is length")),
    Cause("KVD605", 0.3, _THOUGHT),
    Cause("KVD515", 0.25, _("is it a body or an event of a stream? Then the connection ended")),
)

SYMPTOMS = (
    symptom(
        rf"{_OTHERS}.*(?:\b{_MAKER}(?:'s)? (?:\w+ )?{_ANSWER}s?{_IS} {_CUT}\b"
        rf"|\b{_ANSWER}s?{_IS} {_CUT}\b.{{0,60}}\b{_LIMIT}"
        rf"|\b{_OUTPUT} ?(?:was |is |has been )?(?:reached|hit|exhausted)\b"
        rf"|\b(?:reached|hit) (?:the |its |your )?(?:model(?:'s)? )?{_OUTPUT}"
        r"|incomplete response returned, reason: max_output_tokens)",
        _SHORT,
        *_CUT_OFF,
    ),
    symptom(
        r"^(?!.*(?:日志|工具|终端|文件|提示词|标准)).*"
        r"(?:(?:模型|回答|回复|输出|响应)(?:的?(?:内容|结果))?[^。\n，,]{0,8}被?截断"
        r"|\b(?:réponse|sortie|respuesta|salida|antwort|ausgabe)\b[^.\n]{0,30}"
        r"\b(?:tronqu|truncad|abgeschnitten))",
        _SHORT,
        *_CUT_OFF,
    ),
    symptom(
        rf"{_OF_A_FILE}.*(?:unterminated string in json at position \d+"
        r"|unterminated string starting at: line \d+"
        r"|json parse error: unterminated string)",
        _("a JSON text ends in the middle of a string"),
        *_HALF,
    ),
    symptom(
        rf"{_OF_A_FILE}.*eof while parsing an? (?:string|value|list|object) at line \d+"
        r" column (?P<column>\d+)",
        _("a JSON text ends too early"),
        _eof,
    ),
    symptom(
        r"(?:finish_?reason|stop_?reason|done_?reason)[\"'`]?\W{1,4}(?:length|max_tokens)\b"
        r"|\bmax_output_tokens[\"'`]?\}|reason\W{1,4}max_output_tokens",
        _("the budget ended the answer"),
        Cause("KVD514", 0.5, _MORE),
        Cause("KVD605", 0.35, _THOUGHT),
        generic=True,
    ),
)
