"""KVD505."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

from checks import _layers
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
    joined,
    problem,
)
from doctor.patterns import Pattern

# The wordings of one-api and new-api, old and new (facts/gateway-clients.md §1.3).
_CHINESE = Pattern(
    r"分组\s*(?P<group>[^\s]*)\s*下(?:对于)?模型\s*(?P<model>.*?)\s*(?:的可用渠道不存在|无可用渠道)"
)
_ENGLISH = Pattern(r"channel for model\s*(?P<model>\S*?)\s+under group\s+(?P<group>[^\s(]+)", re.I)


@check(
    code="KVD505",
    slug="model-without-route",
    severity=Severity.ERROR,
    hop=Hop.ROUTE,
    wants=(*MODEL_FACTS, *_layers.READS),
    explains=("KVD511",),
)
async def model_without_route(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The gateway has no channel behind it that serves this model to this key.

    What it checks: answers that say so ("无可用渠道", "No available channel"), and refusals of an
    id that the gateway's own list has. An id that the list lacks is this fault as well where the
    gateway says so, unless the list has one that is all but the same.

    Why it matters: the id is right and the key is good, so nothing in the client repairs it.
    new-api answers 503, which SDKs repeat as if it were a passing fault.

    How to fix: at the gateway, add the key's group to a channel that serves the model, or give
    the key a group that has one; where the route names an unknown upstream model, correct it.

    Fix safety: done by whoever runs the gateway. Another listed id of the very same model is
    tried as a guess.

    References: facts/gateway-clients.md §§1.3, 1.5; case BR-106.
    """
    found = await judged(f, Code.NO_ROUTE)
    if found is None:
        return
    case, judgement = found
    group, named = _read(case.message)
    direct = await _layers.asked_directly(f)
    yield problem(
        _title(case, group),
        joined(_explanation(case, judgement.listed, group, named), _layers.owner(direct)),
        evidence=(*evidence_of(case), *_layers.evidence(direct)),
        changes=changes_to(Code.NO_ROUTE, judgement),
        confidence=Confidence.HIGH if judgement.listed else Confidence.MEDIUM,
    )


def _read(message: str) -> tuple[str | None, str | None]:
    """The group and the model that the answer names; "" for one that it leaves out."""
    match = _CHINESE.search(message) or _ENGLISH.search(message)
    return (match["group"], match["model"]) if match else (None, None)


def _title(case: ModelCase, group: str | None) -> Text:
    if case.asked is None:
        if group:
            return _("The gateway has no channel for group {group}", group=group)
        return _("The gateway has no channel for the request")
    if case.verdict is Verdict.UNKNOWN:
        return _('The gateway lists "{model}", but its route leads nowhere', model=case.shown)
    if group:
        return _('No channel serves "{model}" to group {group}', model=case.shown, group=group)
    return _('No channel serves "{model}" to this key', model=case.shown)


def _explanation(case: ModelCase, listed: bool, group: str | None, named: str | None) -> Text:
    status = None if case.reply is None else case.reply.exchange.status
    seen = _("The answer is {status}: {message}.", status=status, message=case.message.rstrip(". "))
    return _("{seen} {meaning}", seen=seen, meaning=_meaning(case, listed, group, named))


def _meaning(case: ModelCase, listed: bool, group: str | None, named: str | None) -> Text:
    if named == "":
        return _(
            "It names the group {group} and no model: add the group to a channel at the gateway,"
            " and have the request carry a model.",
            group=group or "",
        )
    if case.verdict is Verdict.UNKNOWN:
        return _upstream(case)
    if listed and group:
        return _(
            "The models list has the id, so it is spelled right. At the gateway, add group"
            " {group} to a channel with this model, or give the key a group that has one.",
            group=group,
        )
    if listed:
        return _(
            "The models list has the id, so it is spelled right. At the gateway, a channel with"
            " this model has to be added or switched on for the group of this key."
        )
    if case.served:
        return _(
            "The models list of this key does not have the id either: {ids}. If it is spelled"
            " right, at the gateway a channel with this model has to serve group {group}.",
            ids=listing(case.ids),
            group=group or _("of this key"),
        )
    return _(
        "No models list was had, so it is not proved that the id is spelled right. If it is, at"
        " the gateway a channel with this model has to serve group {group}.",
        group=group or _("of this key"),
    )


def _upstream(case: ModelCase) -> Text:
    """The list is the gateway's, the refusal comes from behind it."""
    upstream = () if case.reply is None else case.reply.outcome.served
    if upstream:
        return _(
            "The id is in the gateway's list, so the refusal comes from behind it: the route has"
            " to name one of the models served there: {ids}.",
            ids=", ".join(upstream),
        )
    return _(
        "The id is in the gateway's list, so the refusal comes from behind it: likely the route"
        " names a model that its upstream does not serve."
    )
