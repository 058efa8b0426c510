"""Which fault of the token budget a connection has: at most one of KVD601, 602, 604 and 606.

The four checks share the evidence and must never speak of the same cause twice, so one place
decides and each check explains its own verdict.
"""

from __future__ import annotations

import dataclasses
import enum
import re
import urllib.parse

from doctor.checkapi import (
    Change,
    DeclaredFacts,
    Evidence,
    NotApplicable,
    SettingName,
    Text,
    Unavailable,
    _,
    facts,
)
from doctor.connection import Connection, OriginKind, Protocol
from doctor.facts.answers import OutcomeKind, Reply
from doctor.patterns import Pattern
from doctor.records import dataclass
from doctor.settings.providers import provider_for_host
from doctor.token_budget import fitting, served_window
from doctor.token_refusals import Counts, read

# What a check on the budget reads; each may be missing.
BUDGET_FACTS = (facts.COMPLETION, facts.MODELS, facts.PRODUCT)

_K = OutcomeKind
# Words of a refusal that names the window, not a cap on the output.
_OF_WINDOW = Pattern(r"context|max_model_len|max_seq_len|max_total_tokens", re.I)
_REFUSALS = frozenset({_K.MAX_TOKENS_REFUSED, _K.MAX_TOKENS_NOT_POSITIVE, _K.PROMPT_TOO_LONG})
# A refusal of max_tokens where the doctor's own was within the limit that it names.
_GENERAL = frozenset({_K.BAD_REQUEST, _K.PARAMETER_REFUSED})
_TOOK_IT = frozenset({_K.ANSWERED, _K.CONTENT_EMPTY})
# What these clients send where nothing is configured (facts/gateway-clients.md §0.12).
_CLIENT_DEFAULTS = {"claude-code": 32_000, "opencode": 32_000, "qwen-code": 32_000}
_CLAUDE_CODE_KNOWN = 128_000
# What stands for "no limit" in LM Studio, Ollama and llama.cpp, and who is known to refuse it.
_NO_LIMIT = -1
_TAKE_NO_LIMIT = frozenset({"lm-studio", "ollama"})
_REFUSE_NO_LIMIT = frozenset({"vllm", "openai"})


class Code(enum.StrEnum):
    OVER_LIMIT = "KVD601"
    SUM_OVER_WINDOW = "KVD602"
    CLIENT_DEFAULT = "KVD604"
    NOT_POSITIVE = "KVD606"


@dataclass(frozen=True, slots=True)
class BudgetCase:
    """The output budget of a connection and what is known of the limits. All in tokens.

    ``own`` is what the client sends, configured or by its own default; None where unknown.
    ``window`` is the one that the models list tells. ``reply`` None: no completion was had.
    ``may_be_meant``: the server may take ``own`` for "no limit", and says nothing against it.
    """

    own: int | None
    by_default: bool
    origin: str
    anthropic: bool
    window: int | None
    reply: Reply | None
    may_be_meant: bool = False

    @property
    def refused(self) -> bool:
        """Whether the answer refuses a budget: the client's, the doctor's or one set on the way."""
        if self.reply is None:
            return False
        outcome = self.reply.outcome
        if outcome.kind in _REFUSALS:
            return True
        return outcome.kind in _GENERAL and read(outcome.message).cap is not None

    def is_doctors(self, tokens: int) -> bool:
        """Whether ``tokens`` is what the doctor sent for want of a number of the client's."""
        sent = None if self.reply is None else self.reply.exchange.request_max_tokens
        return self.own is None and tokens == sent

    @property
    def accepted(self) -> bool:
        """Whether the client's own budget was sent and an answer came."""
        return (
            self.reply is not None
            and self.reply.outcome.kind in _TOOK_IT
            and self.reply.exchange.request_max_tokens == self.own
        )


@dataclass(frozen=True, slots=True)
class Fault:
    """``limit`` is the server's maximum, of the window if ``is_window``, else of the output alone.
    ``proposal`` is the max_tokens that fits; None where none does."""

    code: Code
    counts: Counts
    limit: int | None = None
    is_window: bool = False
    requested: int | None = None
    proposal: int | None = None


async def budget_case(f: DeclaredFacts) -> BudgetCase:
    """What is known. Raises ``NotApplicable`` where neither a budget nor a refusal is."""
    connection = f.connection
    reply = await f.find(facts.COMPLETION)
    listing = await f.find(facts.MODELS)
    models = listing.models if listing is not None else None
    asked = connection.model.value if connection.model else None
    if asked is None and reply is not None:
        asked = reply.exchange.request_model
    own, by_default, origin = _own(connection)
    case = BudgetCase(
        own=own,
        by_default=by_default,
        origin=origin,
        anthropic=connection.protocol is Protocol.ANTHROPIC_MESSAGES,
        window=served_window(models, asked),
        reply=reply,
    )
    if own == _NO_LIMIT and not case.refused and await _may_take_no_limit(f, reply):
        case = dataclasses.replace(case, may_be_meant=True)
    if own is None and not case.refused:
        raise NotApplicable("no max_tokens is configured")
    return case


async def judged(f: DeclaredFacts, code: Code) -> tuple[BudgetCase, Fault] | None:
    """The case and its fault if that is ``code``.

    Raises ``Unavailable`` where nothing tells of a limit or that there is none.
    """
    case = await budget_case(f)
    fault = judge(case)
    if fault is not None:
        return (case, fault) if fault.code is code else None
    if case.may_be_meant:
        raise Unavailable("the server may take this max_tokens for no limit")
    if case.window is None and not case.refused and not case.accepted:
        await f.get(facts.COMPLETION)  # raises the reason where none was had
        raise Unavailable("this max_tokens was not sent, and no window is told")
    return None


