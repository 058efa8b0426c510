"""What the checks of a request log share: how much a cause costs, and how it is told."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from doctor.checkapi import (
    Confidence,
    DeclaredFacts,
    Evidence,
    Finding,
    NotApplicable,
    Severity,
    _,
    facts,
    joined,
    listed,
    problem,
    visible,
)
from doctor.facts.prefixlog import TURNS, PrefixCause, PrefixLog, PrefixSource
from doctor.patterns import Pattern

WANTS = (facts.PREFIX_LOG, facts.PREFIX_SOURCES, facts.PREFIX_PROOF)

if TYPE_CHECKING:
    from doctor.facts.prefixproof import PrefixProof

_MANY = 50  # requests from which on a cause must cost something to be told
_WORTH = 0.005  # share of the prompt tokens
_WORTH_MOVING = 0.05  # of text that the prompt is about, such as what was retrieved for it
_DEAR = 0.10
_OFTEN = 0.05
_DATE = Pattern(r"(?:\w[\w' ]{0,30}: ?)?\d{4}([-/.])\d{1,2}\1\d{1,2}")
_SHOWN = 60  # characters of an example


async def told(
    f: DeclaredFacts,
    code: str,
    title: Callable[[PrefixCause], str],
    how: Callable[[PrefixCause], str],
    of_source: Callable[[PrefixSource], Finding] | None = None,
) -> AsyncIterator[Finding]:
    """A finding per cause of ``code`` in the log, the dearest first, and per place in sources;
    ``of_source`` tells one that is not put into a prompt.

    Raises ``NotApplicable`` in a run without either.
    """
    log, sources = await f.find(facts.PREFIX_LOG), await f.find(facts.PREFIX_SOURCES)
    if log is None and sources is None:
        raise NotApplicable(_("no request log is examined"))
    proof = await f.find(facts.PREFIX_PROOF)
    for finding in () if log is None else _of_log(log, code, title, how):
        yield finding if proof is None else _proved(finding, proof)
    for source in sources or ():
        if source.code == code:
            yield (of_source or _of_source)(source)


def _of_log(
    log: PrefixLog,
    code: str,
    title: Callable[[PrefixCause], str],
    how: Callable[[PrefixCause], str],
) -> Iterator[Finding]:
    causes = [cause for cause in log.causes if cause.code == code and _counts(cause, log)]
    for cause in sorted(causes, key=lambda cause: -cause.tokens_lost):
        yield problem(
            title(cause),
            joined(_seen(cause, log), _price(cause, log), how(cause), *_replay(cause)),
            evidence=_evidence(cause, log),
            severity=Severity.WARNING if _share(cause, log) >= _DEAR else Severity.INFO,
            confidence=Confidence.HIGH if cause.sure else Confidence.MEDIUM,
        )


def _proved(finding: Finding, proof: PrefixProof) -> Finding:
    """With what the server itself showed, where it showed that it matters."""
    if proof.shown != "cause":
        return finding
    from checks.prefix._proof import evidence

    told = _("Proved: with it moved out of the way, the same two requests share their beginning.")
    return replace(
        finding,
        explanation=joined(finding.explanation, told),
        evidence=(*finding.evidence, *evidence(proof)),
    )


def _replay(cause: PrefixCause) -> Iterator[str]:
    if cause.code in ("KVD701", "KVD702", "KVD703") and cause.path not in (TURNS, "cache_salt"):
        yield _("'kvdoctor prefix --write FILE' writes the log in that order.")


_WORDS = {
    "clock": _("a clock"),
    "unique id": _("an id of its own for each request"),
    "counter": _("a counter"),
    "state": _("a state that changes"),
}


def _of_source(source: PrefixSource) -> Finding:
    what = _WORDS.get(source.kind, source.kind)
    if source.guess:
        title = _("{text} likely puts {what} into a prompt", text=visible(source.text), what=what)
    else:
        title = _("{text} puts {what} into the system prompt", text=visible(source.text), what=what)
    place = f"{source.path}:{source.line}"
    evidence = [Evidence(_("source"), place, visible(source.text))]
    if source.prompt_line != source.line:
        prompt = f"{source.path}:{source.prompt_line}"
        evidence.append(Evidence(_("prompt"), prompt, _("the system prompt")))
    return problem(
        title,
        joined(_("Its value differs, so what stands behind it is never shared."), MOVE),
        evidence=tuple(evidence),
        severity=Severity.INFO if source.guess else Severity.WARNING,
        confidence=Confidence.LOW if source.guess else Confidence.MEDIUM,
    )


def _counts(cause: PrefixCause, log: PrefixLog) -> bool:
    """Whether it really changes, and costs something in a log that is long enough to say."""
    if cause.distinct < 2:
        return False
    if cause.kind == "clock" and all(map(_DATE.fullmatch, cause.examples)):
        # A day outlives every cache: what it costs is the first request of each.
        return _share(cause, log) >= _DEAR
    if cause.kind == "wrapped":
        return cause.requests / log.requests >= _OFTEN
    if cause.kind == "text":
        from doctor.prefix.kinds import keeps_changing

        if _share(cause, log) < _WORTH_MOVING:
            return False
        return keeps_changing(cause.distinct, cause.requests)
    return log.requests < _MANY or _share(cause, log) >= _WORTH


def _share(cause: PrefixCause, log: PrefixLog) -> float:
    return cause.tokens_lost / log.prompt_tokens if log.prompt_tokens else 0.0


def _seen(cause: PrefixCause, log: PrefixLog) -> str:
    return _(
        "{requests} of {all} requests have it, with {distinct} different values.",
        requests=f"{cause.requests:,}",
        all=f"{log.requests:,}",
        distinct=f"{cause.distinct:,}",
    )


def _price(cause: PrefixCause, log: PrefixLog) -> str:
    if cause.kind == "wrapped":
        return _("Behind the instruction nothing of the conversation is shared.")
    if not cause.blocks_lost:
        return _(
            "These prompts have too little text behind it to fill a block of the cache, so it "
            "costs nothing yet."
        )
    about = "" if log.exact else "~"
    text = _(
        "What stands behind it cannot be shared: {tokens} prompt tokens ({share}, {blocks} blocks) "
        "are computed again.",
        tokens=f"{about}{cause.tokens_lost:,}",
        share=f"{_share(cause, log):.0%}",
        blocks=f"{cause.blocks_lost:,}",
    )
    if log.rate_per_million is not None:
        cost = f"{cause.tokens_lost / 1e6 * log.rate_per_million:,.2f}"
        text = joined(text, _("At the given rate that is {cost}.", cost=cost))
    if log.prefill_tokens_per_second:
        seconds = f"{cause.tokens_lost / log.prefill_tokens_per_second:,.0f}"
        text = joined(
            text, _("At the given speed that is {seconds} s of prefill.", seconds=seconds)
        )
    return text


def _evidence(cause: PrefixCause, log: PrefixLog) -> tuple[Evidence, ...]:
    place = _("character {offset} of {path}", offset=cause.offset, path=cause.path)
    first, second = (_example(cause, value) for value in cause.examples)
    return (
        Evidence(_("first"), listed((log.source, place)), first),
        Evidence(_("next"), listed((log.source, place)), second),
    )


def _example(cause: PrefixCause, value: str) -> str:
    """A value in its surroundings. Of an id only the beginning: it may open a session."""
    text = value.strip() or _("(nothing)")
    if cause.kind in ("unique id", "salt") and len(text) > 12:
        text = f"{text[:6]}…({len(text)})"
    return visible(f"{cause.label}{text}".strip(), _SHOWN)


def place_of(cause: PrefixCause) -> str:
    """How people call the part of the request that ``path`` leads to."""
    path = cause.path
    if path in ("system", "instructions") or path == "messages[0].content":
        return _("the system prompt")
    if path == TURNS:
        return _("an earlier turn")
    return _("the tools") if path == "tools" else path


MOVE = _(
    "Move it behind the last user message, and keep it out of the history; then everything before "
    "it is the same for every request."
)
