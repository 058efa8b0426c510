"""KVD501."""

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
    listing,
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
from doctor.model_names import is_family_name, provider_style


@check(
    code="KVD501",
    slug="model-not-served",
    severity=Severity.ERROR,
    hop=Hop.ROUTE,
    wants=MODEL_FACTS,
    explains=("KVD505", "KVD511", "KVD603", "KVD604"),
)
async def model_not_served(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The server does not serve the model that the client asks for.

    What it checks: the answer to a small completion (404 "does not exist", 400 "Model Not
    Exist", 503 without a channel) together with the models list.

    Why it matters: every request fails, and some clients hide the reason: SDKs repeat a 503, and
    Claude Code shows any 404 as a fault of the selected model.

    How to fix: use one of the served ids, spelled exactly as the list has it, or have the model
    added to the gateway or the engine.

    Fix safety: another id is another model; each nearest id is a guess and is tried with one
    request before it is called right.

    References: facts/gateway-clients.md §§1.3, 1.5; cases BR-102, BR-108.
    """
    found = await judged(f, Code.NOT_SERVED)
    if found is None:
        return
    case, judgement = found
    untested = case.verdict is Verdict.UNTESTED
    guessed = untested or (case.verdict is Verdict.NO_ROUTE and not case.served)
    yield problem(
        _title(case.shown, likely=guessed),
        _("{seen} {served}", seen=_seen(case), served=_served(case, judgement)),
        evidence=evidence_of(case),
        changes=changes_to(Code.NOT_SERVED, judgement),
        severity=Severity.WARNING if untested else None,
        confidence=Confidence.MEDIUM if guessed else Confidence.HIGH,
    )


def _title(model: str, *, likely: bool) -> Text:
    if likely:
        return _('The server likely does not serve the model "{model}"', model=model)
    return _('The server does not serve the model "{model}"', model=model)


def _seen(case: ModelCase) -> Text:
    if case.verdict is Verdict.UNTESTED and not case.served:
        return _(
            "By its name the model is another vendor's, and this host serves its own vendor's"
            " only. Nothing was asked, so this is likely and not proved."
        )
    if case.verdict is Verdict.UNTESTED:
        return _(
            "The models list has {n} ids and not this one. No completion was asked for, so this"
            " is likely and not proved.",
            n=f"{len(case.ids):,}",
        )
    status = None if case.reply is None else case.reply.exchange.status
    if case.message:
        return _(
            "The answer is {status}: {message}.", status=status, message=_trimmed(case.message)
        )
    return _("The answer is {status}.", status=status)


def _trimmed(message: str) -> str:
    return message.rstrip(". ")


def _served(case: ModelCase, judgement: Judgement) -> Text:
    asked = case.asked or ""
    if judgement.matches and judgement.matches[0].score > 0:
        nearest = ", ".join(visible(match.id) for match in judgement.matches)
        return _("Nearest of the {n} served ids: {ids}.", n=f"{len(case.ids):,}", ids=nearest)
    if case.served:
        return _("Served are: {ids}.", ids=listing(case.ids))
    style = provider_style(asked)
    if style is not None:
        return _(
            "The id has the form of {provider}'s ids; each provider has its own. What is served"
            " here, GET /models tells.",
            provider=style,
        )
    if is_family_name(asked):
        return _(
            "{model} is what a family of models is called and likely nobody's id. What is served"
            " here, GET /models tells.",
            model=case.shown,
        )
    return _(
        "No models list was had. vLLM serves a model under --served-model-name, or else under"
        " exactly what was given as the model, whole path included."
    )
