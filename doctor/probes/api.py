"""The client's own requests: the models list, a completion, and the negative control."""

from __future__ import annotations

import dataclasses

from doctor.connection import Connection, Protocol
from doctor.facts import MODELS
from doctor.facts.answers import AuthControl, Exchange, ModelsReply, Outcome, OutcomeKind, Reply
from doctor.facts.store import Facts, Unavailable
from doctor.patterns import Pattern
from doctor.probes.classify import classify, classify_models
from doctor.probes.consent import require_consent
from doctor.probes.http import Answer, ProbeRequest
from doctor.probes.reading.errorbody import error_of
from doctor.probes.reading.jsontext import parse
from doctor.probes.reading.modelslist import models_in
from doctor.probes.way import Blocked, Way, blocked_reply, way_of
from doctor.probes.wire import Plan, completion_body, headers, key_of
from doctor.text import _
from doctor.token_usage import CUT, usage_of
from doctor.untrusted import visible

K = OutcomeKind

# Gateways list thousands of models; an exchange keeps only the beginning of the list.
_LIST_LIMIT = 4 * 1024 * 1024
_ANSWER_LIMIT = 1024 * 1024
_FAMILY = Pattern(r"(?:sk-ant-|sk-or-v1-|sk-proj-|(?:sk|cr|pk|gsk|xai|hf|fk|ak)[-_])")
_MADE_UP = "kvdoctor-negative-control"
_KEY_LOOKED_AT = frozenset({K.KEY_MISSING, K.KEY_REFUSED, K.PERMISSION, K.QUOTA})
_SLACK = 2


async def models(facts: Facts) -> ModelsReply:
    """``GET`` the models list with the client's key. Raises ``Unavailable``."""
    try:
        way = await way_of(facts)
    except Blocked as blocked:
        return ModelsReply(blocked_reply(facts, "models", "GET", blocked), None)
    require_consent(facts, way.endpoint.host)
    return await _listed(facts, way, key_of(facts))


async def completion(facts: Facts) -> Reply:
    """The client's request with a tiny prompt. Raises ``Unavailable``."""
    try:
        way = await way_of(facts)
    except Blocked as blocked:
        return blocked_reply(facts, "completion", "POST", blocked)
    require_consent(facts, way.endpoint.host)
    if facts.run.options.no_spend:
        raise Unavailable("--no-spend")
    connection = facts.connection
    plan = Plan.of(connection, await _model(facts))
    reply = await _completed(facts, way, plan)
    if _budget_is_unknown(connection, plan, reply.outcome):
        # The parameter is the doctor's; the client may never send it.
        newer = dataclasses.replace(plan, budget="max_completion_tokens")
        reply = await _completed(facts, way, newer)
    return reply


async def auth_control(facts: Facts) -> AuthControl:
    """The models list asked for with a made-up key. Raises ``Unavailable``."""
    real = await facts.get(MODELS)
    if real.reply.outcome.kind is not K.ANSWERED:
        raise Unavailable(_("the models list is not answered, so there is nothing to compare"))
    key = key_of(facts)
    if key is None:
        raise Unavailable(_("no key is sent, so there is nothing to compare"))
    try:
        way = await way_of(facts)
    except Blocked as blocked:
        raise Unavailable(str(blocked)) from None
    answer = await _list_asked_for(facts, way, made_up_key(key), "auth-control")
    status = answer.exchange.status
    if status in (401, 403):
        # The status says it all, so nobody need look for the meaning of the words.
        error = error_of(parse(answer.exchange.body))
        return AuthControl(True, status, visible(error.message, 1_000) if error else "")
    outcome = classify_models(answer.exchange, answer.text)
    return AuthControl(_refused(outcome), status, outcome.message)


def made_up_key(key: str) -> str:
    """A key of the same family that says of itself that it is none."""
    family = _FAMILY.match(key.strip())
    return (family.group(0) if family else "sk-") + _MADE_UP


def _refused(outcome: Outcome) -> bool | None:
    if outcome.kind in _KEY_LOOKED_AT:
        return True
    return False if outcome.kind is K.ANSWERED else None


