"""KVD707 where the prompts are known: the client sends them alike, and they are not found again."""

from __future__ import annotations

from collections.abc import Iterator

from checks.prefix._proof import evidence, shared_tokens
from doctor.checkapi import Confidence, Evidence, Finding, Severity, Text, _, joined, problem
from doctor.facts.prefixlog import PrefixLog
from doctor.facts.prefixproof import PrefixProof, Shown

# Hosted services cache nothing shorter.
_USUAL = 1_024
# Of what could be shared so little was: less is what evictions and a cold start make.
_LITTLE = 0.5
_MUCH = 0.25
_LARGE = 256  # tokens of a block: those of hybrid models
_MANY = 20  # answers


def of_log(log: PrefixLog | None) -> Iterator[Finding]:
    """Where the log's own answers report much less than its prompts have in common."""
    if log is None or log.reported_rate is None or log.expected_rate is None:
        return
    missing = log.expected_rate - log.reported_rate
    if missing < _MUCH or log.reported_rate > _LITTLE * log.expected_rate:
        return
    if log.reported_mean < _USUAL:
        return
    few = log.reported < _MANY
    yield problem(
        _(
            "Answers report {reported} of the prompts cached, and {expected} could be",
            reported=f"{log.reported_rate:.0%}",
            expected=f"{log.expected_rate:.0%}",
        ),
        joined(
            _(
                "These prompts begin alike as they are sent, so their sender is not at fault."
                " Likely the server does not keep them: its cache is small or short-lived, several"
                " engines share the requests without session affinity, or it caches only what is"
                " marked."
            ),
            _("'kvdoctor prefix FILE --prove' asks the server itself."),
        ),
        evidence=(
            Evidence(
                _("answers"),
                log.source,
                _("{n} answers that tell their cached tokens", n=f"{log.reported:,}"),
            ),
        ),
        severity=Severity.INFO if few else Severity.WARNING,
        confidence=Confidence.LOW if few else Confidence.MEDIUM,
    )


def of_proof(proof: PrefixProof) -> Iterator[Finding]:
    """Where two requests that begin alike did not hit."""
    told = {
        Shown.ROUTING: (
            _("The same request is found in the cache at times, and at times not"),
            Confidence.HIGH,
        ),
        Shown.LATE: (
            _("A request that begins like the one before it was not found in the cache"),
            Confidence.MEDIUM,
        ),
        Shown.MISSES: (
            _("The server finds next to nothing of a prompt that it has just answered"),
            Confidence.MEDIUM,
        ),
    }.get(proof.shown)
    if told is None:
        return
    title, confidence = told
    yield problem(
        title,
        joined(
            _shares(proof),
            _why(proof),
        ),
        evidence=evidence(proof),
        confidence=confidence,
    )


def _shares(proof: PrefixProof) -> Text:
    shared = f"{shared_tokens(proof):,.0f}"
    if proof.better is not None:
        return _(
            "Also in the better order, in which the two requests share about {n} tokens at their"
            " beginning: what changes in the prompts is not all that is wrong.",
            n=shared,
        )
    return _(
        "The two requests share about {n} tokens at their beginning, so their sender is not at"
        " fault.",
        n=shared,
    )


def _why(proof: PrefixProof) -> Text:
    if proof.engines > 1:
        return _(
            "{n} engines keep a cache each: route the requests of one conversation to the same"
            " one.",
            n=proof.engines,
        )
    finds_beginnings = proof.version is not None and (proof.alignment or _LARGE) < _LARGE
    if proof.shown is Shown.ROUTING or (proof.shown is Shown.LATE and finds_beginnings):
        return _(
            "Several engines stand behind the address, and each has a cache of its own: route the"
            " requests of one conversation to the same one (session affinity)."
        )
    if proof.shown is Shown.LATE:
        if (proof.alignment or 0) >= _LARGE:
            return _(
                "Sent again, it was. Models with such large blocks ({n} tokens) keep a beginning"
                " only once it was met more than once.",
                n=proof.alignment,
            )
        return _(
            "Sent again, it was. Either the two went to different engines, each with a cache of"
            " its own, which session affinity mends; or the server finds whole requests only, or"
            " fills its cache late."
        )
    return _(
        "Sent again, it was not found either. Likely the server or a gateway caches no"
        " prefixes for this model, or changes the prompt on its way."
    )
