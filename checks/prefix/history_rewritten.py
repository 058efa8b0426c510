"""KVD712."""

from __future__ import annotations

from collections.abc import AsyncIterator

from checks.prefix._log import WANTS, told
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
    joined,
    problem,
    visible,
)
from doctor.facts.prefixlog import PrefixCause, PrefixSource

CODE = "KVD712"


@check(
    code=CODE,
    slug="history-rewritten",
    severity=Severity.WARNING,
    hop=Hop.KV,
    wants=WANTS,
    blocking=False,
)
async def history_rewritten(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """Earlier turns of a conversation change from one request to the next.

    What it checks: in a request log (`kvdoctor prefix FILE`), conversations whose later turns are
    the same as before while an earlier one differs, is missing, or was merged or summed up. Chat
    templates (`*.jinja`, `tokenizer_config.json`) that are given, or in the folder of
    `--tokenizer`, which leave the thinking out of earlier turns unless a request asks for it.

    Why it matters: Everything behind the changed turn is computed again, with every turn more.

    How to fix: append to the history only. Stripping thinking, trimming a turn at a time, and
    summaries that are renewed with each request all break it.

    Fix safety: `kvdoctor prefix --write` rewrites a copy of the log, never the application.

    References: facts/vllm.md §6; QwenLM/Qwen3.8 #48.
    """
    async for finding in told(f, CODE, _title, _how, _of_template):
        yield finding


def _title(cause: PrefixCause) -> str:
    if cause.kind == "wrapped":
        return _("conversations are sent again inside other prompts")
    if cause.kind == "evicted":
        return _("the oldest turns fall out of the history with each request")
    return _("earlier turns change ({path})", path=cause.path)


def _how(cause: PrefixCause) -> str:
    if cause.kind == "wrapped":
        return _(
            "Titles, tags and summaries put an instruction in front of the conversation. Put it "
            "behind the turns as they were sent, turn such tasks off, or give them a model of "
            "their own."
        )
    if cause.kind == "evicted":
        return _(
            "Where the history begins moves, so all that was sent of it before is computed again, "
            "and the longer the history the more. Drop many turns at a time and seldom; in between "
            "only append."
        )
    return _(
        "Send earlier turns exactly as they were sent or received. If history must be shortened, "
        "do it rarely and by a large step rather than with each turn."
    )


def _of_template(source: PrefixSource) -> Finding:
    """What it costs is known to nobody who sees the template alone: the models were made for it."""
    title = (
        _("The chat template likely leaves the thinking out of earlier turns")
        if source.guess
        else _("The chat template leaves the thinking out of earlier turns")
    )
    return problem(
        title,
        joined(_left_out(source), _kept(source)),
        evidence=(Evidence(_("template"), f"{source.path}:{source.line}", visible(source.text)),),
        severity=Severity.INFO,
        confidence=Confidence.MEDIUM if source.guess else Confidence.HIGH,
    )


def _left_out(source: PrefixSource) -> Text:
    if source.kind == "thinking of every turn":
        return _(
            "An answer stands in the next prompt without the thinking with which it was generated,"
            " so everything from that answer on is computed again."
        )
    return _(
        "It writes thinking, or the empty block that stands for it, only behind the last user"
        " message. With each new one the turns before it are written otherwise than they were"
        " generated, so everything from the first of them on is computed again; where the state"
        " of a model cannot go back (hybrid ones in llama.cpp), it may be the whole prompt."
    )


def _kept(source: PrefixSource) -> Text:
    name, _equals, value = source.pin.partition("=")
    if name:
        return _(
            'Requests can keep it: chat_template_kwargs {{"{name}": {value}}}, if the client sends'
            " reasoning_content back. The model then reads its earlier thinking, which fills the"
            " window.",
            name=name,
            value=value,
        )
    return _(
        "A copy of the template that writes every turn in the same way keeps the prefix"
        " (--chat-template FILE; llama.cpp: --chat-template-file), if the client sends the"
        " reasoning back (reasoning_content). The model then reads its earlier thinking, which"
        " fills the window."
    )
