"""What a live proof is told by: which requests were sent, and what each got."""

from __future__ import annotations

from doctor.checkapi import Evidence, Text, _
from doctor.facts.prefixproof import PrefixProof, ProofAnswer
from doctor.prefix.verdict import cached, length


def evidence(proof: PrefixProof) -> tuple[Evidence, ...]:
    """A line for each pair, and one for the last request when it was sent again."""
    found: list[Evidence] = []
    pairs = ((_("as sent"), proof.as_sent), (_("in the better order"), proof.better))
    for name, pair in pairs:
        if pair is not None:
            found.append(Evidence(name, proof.url, _got(proof, pair.second)))
    if proof.again:
        told = ", ".join(str(cached(proof, answer) or 0) for answer in proof.again)
        found.append(Evidence(_("sent again"), proof.url, _("cached tokens: {told}", told=told)))
    return tuple(found)


def _got(proof: PrefixProof, answer: ProofAnswer) -> Text:
    hit = cached(proof, answer)
    if hit is None:
        return _("{all} prompt tokens, cached: not told", all=f"{length(answer):,}")
    return _(
        "{hit} of {all} prompt tokens cached, {ms} ms",
        hit=f"{hit:,}",
        all=f"{length(answer):,}",
        ms=f"{answer.ms:,}",
    )


def shared_tokens(proof: PrefixProof) -> float:
    """About how many tokens the two requests share, in the order in which they share more."""
    pair = proof.better or proof.as_sent
    return 0.0 if pair is None else pair.shared * length(pair.second)
