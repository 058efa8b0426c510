"""KVD602."""

from __future__ import annotations

from collections.abc import AsyncIterator

from checks.tokens._budget_fault import (
    BUDGET_FACTS,
    Code,
    Fault,
    arithmetic,
    change_to,
    evidence_of,
    judged,
)
from doctor.checkapi import DeclaredFacts, Finding, Hop, Severity, Text, _, check, problem


@check(
    code="KVD602",
    slug="prompt-and-output-over-window",
    severity=Severity.ERROR,
    hop=Hop.ENGINE,
    wants=BUDGET_FACTS,
    explains=("KVD511", "KVD516"),
)
async def prompt_and_output_over_window(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """Prompt and max_tokens together, or the prompt alone, are more than the window holds.

    What it checks: refusals that say so, with their numbers taken apart into prompt and output;
    also "must be at least 1, got -186", where the server computed what the prompt left over.

    Why it matters: the request is refused with 400. Lowering max_tokens helps only if the prompt
    alone fits.

    How to fix: lower max_tokens where the two together are too much; shorten the prompt or raise
    the engine's --max-model-len where the prompt alone is.

    Fix safety: a smaller max_tokens cuts longer answers; a larger window needs more KV cache.

    References: facts/gateway-clients.md §4.4 row 16; cases BR-123, BR-128, BR-129, BR-132.
    """
    found = await judged(f, Code.SUM_OVER_WINDOW)
    if found is None:
        return
    case, fault = found
    yield problem(
        _title(fault),
        _("{numbers} {advice}", numbers=_numbers(fault), advice=_advice(fault)),
        evidence=evidence_of(case),
        changes=change_to(fault),
    )


def _title(fault: Fault) -> Text:
    if fault.counts.over:
        return _("The prompt is {n} tokens over the window", n=f"{fault.counts.over:,}")
    prompt, window = fault.counts.prompt, fault.limit
    if window is None:
        return _("Prompt and output are more than the window holds")
    if prompt is not None and prompt >= window:
        return _(
            "The prompt of {prompt} tokens is over the window of {window}",
            prompt=f"{prompt:,}",
            window=f"{window:,}",
        )
    if prompt is not None and fault.requested is not None:
        return _(
            "Prompt {prompt} + max_tokens {output} are over the window of {window}",
            prompt=f"{prompt:,}",
            output=f"{fault.requested:,}",
            window=f"{window:,}",
        )
    return _("Prompt and output are over the window of {window}", window=f"{window:,}")


def _numbers(fault: Fault) -> Text:
    counts, window = fault.counts, fault.limit
    if counts.over:
        if window is not None:
            return _(
                "The server sets max_tokens to what the prompt leaves of the window: {window} −"
                " {prompt} = −{over}.",
                window=f"{window:,}",
                prompt=f"{window + counts.over:,}",
                over=f"{counts.over:,}",
            )
        return _(
            "The server sets max_tokens to what the prompt leaves of the window, and that is"
            " −{over}: the number is computed, not configured.",
            over=f"{counts.over:,}",
        )
    if counts.prompt is None or window is None:
        return _("The server says that the request is longer than its window.")
    if fault.requested is None:
        excess = counts.prompt - window
        if excess <= 0:
            return _("The prompt fills the window: nothing is left for an answer.")
        return _("That is {n} too many, before a word of the answer.", n=f"{excess:,}")
    total = counts.prompt + fault.requested
    return _(
        "{prompt} + {output} = {total}: {n} too many.",
        prompt=f"{counts.prompt:,}",
        output=f"{fault.requested:,}",
        total=f"{total:,}",
        n=f"{total - window:,}",
    )


def _advice(fault: Fault) -> Text:
    prompt, window = fault.counts.prompt, fault.limit
    if fault.proposal is not None:
        return arithmetic(fault)
    prompt_alone = fault.counts.over or (
        prompt is not None and window is not None and prompt >= window
    )
    if prompt_alone:
        return _(
            "A smaller max_tokens does not help: shorten the prompt, counted with the model's own"
            " tokenizer, or raise --max-model-len as far as the model and the KV cache allow."
        )
    if prompt is not None and window is not None:
        return _(
            "With this prompt max_tokens may be {n} at most.", n=f"{max(window - prompt, 1):,}"
        )
    return _("Shorten the prompt, lower max_tokens, or raise the engine's --max-model-len.")
