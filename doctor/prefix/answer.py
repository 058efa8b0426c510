"""The result of an analysis as a fact, and as ``kvdoctor.prefix/1``."""

from __future__ import annotations

from typing import Any

from doctor.facts.prefixlog import PrefixCause, PrefixLog
from doctor.facts.prefixproof import PrefixProof, ProofAnswer, ProofPair
from doctor.models import Finding
from doctor.prefix.result import Analysis
from doctor.prefix.verdict import cached
from doctor.render.document import finding_document, tool
from doctor.untrusted import visible

SCHEMA = "kvdoctor.prefix/1"


def fact_of(
    analysis: Analysis,
    source: str,
    *,
    rate_per_million: float | None = None,
    prefill_speed: float | None = None,
) -> PrefixLog:
    """``source`` is what people call the log; the rate is money per million prompt tokens, the
    speed in prompt tokens per second."""
    size = analysis.engine.block_size
    reported = expected = None
    mean = 0.0
    if analysis.reported is not None:
        hit, prompt = analysis.reported
        reported, expected = hit / prompt, analysis.expected_rate
        mean = prompt / analysis.answers
    return PrefixLog(
        source=source,
        requests=analysis.requests,
        prompt_tokens=analysis.prompt_tokens,
        hit_rate=analysis.hit_rate,
        hit_rate_after=analysis.hit_rate_after,
        exact=analysis.exact,
        block_size=size,
        causes=tuple(
            PrefixCause(
                code=cause.kind.code,
                kind=cause.kind.name,
                path=cause.path,
                offset=cause.offset,
                label=cause.label,
                examples=cause.examples,
                requests=cause.requests,
                distinct=cause.distinct,
                tokens_lost=cause.lost * size,
                blocks_lost=cause.lost,
                sure=cause.kind.sure,
            )
            for cause in analysis.causes
        ),
        reported_rate=reported,
        expected_rate=expected,
        reported=analysis.answers,
        reported_mean=mean,
        untold=analysis.totals.untold,
        unkept=analysis.marks.unkept,
        rate_per_million=rate_per_million,
        prefill_tokens_per_second=prefill_speed,
    )


def proof_document(proof: PrefixProof) -> dict[str, Any]:
    """What was sent again and what it got."""
    return {
        "shown": proof.shown.value,
        "url": proof.url,
        "model": proof.model,
        "as_sent": _pair(proof, proof.as_sent),
        "better": _pair(proof, proof.better),
        "again": [_answer(proof, answer) for answer in proof.again],
        "engine": {
            "version": proof.version,
            "prefix_caching": proof.prefix_caching,
            "alignment_tokens": proof.alignment,
            "processes": proof.engines,
            "hit_rate": None if proof.engine_rate is None else round(proof.engine_rate, 6),
        },
        "spent": {"requests": proof.requests, "prompt_tokens": proof.tokens},
        "trouble": proof.trouble,
    }


def _pair(proof: PrefixProof, pair: ProofPair | None) -> dict[str, Any] | None:
    if pair is None:
        return None
    return {
        "shared": round(pair.shared, 4),
        "first": _answer(proof, pair.first),
        "second": _answer(proof, pair.second),
    }


def _answer(proof: PrefixProof, answer: ProofAnswer) -> dict[str, Any]:
    return {
        "prompt_tokens": answer.prompt,
        "cached_tokens": cached(proof, answer),
        "ms": answer.ms,
        "fault": answer.fault,
    }


def document(
    log: PrefixLog | None,
    analysis: Analysis | None,
    findings: tuple[Finding, ...],
    proof: PrefixProof | None = None,
) -> dict[str, Any]:
    """The whole answer as data; the figures are null where only sources were scanned."""
    made: dict[str, Any] = {
        "schema": SCHEMA,
        "tool": tool(),
        "source": None,
        "requests": 0,
        "prompt_tokens": 0,
        "exact": False,
        "hit_rate": None,
        "hit_rate_after": None,
        "reported_hit_rate": None,
    }
    if log is not None:
        made |= {
            "source": visible(log.source),
            "requests": log.requests,
            "prompt_tokens": log.prompt_tokens,
            "exact": log.exact,
            "hit_rate": round(log.hit_rate, 6),
            "hit_rate_after": round(log.hit_rate_after, 6),
        }
        if log.reported_rate is not None:
            made["reported_hit_rate"] = round(log.reported_rate, 6)
    if analysis is not None:
        size = analysis.engine.block_size
        made |= {
            "block_size": size,
            "capacity_tokens": analysis.engine.capacity * size,
            "lineages": analysis.lineages,
            "hit_blocks": analysis.totals.hits,
            "hit_blocks_after": analysis.totals.hits_after,
            "unread": {
                "lines": analysis.unread.lines,
                "first": visible(analysis.unread.first),
            },
        }
    if proof is not None:
        made["proof"] = proof_document(proof)
    made["findings"] = [finding_document(finding) for finding in findings]
    return made
