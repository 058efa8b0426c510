"""KVD516."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

from doctor.checkapi import (
    Confidence,
    DeclaredFacts,
    Evidence,
    Finding,
    Hop,
    Severity,
    Text,
    _,
    check,
    facts,
    problem,
)
from doctor.facts.answers import OutcomeKind
from doctor.patterns import Pattern

_OTHER_NAME = {
    "max_tokens": "max_completion_tokens",
    "max_completion_tokens": "max_tokens",
}
_BUDGETS = frozenset({*_OTHER_NAME, "max_output_tokens"})
_QUOTED = Pattern(
    r"(?:parameter|argument|field|value|property)[^'`\"]{0,30}['`\"]([\w.]+)['`\"]", re.I
)
_AFTER_COLON = Pattern(
    r"(?:argument supplied|unknown parameter|unsupported parameter|not permitted|unrecognized[^:]*)"
    r":\s*['`\"]?([\w.]+)",
    re.I,
)
_LISTED = Pattern(r"\(parameter=([\w.]+)")
_TOOL_CHOICE = Pattern(r"enable-auto-tool-choice|tool-call-parser", re.I)
_USE_INSTEAD = Pattern(r"use ['`\"]?(\w+)['`\"]? instead", re.I)
_ONLY_DEFAULT = Pattern(r"only the default", re.I)


@check(
    code="KVD516",
    slug="parameter-refused",
    severity=Severity.ERROR,
    hop=Hop.ENGINE,
    needs=(facts.COMPLETION,),
)
async def parameter_refused(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The server does not take a parameter of the request.

    What it checks: a 400 that names a parameter: `max_tokens` where the model wants
    `max_completion_tokens` or the reverse, a fixed temperature.

    Why it matters: models of one API differ in the parameters they take, and a client sends the
    same to all.

    How to fix: send the other name, or leave the parameter out for this model.

    Fix safety: nothing is changed; a parameter's name is in the client's code or model settings.

    References: facts/observed/vllm-0.32.0-http-probe.txt; facts/real-servers.md.
    """
    reply = await f.get(facts.COMPLETION)
    outcome, exchange = reply.outcome, reply.exchange
    if outcome.kind is not OutcomeKind.PARAMETER_REFUSED or _TOOL_CHOICE.search(outcome.message):
        return  # KVD911 tells of an engine without a tool parser
    name = outcome.param or _named(outcome.message)
    # A budget that only the doctor's request carries may not be what the client sends.
    ours = name in _BUDGETS and f.connection.max_tokens is None
    yield problem(
        _title(name),
        _(
            "The answer is {status}: {message}. {advice}",
            status=exchange.status,
            message=outcome.message.rstrip(". "),
            advice=_advice(name, outcome.message),
        ),
        evidence=(
            Evidence(
                _("answer"),
                f"{exchange.method} {exchange.url} → {exchange.status}",
                outcome.message,
            ),
        ),
        severity=Severity.WARNING if ours else None,
        confidence=Confidence.MEDIUM if ours or not name else Confidence.HIGH,
    )


def _named(message: str) -> str:
    for pattern in (_LISTED, _AFTER_COLON, _QUOTED):
        match = pattern.search(message)
        if match:
            return match.group(1)
    return ""


def _title(name: str) -> Text:
    if name:
        return _("The server does not take the parameter {name}", name=name)
    return _("The server does not take a parameter of the request")


def _advice(name: str, message: str) -> Text:
    instead = _USE_INSTEAD.search(message)
    other = instead.group(1) if instead else _OTHER_NAME.get(name)
    if other is not None:
        return _("Send {other} in place of {name}.", other=other, name=name)
    if name and _ONLY_DEFAULT.search(message):
        return _("Leave {name} out: the model takes its default only.", name=name)
    if name:
        return _("Leave {name} out for this model.", name=name)
    return _("Leave out what the message names.")
