"""KVD910."""

from __future__ import annotations

from collections.abc import AsyncIterator

from checks.launch._say import seen
from doctor.checkapi import (
    DeclaredFacts,
    Evidence,
    Finding,
    Hop,
    NotApplicable,
    Severity,
    _,
    check,
    facts,
    joined,
    launched,
    problem,
    visible,
)

_FLAG = "--max-model-len"
# With one of these the config.json at hand is not what vLLM goes by.
_OVERRIDES = ("--hf-overrides", "--rope-scaling", "--rope-theta", "--hf-config-path")


@check(
    code="KVD910",
    slug="window-over-model-limit",
    severity=Severity.ERROR,
    hop=Hop.ENGINE,
    needs=(facts.LAUNCH,),
)
async def window_over_model_limit(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """`--max-model-len` is more than the model was made for.

    What it checks: the flag against the longest sequence that the model's config.json tells, RoPE
    scaling included, where that file is at hand.

    Why it matters: vLLM stops with "User-specified max_model_len is greater than the derived
    max_model_len". Beyond its length a model's positions are ones it never saw.

    How to fix: take the model's own length, or scale its positions on purpose with
    `--hf-overrides` as the model's card describes. VLLM_ALLOW_LONG_MAX_MODEL_LEN=1 lets vLLM start
    and the answers degrade.

    Fix safety: a shorter window refuses longer requests and frees KV cache.

    References: facts/vllm.md §5.2 row 19; vllm/config/model.py@0.32.0.
    """
    launch = await launched(f)
    argument, wanted = launch.last(_FLAG), launch.number(_FLAG)
    config = launch.config
    if argument is None or wanted is None or wanted <= 0 or config is None or not config.window:
        raise NotApplicable("no length is asked for, or the model's own is not at hand")
    if launch.has(*_OVERRIDES) or any(r.argument.spelled in _OVERRIDES for r in launch.refusals):
        raise NotApplicable("the model's config.json is overridden")
    if wanted <= config.window:
        return
    allowed = (launch.variable("VLLM_ALLOW_LONG_MAX_MODEL_LEN") or "0").lower() in ("1", "true")
    from doctor.launch.edits import replaced, valued

    words = valued(argument, str(config.window))
    yield problem(
        _(
            "Window {wanted}, the model's own is {window}",
            wanted=f"{wanted:,}",
            window=f"{config.window:,}",
        ),
        joined(
            _(
                "VLLM_ALLOW_LONG_MAX_MODEL_LEN lets it start; past {window} tokens answers suffer.",
                window=f"{config.window:,}",
            )
            if allowed
            else _("vLLM stops."),
            _("Write {flag} {window}.", flag=_FLAG, window=config.window),
        ),
        evidence=(
            seen(launch, argument),
            Evidence(
                "config.json", visible(config.place), f"{config.window_from} = {config.window}"
            ),
        ),
        severity=Severity.WARNING if allowed else Severity.ERROR,
        edits=() if allowed else (replaced(argument, words, _("The model's own length.")),),
    )
