"""KVD911 seen from the client: a running engine refuses a request that offers tools."""

from __future__ import annotations

from collections.abc import AsyncIterator

from doctor.checkapi import (
    DeclaredFacts,
    Evidence,
    Finding,
    Text,
    _,
    facts,
    joined,
    problem,
    visible,
)
from doctor.facts.answers import OutcomeKind
from doctor.patterns import Pattern

_FLAG = "--tool-call-parser"
_REFUSAL = Pattern(r"enable-auto-tool-choice|tool-call-parser")


def refuses_tools(message: str) -> bool:
    """Whether a server's words say that it lacks a tool parser."""
    return bool(_REFUSAL.search(message))


async def refused_by_engine(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The finding, where the completion was refused for its tools."""
    reply = await f.get(facts.COMPLETION)
    outcome, exchange = reply.outcome, reply.exchange
    if outcome.kind is not OutcomeKind.PARAMETER_REFUSED or not refuses_tools(outcome.message):
        return
    from doctor.clients import profile

    yield problem(
        _("The engine was started without a tool parser"),
        joined(
            _(
                "{client} offers tools with every request, and vLLM answers {status} to that.",
                client=profile(f.connection.client).label,
                status=exchange.status,
            ),
            await _advice(f),
        ),
        evidence=(
            Evidence(
                _("answer"),
                f"{exchange.method} {visible(exchange.url, 200)} → {exchange.status}",
                visible(outcome.message, 300),
            ),
        ),
    )


async def _advice(f: DeclaredFacts) -> Text:
    from doctor.launch.parsers import tool_parser_for

    model = f.connection.model
    asked = "" if model is None else model.value
    listed = await f.find(facts.MODELS)
    served = () if listed is None or listed.models is None else listed.models
    roots = [one.root for one in served if one.id == asked and one.root]
    for name in (*roots, asked):
        parser = tool_parser_for(name)
        if parser is not None:
            return _(
                "Start it again with --enable-auto-tool-choice {flag} {parser}: that parser is"
                " likely right for {model}.",
                flag=_FLAG,
                parser=parser,
                model=visible(name, 120),
            )
    return _(
        "Start it again with --enable-auto-tool-choice {flag} NAME; the model's card tells the"
        " name (hermes for Qwen2.5 and Qwen3).",
        flag=_FLAG,
    )