async def _listed(facts: Facts, way: Way, key: str | None) -> ModelsReply:
    answer = await _list_asked_for(facts, way, key, "models")
    outcome = classify_models(answer.exchange, answer.text)
    if key is None:
        outcome = _without_key(outcome)
    served = models_in(parse(answer.text)) if outcome.kind is K.ANSWERED else None
    return ModelsReply(Reply(answer.exchange, outcome), served)


async def _list_asked_for(facts: Facts, way: Way, key: str | None, purpose: str) -> Answer:
    connection = facts.connection
    if purpose == "auth-control":
        # A good key beside the made-up one would get the list.
        connection = dataclasses.replace(connection, second_key=None)
    if way.endpoint.models_url is None:
        raise Unavailable(_("this client's API has no models list"))
    return await facts.run.requester.ask(
        ProbeRequest(
            purpose=purpose,
            method="GET",
            url=way.endpoint.models_url,
            headers=headers(connection, key=key, body=False),
            proxy=way.proxy,
            trust=way.trust,
            follow=_follows(connection),
            limit=_LIST_LIMIT,
        )
    )


async def _completed(facts: Facts, way: Way, plan: Plan) -> Reply:
    connection = facts.connection
    key = key_of(facts)
    answer = await facts.run.requester.ask(
        ProbeRequest(
            purpose="completion",
            method="POST",
            url=way.url,
            headers=headers(connection, key=key, body=True),
            body=completion_body(connection.protocol, plan, tools=_offers_tools(connection)),
            stream=plan.stream,
            max_tokens=plan.max_tokens,
            model=plan.model,
            proxy=way.proxy,
            trust=way.trust,
            billable=True,
            follow=_follows(connection),
            cancel_at_first=plan.cancel,
            limit=_ANSWER_LIMIT,
        )
    )
    reply = judged(answer, connection)
    if key is None:
        return Reply(reply.exchange, _without_key(reply.outcome))
    return reply


def judged(answer: Answer, connection: Connection) -> Reply:
    """The exchange with its meaning, as far as what only the doctor asked for is not at fault."""
    exchange = answer.exchange
    outcome = classify(exchange, connection.protocol, answer.text)
    if "json-unasked" in outcome.oddities and not connection.stream:
        # Only the doctor wanted a stream; the client gets this very answer.
        exchange = dataclasses.replace(exchange, streamed=False)
        outcome = classify(exchange, connection.protocol, answer.text)
    if connection.max_tokens is None and _doctors_budget_ended_it(exchange, outcome):
        outcome = dataclasses.replace(outcome, kind=K.ANSWERED)
    return Reply(exchange, outcome)


def _doctors_budget_ended_it(exchange: Exchange, outcome: Outcome) -> bool:
    """A model that thinks needs more than the doctor's few tokens before it says anything."""
    if outcome.kind is not K.CONTENT_EMPTY:
        return False
    if outcome.finish_reason in CUT:
        return True
    sent = exchange.request_max_tokens or 0
    used = usage_of(exchange).output
    written = len(exchange.events) if used is None else used
    return outcome.reasoning and written >= sent - _SLACK


def _budget_is_unknown(connection: Connection, plan: Plan, outcome: Outcome) -> bool:
    return (
        connection.protocol is Protocol.OPENAI_CHAT
        and connection.max_tokens is None
        and outcome.kind is K.PARAMETER_REFUSED
        and plan.budget == "max_tokens"
        and "max_tokens" in (outcome.param, *outcome.message.split("'"))
    )


def _without_key(outcome: Outcome) -> Outcome:
    """vLLM and newer new-api say the same to a wrong key and to none."""
    if outcome.kind is K.KEY_REFUSED:
        return dataclasses.replace(outcome, kind=K.KEY_MISSING)
    return outcome


async def _model(facts: Facts) -> str:
    """The configured model, or the only one that is served."""
    configured = facts.connection.model
    if configured is not None:
        return configured.value
    listed = (await facts.get(MODELS)).models
    if listed is not None and len(listed) == 1:
        return listed[0].id
    raise Unavailable(_("no model is configured"))


def _offers_tools(connection: Connection) -> bool:
    from doctor.clients import profile

    return profile(connection.client).tools


def _follows(connection: Connection) -> bool:
    from doctor.clients import profile

    return profile(connection.client).follows_redirects
