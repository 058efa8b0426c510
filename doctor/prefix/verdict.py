"""What the answers to two requests of a log show (facts/vllm.md §6). Pure.

The client is at fault only where the same two requests hit in the better order and miss as sent.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from doctor.facts.prefixproof import PrefixProof, ProofAnswer, ProofPair, Shown

# Of what a pair shares so much must have been found: shares are known in characters only.
_MOST = 0.5
# Where the length of what is shared is an estimate, it may as well fill no block.
_NEARLY = 1.25
# Hosted services cache prompts of 1,024 tokens and more.
_USUAL = 1_100


def shown(
    proof: PrefixProof, *, attention_free: bool = False, hosted: bool = False, marked: bool = True
) -> Shown:
    """``hosted``: no engine is known behind the address. ``marked``: the requests say what is to
    be cached, or the service caches without being told."""
    if proof.as_sent is None or any(answer.fault for answer in _answers(proof)):
        return Shown.UNANSWERED
    if proof.prefix_caching is False:
        return Shown.NO_ATTENTION if attention_free else Shown.OFF
    best = proof.better or proof.as_sent
    hit = cached(proof, best.second)
    if hit is None:
        return Shown.NOT_TOLD
    if hit and hit >= _MOST * _findable(proof, best):
        return _where_it_hits(proof, hit)
    return _where_it_misses(proof, best, hosted, marked)


def _where_it_hits(proof: PrefixProof, hit: int) -> Shown:
    assert proof.as_sent is not None
    if proof.better is None:
        return Shown.WELL
    first = cached(proof, proof.as_sent.first)
    if not proof.salted and first and first >= _MOST * length(proof.as_sent.first):
        return Shown.WARM
    as_sent = cached(proof, proof.as_sent.second) or 0
    return Shown.WELL if as_sent >= _MOST * hit else Shown.CAUSE


def _where_it_misses(proof: PrefixProof, best: ProofPair, hosted: bool, marked: bool) -> Shown:
    shared = best.shared * length(best.second)
    if proof.alignment is not None and shared < _NEARLY * proof.alignment:
        return Shown.SHORT
    if hosted and shared < _USUAL:
        return Shown.BELOW_USUAL
    if hosted and not marked:
        return Shown.UNMARKED
    whole = [(cached(proof, answer) or 0, length(answer)) for answer in proof.again]
    seen = [hit > 0 and hit >= _MOST * _blocks(proof, total - 1) for hit, total in whole]
    if not any(seen):
        return Shown.MISSES
    after_the_first = seen[seen.index(True) :]
    return Shown.LATE if all(after_the_first) else Shown.ROUTING


def cached(proof: PrefixProof, answer: ProofAnswer) -> int | None:
    """Tokens that were found in the cache: by the answer, else by the engine's own counters where
    nobody else asked meanwhile."""
    if answer.cached is not None:
        return answer.cached
    if answer.counted is not None:
        hits, looked_up = answer.counted
        if looked_up == answer.prompt:
            return hits
    # An engine that tells hits tells a miss as nothing.
    return 0 if any(other.cached for other in _answers(proof)) else None


def length(answer: ProofAnswer) -> int:
    """Prompt tokens, those that were cached included: the Messages API counts them apart."""
    prompt = answer.prompt or 0
    return prompt if prompt >= (answer.cached or 0) else prompt + (answer.cached or 0)


def _findable(proof: PrefixProof, pair: ProofPair) -> float:
    """Tokens that a cache with whole blocks could find; the last token never is."""
    total = length(pair.second)
    return _blocks(proof, min(pair.shared * total, total - 1))


def _blocks(proof: PrefixProof, tokens: float) -> float:
    unit = proof.alignment or 1
    return max(tokens, 0) // unit * unit


def _answers(proof: PrefixProof) -> Iterator[ProofAnswer]:
    pairs: Iterable[ProofPair | None] = (proof.as_sent, proof.better)
    for pair in pairs:
        if pair is not None:
            yield pair.first
            yield pair.second
    yield from proof.again
