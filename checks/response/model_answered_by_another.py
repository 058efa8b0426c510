"""KVD504."""

from __future__ import annotations

from collections.abc import AsyncIterator

from doctor.checkapi import (
    DeclaredFacts,
    Evidence,
    Finding,
    Hop,
    NotApplicable,
    Severity,
    _,
    check,
    facts,
    problem,
    visible,
)
from doctor.facts.observed import OutcomeKind
from doctor.model_names import likeness, same_model


@check(
    code="KVD504",
    slug="model-answered-by-another",
    severity=Severity.WARNING,
    hop=Hop.ROUTE,
    needs=(facts.COMPLETION,),
    wants=(facts.MODELS,),
)
async def model_answered_by_another(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The answer calls itself another model than the one that was asked for.

    What it checks: the `model` field of an answer against the request. A date, a vendor, a
    path, a word for packing such as AWQ, and the expansion of an alias are the same model; a name
    that speaks of no model family promises none.

    Why it matters: quality, price, window and prefix cache are another model's, and nothing fails.

    How to fix: at the gateway, correct the route or the model mapping of that name. If the
    other model is what you want, ask for it by its id.

    Fix safety: done by whoever runs the gateway; the field itself can be rewritten by any hop.

    References: facts/gateway-clients.md §4.3 row 28.
    """
    reply = await f.get(facts.COMPLETION)
    asked, answered = reply.exchange.request_model, reply.outcome.model
    if reply.outcome.kind is not OutcomeKind.ANSWERED or not asked or not answered:
        raise NotApplicable("no answer names its model")
    listing = await f.find(facts.MODELS)
    served = listing.models if listing is not None and listing.models is not None else ()
    root = next((model.root for model in served if model.id == asked), None)
    if same_model(asked, answered) or (root is not None and likeness(root, answered)):
        return
    yield problem(
        _(
            'Asked for "{asked}", "{answered}" answered',
            asked=visible(asked),
            answered=visible(answered),
        ),
        _(
            "The answer's model field is {answered}. A route or a model mapping at the gateway"
            " likely sends {asked} there: correct it, or ask for {answered} by name.",
            asked=visible(asked),
            answered=visible(answered),
        ),
        evidence=(
            Evidence(_("request"), "model", visible(asked)),
            Evidence(_("answer"), "model", visible(answered)),
        ),
    )
