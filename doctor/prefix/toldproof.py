"""A live proof for people: what was sent again, what it got, what that shows."""

from __future__ import annotations

from doctor.facts.prefixproof import PrefixProof, ProofPair, Shown
from doctor.prefix.verdict import cached, length
from doctor.render.lines import Lines
from doctor.text import Text, _

_LOW = 0.5


def tell_proof(out: Lines, proof: PrefixProof) -> None:
    """The requests, then the sentence that they prove."""
    out.wrap(
        _(
            "Asked {url}: {requests} requests, {tokens} prompt tokens.",
            url=proof.url,
            requests=proof.requests,
            tokens=f"{proof.tokens:,}",
        )
    )
    for name, pair in ((_("as sent"), proof.as_sent), (_("better order"), proof.better)):
        if pair is not None:
            out.wrap(_line(proof, out.say(name), pair), indent=2)
    out.wrap(_shown(proof))
    rate = proof.engine_rate
    if proof.shown is Shown.WELL and rate is not None and rate < _LOW:
        out.wrap(
            _(
                "The engine's own hit rate, {rate} since its start, is over all requests of all its"
                " users and does not speak of these prompts.",
                rate=f"{rate:.0%}",
            )
        )
    out.line("")


def _line(proof: PrefixProof, name: str, pair: ProofPair) -> Text:
    if pair.second.fault:
        return _("{name}: {fault}", name=name, fault=pair.second.fault)
    hit = cached(proof, pair.second)
    return _(
        "{name}: the second request of {all} tokens had {hit} cached ({ms} ms, the first {first})",
        name=name,
        all=f"{length(pair.second):,}",
        hit="?" if hit is None else f"{hit:,}",
        ms=f"{pair.second.ms:,}",
        first=f"{pair.first.ms:,}",
    )


def _shown(proof: PrefixProof) -> Text:
    return _TEXTS[proof.shown]


_BELOW = _("See the finding below.")
_TEXTS: dict[Shown, Text] = {
    Shown.CAUSE: _(
        "Proved: the cache works, and what changes in these prompts keeps it from being of use."
    ),
    Shown.WELL: _("Proved: prompts are found again as they are sent."),
    Shown.OFF: _BELOW,
    Shown.NO_ATTENTION: _("The model has no attention, and so no prefix cache."),
    Shown.SHORT: _BELOW,
    Shown.BELOW_USUAL: _(
        "Nothing was cached, which proves nothing: what the two requests share is shorter than the"
        " 1,024 tokens from which on hosted services cache."
    ),
    Shown.UNMARKED: _(
        "Nothing was cached, which proves nothing: these requests mark nothing with cache_control,"
        " and services of this API cache only what is marked."
    ),
    Shown.NOT_TOLD: _BELOW,
    Shown.ROUTING: _BELOW,
    Shown.LATE: _BELOW,
    Shown.MISSES: _BELOW,
    Shown.WARM: _(
        "The first request as sent was cached already, as it had been asked before: that says"
        " nothing. In the better order the cache is of use."
    ),
    Shown.UNANSWERED: _("Nothing is proved: a request was not answered."),
}
