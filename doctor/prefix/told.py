"""The result of an analysis for people."""

from __future__ import annotations

from doctor.columns import columns, left
from doctor.facts.prefixlog import PrefixLog
from doctor.facts.prefixproof import PrefixProof
from doctor.models import Finding
from doctor.prefix.result import Analysis
from doctor.prefix.toldproof import tell_proof
from doctor.render.findings import tell_findings
from doctor.render.lines import Lines
from doctor.text import _


def tell(
    out: Lines,
    log: PrefixLog | None,
    analysis: Analysis | None,
    findings: tuple[Finding, ...],
    proof: PrefixProof | None = None,
) -> None:
    """What was read, the hit rate now and after, and each cause."""
    tell_figures(out, log, analysis, proof)
    tell_findings(out, findings)
    if analysis is not None and analysis.blind:
        out.wrap(
            _(
                "{blind} requests are known by their ids alone: what changes in them cannot be"
                " named.",
                blind=f"{analysis.blind:,}",
            )
        )
    if not findings and not (analysis is not None and analysis.blind):
        out.wrap(_("Nothing in these prompts keeps them from being shared."))


def tell_figures(
    out: Lines, log: PrefixLog | None, analysis: Analysis | None, proof: PrefixProof | None
) -> None:
    """What was read, and the hit rate now and after."""
    if log is not None and analysis is not None:
        _figures(out, log, analysis)
    if proof is not None:
        tell_proof(out, proof)


def _figures(out: Lines, log: PrefixLog, analysis: Analysis) -> None:
    about = "" if log.exact else "~"
    out.wrap(
        _(
            "{requests} requests, {tokens} prompt tokens, {lineages} prompts behind them.",
            requests=f"{log.requests:,}",
            tokens=f"{about}{log.prompt_tokens:,}",
            lineages=f"{analysis.lineages:,}",
        )
    )
    out.wrap(
        _(
            "Prefix cache, played with blocks of {size} tokens and {capacity} tokens of KV cache:",
            size=log.block_size,
            capacity=f"{analysis.engine.capacity * log.block_size:,}",
        )
    )
    now, after = out.say(_("now")), out.say(_("after"))
    width = max(columns(now), columns(after)) + 2
    out.line(f"  {left(now, width)}{_bar(log.hit_rate)} {log.hit_rate:6.1%}")
    if log.hit_rate_after - log.hit_rate >= 0.001:
        out.line(f"  {left(after, width)}{_bar(log.hit_rate_after)} {log.hit_rate_after:6.1%}")
    if log.reported_rate is not None:
        text = _("The log's own answers report {rate} cached.", rate=f"{log.reported_rate:.1%}")
        out.wrap(text, indent=2)
    if analysis.unread.lines:
        out.wrap(
            _(
                "{lines} lines hold no request; the first: {first}.",
                lines=f"{analysis.unread.lines:,}",
                first=analysis.unread.first,
            )
        )
    out.line("")


def _bar(share: float, width: int = 30) -> str:
    full = round(share * width)
    return "█" * full + "░" * (width - full)
