"""KVD502."""

from __future__ import annotations

from collections.abc import AsyncIterator

from checks.response._model_fault import (
    MODEL_FACTS,
    Code,
    Judgement,
    ModelCase,
    Verdict,
    changes_to,
    evidence_of,
    judged,
)
from doctor.checkapi import (
    Confidence,
    DeclaredFacts,
    Finding,
    Hop,
    Severity,
    Text,
    _,
    check,
    problem,
    visible,
)
from doctor.model_names import Likeness, Match, successors


@check(
    code="KVD502",
    slug="model-id-nearly-right",
    severity=Severity.ERROR,
    hop=Hop.ROUTE,
    wants=MODEL_FACTS,
    explains=("KVD501", "KVD505", "KVD511", "KVD603", "KVD604"),
)
async def model_id_nearly_right(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The configured id names a served model, but not as the server spells it.

    What it checks: a refused or unlisted id against the served ones: another case, a vendor or
    a path before it (or missing), the name of the weights, a date or tag, the spoken name, an id
    that its vendor has retired, quotes or blanks around it.

    Why it matters: ids are compared letter by letter. The model is there, and still every
    request fails.

    How to fix: set the id as the server spells it.

    Fix safety: where exactly one served id fits, the change keeps the model. Where several fit,
    each is a guess and is tried with one request.

    References: facts/gateway-clients.md §4.4 row 11; facts/real-servers.md; cases BR-098, BR-100,
    BR-104, BR-110.
    """
    found = await judged(f, Code.NEARLY_RIGHT)
    if found is None:
        return
    case, judgement = found
    proved = case.verdict is not Verdict.UNTESTED and (judgement.sure or bool(case.served))
    yield problem(
        _title(case, judgement),
        _("{difference} {seen}", difference=_difference(case, judgement), seen=_seen(case)),
        evidence=evidence_of(case),
        changes=changes_to(Code.NEARLY_RIGHT, judgement),
        severity=None if case.reply is not None or case.served else Severity.WARNING,
        confidence=Confidence.HIGH if proved else Confidence.MEDIUM,
    )


def _title(case: ModelCase, judgement: Judgement) -> Text:
    first = visible(judgement.matches[0].id)
    if not case.served and judgement.matches[0].likeness is not Likeness.QUOTED:
        return _('The model id is likely "{id}", not "{model}"', id=first, model=case.shown)
    if len(judgement.matches) == 1:
        return _('The model id is "{id}", not "{model}"', id=first, model=case.shown)
    ids = ", ".join(visible(match.id) for match in judgement.matches)
    return _('The model id "{model}" is nearly one of: {ids}', model=case.shown, ids=ids)


def _difference(case: ModelCase, judgement: Judgement) -> Text:
    match = judgement.matches[0]
    if match.likeness is Likeness.RENAMED:
        return _renamed(case, match)
    if match.likeness is Likeness.ROOT:
        return _(
            "{model} is the name of the weights; the server gives them the id {id}.",
            model=case.shown,
            id=visible(match.id),
        )
    return _DIFFERENCES[match.likeness]


def _renamed(case: ModelCase, match: Match) -> Text:
    if successors(case.asked or ""):
        return _(
            "{model} was retired on 2026-07-24; {id} took its place. deepseek-chat was its mode"
            " without thinking, deepseek-reasoner the one with it, so set thinking as well.",
            model=case.shown,
            id=visible(match.id),
        )
    return _(
        "No model was released as {model}; the chat model of this size is {id}.",
        model=case.shown,
        id=visible(match.id),
    )


_DIFFERENCES = {
    Likeness.QUOTED: _("Quotes or blanks around the id are sent as part of it."),
    Likeness.CASE: _("The two differ in capital letters, and ids are compared letter by letter."),
    Likeness.PATH: _(
        "One is a path and the other its last part: vLLM serves a model under"
        " --served-model-name, or else under exactly what was given as the model."
    ),
    Likeness.VENDOR: _("The two differ in the vendor before the slash only."),
    Likeness.VERSION: _("The two differ in the date or tag behind the name only."),
    Likeness.SPELLING: _("The words are the same, the spelling of the id is another."),
}


def _seen(case: ModelCase) -> Text:
    if case.verdict is Verdict.UNTESTED and not case.served:
        return _("Nothing was asked, so this is likely and not proved.")
    if case.verdict is Verdict.UNTESTED:
        return _(
            "The models list does not have {model}. No completion was asked for, so this is"
            " likely and not proved.",
            model=case.shown,
        )
    status = None if case.reply is None else case.reply.exchange.status
    message = case.message.rstrip(". ")
    return _(
        "The answer to {model} is {status}: {message}.",
        model=case.shown,
        status=status,
        message=message,
    )
