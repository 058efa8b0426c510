"""KVD604."""

from __future__ import annotations

from collections.abc import AsyncIterator

from checks.tokens._budget_fault import (
    BUDGET_FACTS,
    BudgetCase,
    Code,
    Fault,
    arithmetic,
    change_to,
    evidence_of,
    judged,
)
from doctor.checkapi import (
    Confidence,
    DeclaredFacts,
    Finding,
    Hop,
    Severity,
    Text,
    _,
    check,
    facts,
    problem,
)

# Where each client takes the number from (facts/gateway-clients.md §§3.1, 3.8, 3.12).
_WHERE = {
    "claude-code": _("CLAUDE_CODE_MAX_OUTPUT_TOKENS"),
    "anthropic-sdk": _("CLAUDE_CODE_MAX_OUTPUT_TOKENS if the client is Claude Code"),
    "opencode": _("limit.output of the model in opencode.json"),
    "qwen-code": _("generationConfig.samplingParams.max_tokens of the model in settings.json"),
    "cline": _("Max Output Tokens of the model in Cline's settings"),
    "continue": _("defaultCompletionOptions.maxTokens of the model in config.yaml"),
    "aider": _("extra_params.max_tokens in .aider.model.settings.yml"),
    "litellm-proxy": _("litellm_params.max_tokens of the route in config.yaml"),
    "gemini-cli": _("generationConfig.maxOutputTokens in ~/.gemini/settings.json"),
}


@check(
    code="KVD604",
    slug="client-default-over-window",
    severity=Severity.ERROR,
    hop=Hop.ENGINE,
    wants=BUDGET_FACTS,
    explains=("KVD511", "KVD516", "KVD601", "KVD602", "KVD603"),
)
async def client_default_over_window(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """A max_tokens that nobody configured, the client's own default, does not fit the model.

    What it checks: where no source sets max_tokens, the number that the client is known to send
    (32,000 for a model id it does not know) against the refusal or the served window.

    Why it matters: every request is refused with 400, though nothing in the settings is wrong.

    How to fix: set the client's own variable or model setting to the number that is proposed.

    Fix safety: answers longer than the number are cut.

    References: facts/gateway-clients.md §§0.12, 3.1.
    """
    found = await judged(f, Code.CLIENT_DEFAULT)
    if found is None:
        return
    case, fault = found
    product = await f.find(facts.PRODUCT)
    proved = case.refused or (product is not None and product.id == "vllm")
    yield problem(
        _title(case, fault),
        _(
            "Nothing configures it: the client sends its own default. {value} The setting is"
            " {where}.",
            value=_value(fault),
            where=_WHERE.get(f.connection.client, _("the client's max output tokens")),
        ),
        evidence=evidence_of(case),
        changes=change_to(fault),
        severity=Severity.WARNING if case.accepted else None,
        confidence=Confidence.HIGH if proved else Confidence.MEDIUM,
    )


def _title(case: BudgetCase, fault: Fault) -> Text:
    sent = f"{case.own:,}" if case.own is not None else "?"
    if fault.limit is None:
        return _("The client's default max_tokens of {n} is refused", n=sent)
    if fault.is_window:
        return _(
            "The client's default max_tokens of {n} is over the window of {limit}",
            n=sent,
            limit=f"{fault.limit:,}",
        )
    return _(
        "The client's default max_tokens of {n} is over the model's output cap of {limit}",
        n=sent,
        limit=f"{fault.limit:,}",
    )


def _value(fault: Fault) -> Text:
    if fault.proposal is None:
        return _("The server names no number that fits.")
    if fault.is_window:
        return arithmetic(fault)
    return _("Set it to {n}.", n=f"{fault.proposal:,}")
