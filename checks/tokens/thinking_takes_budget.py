"""KVD605."""

from __future__ import annotations

from collections.abc import AsyncIterator

from doctor.checkapi import (
    Change,
    Confidence,
    DeclaredFacts,
    Evidence,
    Finding,
    Hop,
    SettingName,
    Severity,
    Text,
    _,
    check,
    facts,
    problem,
    visible,
)
from doctor.connection import Connection
from doctor.facts.answers import Reply
from doctor.token_budget import fitting, served_window
from doctor.token_refusals import refuses_thinking, thinking_budget
from doctor.token_usage import CUT, Limit, limit_of, thinking_took_budget, usage_of

# Models that think write several hundred tokens before the first word of an answer: 74 of 74
# answers were whole at 600 tokens and hardly any at 260 (case BR-127).
_LITTLE = 512
_AT_LEAST = 4_096
_TIMES = 4
# Tried where a refusal does not name the thinking's budget: above LiteLLM's largest for a
# reasoning_effort (16,384, litellm/constants.py) and above the 32,000 that agents set.
_ABOVE = (20_480, 40_960)


@check(
    code="KVD605",
    slug="thinking-takes-budget",
    severity=Severity.ERROR,
    hop=Hop.ENGINE,
    needs=(facts.COMPLETION,),
    wants=(facts.MODELS,),
    explains=("KVD511", "KVD512", "KVD513", "KVD514", "KVD515", "KVD516"),
)
async def thinking_takes_budget(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The model thinks until max_tokens is used up, and no answer is left.

    What it checks: an empty content beside reasoning, where the budget was the client's own or
    the usage shows more than the doctor asked for. Some servers say finish_reason "stop" all the
    same. A stream that begins with reasoning under a max_tokens of at most 512 is likely to end
    so: the doctor does not wait, since that would spend the whole budget. And a request that is
    refused because the budget set for the thinking is not below max_tokens.

    Why it matters: max_tokens counts the reasoning too, so a budget that is ample for the answer
    leaves nothing of it. The status is 200 and the reply is empty. Claude's API refuses such a
    request where the thinking has a budget of its own, which a gateway's route may add.

    How to fix: raise max_tokens, or switch thinking off for this use, or lower its budget.

    Fix safety: more tokens per answer cost more; the larger number is tried as a guess.

    References: cases BR-127, BR-134; BerriAI/litellm issue 9001 and pull request 38836.
    """
    reply = await f.get(facts.COMPLETION)
    if refuses_thinking(reply.outcome.message):
        listing = await f.find(facts.MODELS)
        served = listing.models if listing else None
        yield _refused(f.connection, reply, served_window(served, reply.exchange.request_model))
        return
    if not thinking_took_budget(f.connection, reply):
        budget = f.connection.max_tokens
        little = budget is not None and budget.value <= _LITTLE
        if little and budget is not None and _begins_to_think(f.connection, reply):
            yield _likely(budget.value)
        return
    exchange, finish = reply.exchange, reply.outcome.finish_reason or ""
    usage = usage_of(exchange)
    own = f.connection.max_tokens
    mine = own is not None and limit_of(f.connection, exchange) is Limit.CLIENT
    listing = await f.find(facts.MODELS)
    window = served_window(listing.models if listing else None, exchange.request_model)
    larger = _larger(own.value, window) if own is not None and mine else None
    yield problem(
        _("Thinking used up the token budget, no answer is left"),
        _(
            "{seen} {advice}",
            seen=_seen(finish, usage.output, own.value if own is not None and mine else None),
            advice=_advice(larger),
        ),
        evidence=_evidence(finish, usage.output),
        changes=() if larger is None else (_raise(larger),),
        confidence=Confidence.HIGH if finish in CUT else Confidence.MEDIUM,
    )


def _refused(connection: Connection, reply: Reply, window: int | None) -> Finding:
    """The doctor sends a number of its own where the client's is not known: then only what the
    server wants is known."""
    exchange, setting = reply.exchange, connection.max_tokens
    own = None if setting is None else setting.value
    budget = thinking_budget(reply.outcome.message)
    larger = () if own is None else _above(own, budget, window)
    told = _(
        "The answer is {status}: {message}. max_tokens counts the thinking as well, so it has to"
        " be larger than the budget that is set for it.",
        status=exchange.status,
        message=reply.outcome.message.rstrip(". "),
    )
    lower = _(
        "Raise max_tokens, or lower the thinking's budget where the client or the gateway's route"
        " sets it (thinking, reasoning_effort)."
    )
    unknown = _(
        "The doctor sent {sent} itself: what the client sends is not known. Name it with"
        " --max-tokens.",
        sent=_count(exchange.request_max_tokens),
    )
    return problem(
        _("The server wants a max_tokens above the thinking's budget")
        if own is None
        else _("max_tokens {own} is not above the thinking's budget", own=f"{own:,}"),
        _("{seen} {advice}", seen=told, advice=unknown if own is None else lower),
        evidence=(
            Evidence(
                _("answer"),
                f"{exchange.method} {exchange.url} → {exchange.status}",
                reply.outcome.message,
            ),
        ),
        changes=tuple(map(_raise, larger)),
        severity=Severity.WARNING if own is None else None,
        confidence=Confidence.MEDIUM if own is None else Confidence.HIGH,
    )


def _above(own: int, budget: int | None, window: int | None) -> tuple[int, ...]:
    """What is worth a try: room for an answer above the budget that the text names."""
    wanted = _ABOVE if budget is None else (budget + _AT_LEAST,)
    most = None if window is None else fitting(window)
    return tuple(n for n in wanted if n > own and (most is None or n <= most))


def _begins_to_think(connection: Connection, reply: Reply) -> bool:
    """Whether the stream was left at its first content, and that was reasoning."""
    outcome, exchange = reply.outcome, reply.exchange
    alone = outcome.reasoning and not outcome.text
    return exchange.cancelled and alone and limit_of(connection, exchange) is Limit.CLIENT


def _likely(own: int) -> Finding:
    return problem(
        _("Thinking likely uses up max_tokens {own} before the answer begins", own=f"{own:,}"),
        _(
            "The answer begins with reasoning, which max_tokens counts as well, and {own} tokens"
            " are little for it: content likely stays empty (finish_reason length). Raise"
            " max_tokens to {n}, or switch thinking off (on vLLM for Qwen3: chat_template_kwargs"
            " enable_thinking false).",
            own=f"{own:,}",
            n=f"{_AT_LEAST:,}",
        ),
        evidence=(Evidence(_("answer"), _("first content"), _("reasoning")),),
        severity=Severity.WARNING,
        confidence=Confidence.MEDIUM,
    )


def _evidence(finish: str, used: int | None) -> tuple[Evidence, ...]:
    ended = Evidence(_("answer"), "finish_reason", visible(finish) or _("(none)"))
    if used is None:
        return (ended,)
    return (ended, Evidence(_("answer"), "usage", _("{n} output tokens", n=f"{used:,}")))


def _larger(own: int, window: int | None) -> int | None:
    wanted = max(own * _TIMES, _AT_LEAST)
    allowed = wanted if window is None else min(wanted, fitting(window))
    return allowed if allowed > own else None


def _raise(larger: int) -> Change:
    return Change(
        code="KVD605",
        setting=SettingName.MAX_TOKENS,
        value=larger,
        title=_("raise max_tokens to {n}", n=f"{larger:,}"),
        guess=True,
    )


def _count(number: int | None) -> str:
    return "?" if number is None else f"{number:,}"


def _seen(finish: str, used: int | None, own: int | None) -> Text:
    if own is not None:
        return _(
            "All of max_tokens {own} went into reasoning; content is empty (finish_reason"
            " {finish}).",
            own=f"{own:,}",
            finish=finish or _("missing"),
        )
    return _(
        "{used} output tokens went into reasoning; content is empty (finish_reason {finish}). The"
        " limit is not the doctor's: a default of the server or a cap of the route.",
        used=_count(used),
        finish=finish or _("missing"),
    )


def _advice(larger: int | None) -> Text:
    if larger is not None:
        return _(
            "Raise max_tokens to {n}, or switch thinking off (on vLLM for Qwen3:"
            " chat_template_kwargs enable_thinking false).",
            n=f"{larger:,}",
        )
    return _(
        "Raise that limit, or switch thinking off (on vLLM for Qwen3: chat_template_kwargs"
        " enable_thinking false)."
    )
