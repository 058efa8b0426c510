"""KVD504."""

from __future__ import annotations

from collections.abc import AsyncIterator

from checks import _layers
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
from doctor.facts.answers import OutcomeKind
from doctor.model_names import likeness, same_model, served_as
from doctor.model_placeholders import Placeholder, placeholder


@check(
    code="KVD504",
    slug="model-answered-by-another",
    severity=Severity.WARNING,
    hop=Hop.ROUTE,
    needs=(facts.COMPLETION,),
    wants=(facts.MODELS, *_layers.READS),
)
async def model_answered_by_another(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The answer calls itself another model than the one that was asked for.

    What it checks: the `model` field of an answer against the request. A date, a vendor, a
    path, a word for packing such as AWQ, and the expansion of an alias are the same model; a name
    that speaks of no model family promises none, unless it is a text that a guide left to be
    replaced. Nor is the model of the engine that kvdoctor.toml
    names for the target another one.

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
    roots = {model.id: model.root for model in served}
    root = roots.get(asked)
    # A text of a guide is no alias that somebody gave a model.
    made_up = placeholder(asked) is Placeholder.TEMPLATE and served_as(asked, roots) is None
    alike = bool(likeness(asked, answered)) if made_up else same_model(asked, answered)
    if alike or (root is not None and likeness(root, answered)):
        return
    if root is not None and roots.get(answered) == root:
        return  # two names that an engine gives to the same weights
    direct = await _layers.asked_directly(f)
    own = direct.reply.outcome.model if direct is not None else None
    if own is not None and same_model(own, answered):
        # The gateway's name for the very engine that the user named.
        return
    yield problem(
        _(
            'Asked for "{asked}", "{answered}" answered',
            asked=visible(asked),
            answered=visible(answered),
        ),
        _(
            "The answer's model field is {answered}. {asked} is a text of a guide, which this"
            " server takes for whatever it has loaded. Ask for {answered} by name.",
            asked=visible(asked),
            answered=visible(answered),
        )
        if made_up
        else _(
            "The answer's model field is {answered}. A route or a model mapping at the gateway"
            " likely sends {asked} there: correct it, or ask for {answered} by name.",
            asked=visible(asked),
            answered=visible(answered),
        )
        if own is None
        else _(
            "The answer's model field is {answered}, and the engine that kvdoctor.toml names for"
            " this target calls itself {own}: the gateway's route leads to another one.",
            answered=visible(answered),
            own=visible(own),
        ),
        evidence=(
            Evidence(_("request"), "model", visible(asked)),
            Evidence(_("answer"), "model", visible(answered)),
            *_layers.evidence(direct),
        ),
    )
