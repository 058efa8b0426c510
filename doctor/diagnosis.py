"""From examinations to one diagnosis: root causes, consequences, the three verdicts."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from doctor import facts as f
from doctor.connection import Change, Connection
from doctor.facts.answers import OutcomeKind, Reply
from doctor.facts.store import Facts
from doctor.models import Answer, Confidence, Diagnosis, Finding, Severity, Verdicts
from doctor.outcomes import answer_of
from doctor.repair import Examination, Repair
from doctor.text import Text, _, joined, listed

if TYPE_CHECKING:
    from doctor.fixes.scene import Scene


def diagnose(
    first: Examination, repair: Repair | None, no_spend: bool, scene: Scene | None = None
) -> tuple[Diagnosis, tuple[Finding, ...]]:
    """The diagnosis, and all findings with roots first, consequences folded, fixes attached."""
    if first.answers or repair is None:
        # A request may answer and still be flawed: another model, a broken end of the stream.
        roots = _likely_roots(first.findings)
        findings = first.findings
        proved = False
    else:
        findings = _without_refuted(_merged(first, repair), repair)
        proved = repair.last.answers and bool(repair.needed)
        roots = _proved_roots(repair) if proved else _unproved_roots(repair, findings)
        if proved:
            findings = _folded_under(roots, findings, repair.last.findings)
            findings = _as_repaired(findings, repair.last.findings)
    needed = repair.needed if repair is not None and not first.answers else ()
    ordered = _roots_first(findings, roots)
    findings = tuple(
        _settled(finding, needed if proved else ())
        for finding in _with_fixes(ordered, needed, proved, first.connection, scene)
    )
    before = None if first.reply is None else answer_of(first.reply)
    after = None
    if proved and repair is not None and repair.last.reply is not None:
        after = answer_of(repair.last.reply)
    trials = () if repair is None else repair.trials
    diagnosis = Diagnosis(
        root_causes=roots,
        summary=_summary(first, roots, findings, proved, len(needed), bool(trials)),
        proved=proved,
        proof=_proof(after, no_spend),
        repair=tuple(fix.id for finding in findings for fix in finding.fixes if fix.proved),
        changes=needed if proved else (),
        before=before,
        after=after,
        tried=trials,
    )
    return diagnosis, findings


def _with_fixes(
    findings: Sequence[Finding],
    needed: tuple[Change, ...],
    proved: bool,
    connection: Connection,
    scene: Scene | None,
) -> list[Finding]:
    if not findings:
        return []
    # Only now: the editors of files are of no use to a healthy run.
    from doctor.fixes.proposal import propose

    return [
        dataclasses.replace(finding, fixes=propose(finding, needed, proved, connection, scene))
        for finding in findings
    ]


def _settled(finding: Finding, proved: Sequence[Change]) -> Finding:
    """A guess that was proved says so; one that was not keeps its advice."""
    own = [change for change in proved if change.code == finding.code]
    if not any(change.guess for change in own):
        explanation = joined(finding.explanation, finding.advice)
        return dataclasses.replace(finding, explanation=explanation)
    told = [_("Proved: {change}.", change=change.title) for change in own]
    return dataclasses.replace(
        finding,
        title=finding.proved_title or finding.title,
        explanation=joined(finding.explanation, *told),
        confidence=Confidence.HIGH,
    )


def _merged(first: Examination, repair: Repair) -> tuple[Finding, ...]:
    """The findings as configured, and those that only showed once others were out of the way."""
    known = {finding.code for finding in first.findings}
    hidden = [finding for finding in repair.met if finding.code not in known]
    known.update(finding.code for finding in hidden)
    if not repair.last.answers or repair.last.changes:
        hidden += [
            finding
            for finding in repair.last.findings
            if finding.code not in known and finding.explained_by is None
        ]
    return (*first.findings, *hidden)


def _as_repaired(findings: Sequence[Finding], lasting: Sequence[Finding]) -> tuple[Finding, ...]:
    """What is written down lastingly is what the repaired connection shows."""
    better = {finding.code: finding.lasting for finding in lasting if finding.lasting}
    return tuple(
        dataclasses.replace(finding, lasting=better[finding.code])
        if finding.lasting and finding.code in better
        else finding
        for finding in findings
    )


def _without_refuted(findings: tuple[Finding, ...], repair: Repair) -> tuple[Finding, ...]:
    """Leave out what was only a guess and was tried in vain, as long as something else is said."""
    refuted = {(change.setting, change.value) for change in repair.refuted}

    def is_refuted(finding: Finding) -> bool:
        changes = finding.changes
        tried = all(c.guess and (c.setting, c.value) in refuted for c in changes)
        return bool(changes) and tried and finding.confidence < Confidence.HIGH

    dropped = {finding.code for finding in findings if is_refuted(finding)}
    kept = [finding for finding in findings if finding.code not in dropped]
    if not any(finding.severity >= Severity.ERROR for finding in kept):
        return findings
    return tuple(
        dataclasses.replace(finding, explained_by=None)
        if finding.explained_by in dropped
        else finding
        for finding in kept
    )


def _proved_roots(repair: Repair) -> tuple[str, ...]:
    codes = dict.fromkeys(change.code for change in repair.needed)
    hops = {finding.code: finding.hop.order for finding in repair.met}
    return tuple(sorted(codes, key=lambda code: (hops.get(code, 0), code)))


def _unproved_roots(repair: Repair, findings: Sequence[Finding]) -> tuple[str, ...]:
    """What had to be changed on the way, then what stands in the way of the last request."""
    on_the_way = _proved_roots(repair)
    kept = {finding.code for finding in findings}
    rest = [
        finding
        for finding in repair.last.findings
        if finding.code in kept and finding.code not in on_the_way
    ]
    return tuple(dict.fromkeys((*on_the_way, *_likely_roots(rest or findings))))


def _likely_roots(findings: Iterable[Finding]) -> tuple[str, ...]:
    """Without proof: the surest faults of the first broken hop."""
    faults = [
        finding
        for finding in findings
        if finding.severity >= Severity.ERROR and finding.explained_by is None and finding.blocking
    ]
    if not faults:
        return ()
    hop = min(finding.hop.order for finding in faults)
    surest = max(finding.confidence for finding in faults if finding.hop.order == hop)
    sure_elsewhere = [
        finding for finding in faults if finding.hop.order == hop and finding.confidence == surest
    ]
    if surest < Confidence.HIGH:
        certain = [finding for finding in faults if finding.confidence is Confidence.HIGH]
        sure_elsewhere = certain or sure_elsewhere
    return tuple(dict.fromkeys(finding.code for finding in sure_elsewhere))


def _folded_under(
    roots: tuple[str, ...], findings: Sequence[Finding], lasting: Sequence[Finding]
) -> tuple[Finding, ...]:
    """A finding that is gone on the repaired connection was a consequence of a root."""
    remaining = {finding.code for finding in lasting}
    folded = []
    for finding in findings:
        if finding.code in roots:
            folded.append(dataclasses.replace(finding, explained_by=None))
        elif finding.severity < Severity.ERROR:
            # A warning may be gone with what it warned of and still follow from nothing else.
            folded.append(finding)
        elif finding.explained_by is None and finding.code not in remaining:
            cause = next((r for f in findings for r in roots if _lists(f, r, finding)), roots[0])
            folded.append(dataclasses.replace(finding, explained_by=cause))
        else:
            folded.append(finding)
    return tuple(folded)


def _lists(candidate: Finding, root: str, effect: Finding) -> bool:
    return candidate.code == root and effect.code in candidate.explains


def _roots_first(findings: Sequence[Finding], roots: tuple[str, ...]) -> list[Finding]:
    def order(finding: Finding) -> tuple[int, int]:
        if finding.code in roots:
            return (0, roots.index(finding.code))
        return (2, 0) if finding.explained_by is not None else (1, 0)

    return sorted(findings, key=order)


def _summary(
    first: Examination,
    roots: tuple[str, ...],
    findings: Sequence[Finding],
    proved: bool,
    changes: int,
    tried: bool,
) -> Text:
    titles = [finding.title for finding in findings if finding.code in roots]
    causes = listed(
        # A title is a sentence without its full stop; a plugin's may have one.
        dict.fromkeys(one.rstrip(".") if one.endswith(".") else one for one in titles),
        "; ",
    )
    if first.answers and first.reply is not None:
        exchange = first.reply.exchange
        if exchange.purpose == "models":
            return _("The models list answers; no completion was asked for.")
        status, ms = exchange.status, exchange.ms_total
        if causes:
            # The program may stop before it asks, or another model may have answered.
            return _(
                "The request answers ({status}, {ms} ms), but: {causes}.",
                status=status,
                ms=ms,
                causes=causes,
            )
        return _("The request answers ({status}, {ms} ms).", status=status, ms=ms)
    if not causes:
        if first.reply is None:
            return _("No request was made, so nothing is proved.")
        return _("The request fails, and none of the checks knows why.")
    if proved and changes == 1:
        return _("{causes}. With that changed the request answers.", causes=causes)
    if proved:
        return _("{causes}. With these {n} changes the request answers.", causes=causes, n=changes)
    if first.reply is None:
        return _("{causes}. Not tested by a request.", causes=causes)
    if not tried:
        return _("{causes}. No other value of the settings is known to try.", causes=causes)
    return _("{causes}. No change that was tried makes the request answer.", causes=causes)


def _proof(after: Answer | None, no_spend: bool) -> Text | str:
    if after is None:
        return ""
    if after.request == "completion":
        return _("proved by a completion")
    if no_spend:
        return _("proved up to the models list: --no-spend allows no completion")
    return _("proved up to the models list: no model is configured to ask")


async def verdicts(facts: Facts) -> Verdicts:
    """Reachable, authenticated, model answers: three questions, each with its own evidence."""
    completion = await facts.find(f.COMPLETION)
    models = await facts.find(f.MODELS)
    replies = [r for r in (completion, models.reply if models else None) if r is not None]
    if not replies:
        return Verdicts(authenticated_detail=_("not tested"))
    reached = any(
        r.exchange.status is not None and r.outcome.kind is not OutcomeKind.PROXY_PAGE
        for r in replies
    )
    model_answers = None
    if completion is not None:
        model_answers = completion.outcome.kind is OutcomeKind.ANSWERED
    authenticated, detail = await _authenticated(facts, replies, bool(model_answers))
    return Verdicts(reached, authenticated, model_answers, detail)


async def _authenticated(
    facts: Facts, replies: Sequence[Reply], model_answers: bool
) -> tuple[bool | None, str]:
    kinds = {reply.outcome.kind for reply in replies}
    if kinds & {OutcomeKind.KEY_REFUSED, OutcomeKind.KEY_MISSING}:
        return False, _("the key is refused")
    listed = any(reply.exchange.purpose == "models" and _is_ok(reply) for reply in replies)
    if not (model_answers or listed):
        return None, _("not tested")
    control = await facts.find(f.AUTH_CONTROL)
    if control is None or control.refused is None:
        return None, _("not tested: no request with a made-up key gave a verdict")
    if not control.refused:
        return None, _("absent: a made-up key is let in as well")
    return True, _("a made-up key is refused, this one is not")


def _is_ok(reply: Reply) -> bool:
    return reply.outcome.kind is OutcomeKind.ANSWERED