def judge(case: BudgetCase) -> Fault | None:
    """The one fault of the budget, or None."""
    message = case.reply.outcome.message if case.reply is not None and case.refused else ""
    counts = read(message)
    if case.own is not None and case.own <= 0:
        if case.accepted or case.may_be_meant:
            return None
        proposal = min(4_096, fitting(case.window)) if case.window else 4_096
        return Fault(Code.NOT_POSITIVE, counts, case.window, True, case.own, proposal)
    if case.refused and case.reply is not None:
        if case.own is None and case.reply.outcome.kind is _K.MAX_TOKENS_NOT_POSITIVE:
            requested = case.reply.outcome.requested
            return Fault(Code.NOT_POSITIVE, counts, requested=requested)
        return _judge_refusal(case, case.reply, counts)
    if case.own is not None and case.window is not None and case.own > case.window:
        code = Code.CLIENT_DEFAULT if case.by_default else Code.OVER_LIMIT
        return Fault(code, counts, case.window, True, case.own, fitting(case.window))
    return None


async def _may_take_no_limit(f: DeclaredFacts, reply: Reply | None) -> bool:
    """By the server that usually listens there; else by an answer that is about something else, on
    a server that is not known to refuse it."""
    parts = urllib.parse.urlsplit(f.connection.base_url.value.strip())
    known = provider_for_host(parts.hostname or "", parts.port)
    if known is not None and known.local_port is not None and known.id in _TAKE_NO_LIMIT:
        return True
    if reply is None or reply.outcome.kind in _TOOK_IT:
        return False
    if known is not None and known.local_port is None:
        return False
    product = await f.find(facts.PRODUCT)
    return product is None or product.id not in _REFUSE_NO_LIMIT


def change_to(fault: Fault) -> tuple[Change, ...]:
    """The max_tokens that fits, as a change."""
    if fault.proposal is None:
        return ()
    return (
        Change(
            code=fault.code.value,
            setting=SettingName.MAX_TOKENS,
            value=fault.proposal,
            title=_("set max_tokens to {n}", n=f"{fault.proposal:,}"),
        ),
    )


def evidence_of(case: BudgetCase) -> tuple[Evidence, ...]:
    """The configured budget, the served window and the refusal."""
    found = []
    if case.own is not None:
        found.append(Evidence(_("setting"), case.origin, f"max_tokens {case.own:,}"))
    if case.window is not None:
        found.append(Evidence(_("models list"), "max_model_len", f"{case.window:,}"))
    if case.refused and case.reply is not None:
        exchange = case.reply.exchange
        place = f"{exchange.method} {exchange.url} → {exchange.status}"
        found.append(Evidence(_("answer"), place, case.reply.outcome.message))
    return tuple(found)


def arithmetic(fault: Fault) -> Text:
    """``Window 32,768; max_tokens 24,576 leaves 8,192 for the prompt.``"""
    assert fault.limit is not None
    assert fault.proposal is not None
    return _(
        "Window {window}; max_tokens {n} leaves {rest} for the prompt.",
        window=f"{fault.limit:,}",
        n=f"{fault.proposal:,}",
        rest=f"{fault.limit - fault.proposal:,}",
    )


def _own(connection: Connection) -> tuple[int | None, bool, str]:
    setting = connection.max_tokens
    if setting is not None:
        return setting.value, setting.origin.kind is OriginKind.DEFAULT, str(setting.origin)
    default = _CLIENT_DEFAULTS.get(connection.client)
    model = connection.model.value if connection.model else ""
    if connection.client == "claude-code" and model.startswith("claude-"):
        default = _CLAUDE_CODE_KNOWN
    return default, default is not None, connection.client


def _judge_refusal(case: BudgetCase, reply: Reply, counts: Counts) -> Fault:
    outcome = reply.outcome
    window = counts.window or case.window
    over = Code.CLIENT_DEFAULT if case.by_default else Code.OVER_LIMIT
    if outcome.kind is _K.MAX_TOKENS_REFUSED or outcome.kind in _GENERAL:
        requested = counts.output or outcome.requested or reply.exchange.request_max_tokens
        limit = counts.cap or counts.window or outcome.limit or case.window
        is_window = counts.cap is None and limit is not None
        is_window = is_window and (limit == window or bool(_OF_WINDOW.search(outcome.message)))
        if is_window and requested is not None and limit is not None and requested <= limit:
            return _sum_over(case, counts, limit, requested)
        proposal = _proposal(limit, is_window, case)
        return Fault(over, counts, limit, is_window, requested, proposal)
    requested = counts.output
    window = counts.window or outcome.limit or case.window
    if window is not None and requested is not None and requested > window:
        return Fault(over, counts, window, True, requested, _proposal(window, True, case))
    return _sum_over(case, counts, window, requested)


def _sum_over(case: BudgetCase, counts: Counts, window: int | None, requested: int | None) -> Fault:
    proposal = None
    own_is_it = case.own is not None and requested is not None and requested >= case.own
    if own_is_it and window is not None and requested is not None:
        room = window - (counts.prompt or 0)
        proposal = min(fitting(window), room)
        if proposal < 1 or proposal >= requested:
            proposal = None
    return Fault(Code.SUM_OVER_WINDOW, counts, window, True, requested, proposal)


def _proposal(limit: int | None, is_window: bool, case: BudgetCase) -> int | None:
    """What fits; None where the client's own budget, as far as known, is not what is too large."""
    if limit is None or limit < 1 or case.own is None or case.own <= limit:
        return None
    if is_window:
        return fitting(limit)
    return min(limit, fitting(case.window)) if case.window is not None else limit
