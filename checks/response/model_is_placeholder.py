"""KVD503."""

from __future__ import annotations

from collections.abc import AsyncIterator

from checks.response._model_fault import (
    MODEL_FACTS,
    Code,
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
)
from doctor.model_placeholders import Placeholder


@check(
    code="KVD503",
    slug="model-is-placeholder",
    severity=Severity.ERROR,
    hop=Hop.CONFIGURATION,
    wants=MODEL_FACTS,
    explains=("KVD501", "KVD502", "KVD505", "KVD506", "KVD511"),
)
async def model_is_placeholder(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The model is a text that a guide left to be replaced, nothing at all, or an internal id.

    What it checks: the configured model id: `your-target-model`, `gpt-xxx`, `<model>`, an empty
    value, the text `None` of an unset variable, and, once it is refused, a UUID or a name such as
    `default` that stands for whatever is loaded. An id that the server lists or answers to is
    never one.

    Why it matters: no server knows such a model; depending on the product the answer is 400,
    404 or a 503 that SDKs repeat.

    How to fix: set the id of a served model, spelled as GET /models has it.

    Fix safety: which model is meant only the user knows. With one served model it is that one;
    of several the first ones are tried as guesses.

    References: facts/gateway-clients.md §§1.3, 4.1; cases BR-103, BR-106.
    """
    found = await judged(f, Code.PLACEHOLDER)
    if found is None:
        return
    case, judgement = found
    unconfigured = case.asked is None
    refused = case.verdict in (Verdict.UNKNOWN, Verdict.NO_ROUTE, Verdict.UNNAMED)
    yield problem(
        _title(case, judgement.placeholder),
        _explanation(case, judgement.placeholder),
        evidence=evidence_of(case),
        changes=changes_to(Code.PLACEHOLDER, judgement),
        severity=Severity.WARNING if unconfigured else None,
        confidence=Confidence.HIGH if refused and not unconfigured else Confidence.MEDIUM,
    )


def _title(case: ModelCase, kind: Placeholder | None) -> Text:
    if kind is Placeholder.EMPTY:
        return _("The request names no model")
    if kind is Placeholder.INTERNAL:
        return _('The model "{model}" is an internal id, not a model\'s name', model=case.shown)
    return _('The model "{model}" is a placeholder', model=case.shown)


def _explanation(case: ModelCase, kind: Placeholder | None) -> Text:
    return _("{what} {served}", what=_what(case, kind), served=_served(case))


def _what(case: ModelCase, kind: Placeholder | None) -> Text:
    if kind is Placeholder.EMPTY and case.asked is None:
        return _("No source sets one, and the server asks for it: {message}.", message=_said(case))
    if kind is Placeholder.EMPTY:
        return _("{origin} is set and empty.", origin=case.origin)
    if kind is Placeholder.UNSET:
        return _("It is the text that an unset variable turns into ({origin}).", origin=case.origin)
    if kind is Placeholder.INTERNAL:
        return _(
            "The client sends an id of its own in place of the name, and the server answers:"
            " {message}.",
            message=_said(case),
        )
    if kind is Placeholder.STAND_IN:
        return _(
            "It stands for whatever model is loaded, which only some servers take. This one wants"
            " an id, and answers: {message}.",
            message=_said(case),
        )
    return _("It was to be replaced and was not ({origin}).", origin=case.origin)


def _said(case: ModelCase) -> str:
    return case.message.rstrip(". ")


def _served(case: ModelCase) -> Text:
    if case.served:
        return _("Served are: {ids}.", ids=listing(case.ids))
    return _("GET /models tells which ids are served.")
