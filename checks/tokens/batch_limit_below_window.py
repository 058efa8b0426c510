"""KVD608."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from checks.launch._say import seen, vllm
from doctor.checkapi import (
    DeclaredFacts,
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
)

if TYPE_CHECKING:
    from doctor.launch.model import Launch

_BATCH, _SEQUENCES, _WINDOW = "--max-num-batched-tokens", "--max-num-seqs", "--max-model-len"
_CHUNKED = "--enable-chunked-prefill"
# V0 chunks prompts only when asked to, or by itself above this window.
_V1 = (0, 8)
_V0_CHUNKS_ABOVE = 32_768


@check(
    code="KVD608",
    slug="batch-limit-below-window",
    severity=Severity.ERROR,
    hop=Hop.ENGINE,
    needs=(facts.LAUNCH,),
)
async def batch_limit_below_window(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """A step of the engine holds fewer tokens than it must.

    What it checks: `--max-num-batched-tokens` against `--max-num-seqs`, and, where chunked prefill
    is off, against `--max-model-len` or the model's own length.

    Why it matters: each running sequence needs a token in every step, so that vLLM stops with
    "max_num_batched_tokens must be greater than or equal to max_num_seqs". Without chunked prefill
    a prompt must fit into one step whole: vLLM stops with "is smaller than max_model_len", and old
    versions answer longer prompts with nothing.

    How to fix: raise `--max-num-batched-tokens` to the larger number, or leave chunked prefill on.

    Fix safety: a larger step needs more memory for activations, which is taken from the KV cache.

    References: facts/vllm.md §§1.3, 5.2 rows 20 and 21.
    """
    launch = await launched(f)
    batch = launch.number(_BATCH)
    if batch is None or batch < 1:
        raise NotApplicable("the tokens of a step are not limited by the line")
    finding = _sequences(launch, batch) or _window(launch, batch)
    if finding is not None:
        yield finding


def _sequences(launch: Launch, batch: int) -> Finding | None:
    argument, sequences = launch.last(_BATCH), launch.number(_SEQUENCES)
    if argument is None or sequences is None or batch >= sequences:
        return None
    other = launch.last(_SEQUENCES)
    from doctor.launch.edits import replaced, valued

    words = valued(argument, str(sequences))
    return problem(
        _("{batch} tokens a step for {n} sequences", batch=f"{batch:,}", n=f"{sequences:,}"),
        joined(
            _("Each sequence needs one in every step, and vLLM stops."),
            _("Set {flag} to {n} at least; 2048 and more are usual.", flag=_BATCH, n=sequences),
        ),
        evidence=tuple(seen(launch, one) for one in (argument, other) if one is not None),
        edits=(replaced(argument, words, _("As many tokens as sequences at least.")),),
    )


def _window(launch: Launch, batch: int) -> Finding | None:
    argument = launch.last(_BATCH)
    window = launch.number(_WINDOW) if launch.has(_WINDOW) else None
    if window is None and launch.config is not None and not launch.has(_WINDOW):
        window = launch.config.window
    if argument is None or window is None or window <= batch or not _unchunked(launch, window):
        return None
    others = [launch.last(_WINDOW), launch.last(_CHUNKED)]
    from doctor.launch.edits import replaced, valued

    words = valued(argument, str(window))
    return problem(
        _("{batch} tokens a step, a window of {window}", batch=f"{batch:,}", window=f"{window:,}"),
        joined(
            _(
                "Without chunked prefill a prompt must fit into one step: {vllm} stops.",
                vllm=vllm(launch.version),
            ),
            _(
                "Set {flag} to {window}, or turn chunked prefill on.",
                flag=_BATCH,
                window=window,
            ),
        ),
        evidence=tuple(seen(launch, one) for one in (argument, *others) if one is not None),
        edits=(replaced(argument, words, _("A prompt of full length fits into one step.")),),
    )


def _unchunked(launch: Launch, window: int) -> bool:
    """Whether prompts are surely not taken in pieces."""
    asked = launch.on(_CHUNKED)
    if asked is not None:
        return not asked
    from doctor.launch.tables import number_of

    number = number_of(launch.version.text) or (0,)
    known = not launch.version.assumed
    return known and number[:2] < _V1 and window <= _V0_CHUNKS_ABOVE and not launch.open_ended
