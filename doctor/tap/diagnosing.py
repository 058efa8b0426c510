"""What the exchanges mean: the checks of a run on what was really sent and answered."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from doctor import facts
from doctor.checkapi import Check
from doctor.clients import profile
from doctor.clients.base import ClientRefusal, endpoint_of
from doctor.clients.prediction import predict
from doctor.connection import AuthHeader, Connection, Origin, OriginKind, Setting
from doctor.engine import fold
from doctor.facts.answers import Exchange, Outcome, OutcomeKind, Reply
from doctor.facts.machine import Environment
from doctor.facts.network import Endpoint, TransportFault
from doctor.facts.prefixlog import PrefixLog
from doctor.facts.store import Fact
from doctor.models import CheckResult, Finding
from doctor.offline import Judged, judge
from doctor.records import dataclass
from doctor.secrets import Redactor, Secret
from doctor.tap.comparing import Difference, differences
from doctor.tap.preparing import Place, Prepared
from doctor.tap.record import Record
from doctor.text import _
from doctor.untrusted import visible

# As if the user had typed it: whoever chose it, it is no default that is known.
_AS_SENT = Origin(OriginKind.FLAG, _("as sent"))
_FINE = frozenset({OutcomeKind.ANSWERED, OutcomeKind.CONTENT_EMPTY})
# Of one listener so many different failures are looked into.
_MOST = 6


@dataclass(frozen=True, slots=True)
class Diagnosed:
    findings: tuple[Finding, ...]
    checks: tuple[CheckResult, ...]
    differences: tuple[Difference, ...]


async def diagnose(
    prepared: Prepared,
    records: Sequence[Record],
    log: PrefixLog | None,
    checks: Sequence[Check],
    redactor: Redactor,
) -> Diagnosed:
    """Findings about each listener's requests, and about the prompts of all."""
    judged: list[Judged] = []
    told: list[Difference] = []
    environment = prepared.scene.environment
    for place in prepared.places:
        mine = [record for record in records if record.place == place.lead.id]
        told += differences(place, mine, environment)
        for record in telling(mine):
            assert record.reply is not None, "one that tells"
            connection = as_sent(place.connection, record)
            endpoint = _endpoint(place.upstream.origin.url, connection, record)
            given = _given(place, prepared, record.reply, endpoint, mine)
            target = place.target or place.lead.id
            judged.append(await judge(checks, given, redactor, target, connection))
        reply = None if records else refused(place, environment, redactor)
        if reply is not None:
            endpoint = profile(place.connection.client).endpoint(place.connection)
            given = _given(place, prepared, reply, endpoint, ())
            target = place.target or place.lead.id
            judged.append(await judge(checks, given, redactor, target, place.connection))
    if log is not None:
        judged.append(await judge(checks, {facts.PREFIX_LOG: log}, redactor, "tap"))
    found = [finding for one in judged for finding in one.findings]
    results = [result for one in judged for result in one.checks]
    return Diagnosed(fold(_each_once(found)), tuple(results), tuple(told))


def telling(records: Sequence[Record]) -> list[Record]:
    """The requests to judge by: of each kind of failure that no retry mended the last one; where
    nothing failed, the last that was answered."""
    asked = [record for record in records if record.asks_model and record.reply is not None]
    mended = _mended(asked)
    failed: dict[tuple[OutcomeKind, int | None], Record] = {}
    fine: Record | None = None
    for record in asked:
        assert record.reply is not None, "only those with a meaning"
        kind = record.reply.outcome.kind
        if kind in _FINE:
            fine = record
        elif record.number not in mended and not record.reply.exchange.cancelled:
            failed[kind, record.status] = record
    if failed:
        return list(failed.values())[-_MOST:]
    return [] if fine is None else [fine]


def _mended(records: Iterable[Record]) -> set[int]:
    """The numbers of failed requests that were asked again later."""
    return {record.retry_of for record in records if record.retry_of is not None}


def refused(place: Place, environment: Environment, redactor: Redactor) -> Reply | None:
    """What stands for the request that the program itself refuses to send with these settings;
    None where nothing keeps it from sending, as far as is known."""
    if not place.target:
        return None
    prediction = predict(place.connection, environment)
    if prediction.refusal is None:
        return None
    endpoint = profile(place.connection.client).endpoint(place.connection)
    base = endpoint.url is None
    text = visible(redactor(prediction.refusal), 1_000)
    exchange = Exchange(
        purpose="tap",
        method="POST",
        url=visible(redactor(endpoint.url or place.connection.base_url.value), 500),
        status=None,
        fault=TransportFault.INVALID_URL if base else TransportFault.ILLEGAL_HEADER,
        fault_text=text,
    )
    return Reply(exchange, Outcome(OutcomeKind.TRANSPORT, message=text))


def _given(
    place: Place,
    prepared: Prepared,
    reply: Reply,
    endpoint: Endpoint,
    records: Sequence[Record],
) -> dict[Fact[Any], object]:
    given: dict[Fact[Any], object] = {
        facts.ENVIRONMENT: prepared.scene.environment,
        facts.SETTINGS: prepared.found.settings,
        facts.COMPLETION: reply,
        facts.ENDPOINT: endpoint,
    }
    if place.routes is not None:
        given[facts.PROXY_ROUTES] = place.routes
    listed = next((r.listed for r in reversed(records) if r.listed is not None), None)
    if listed is not None:
        given[facts.MODELS] = listed
    return given


def _endpoint(origin: str, connection: Connection, record: Record) -> Endpoint:
    models_url = profile(connection.client).endpoint(connection).models_url
    try:
        return endpoint_of(record.url, models_url)
    except ClientRefusal:
        # The target that was sent makes no URL; what is sure is where it went.
        return endpoint_of(origin, models_url)


def as_sent(connection: Connection, record: Record) -> Connection:
    """``connection`` with what the request really had. What is as configured keeps its origin."""
    assert record.protocol is not None, "a request that asks a model"
    made = replace(connection, protocol=record.protocol)
    if not record.understood:
        return _with_credentials(made, record)
    if record.model is None:
        made = replace(made, model=None)
    elif made.model is None or made.model.value != record.model:
        made = replace(made, model=Setting(record.model, _AS_SENT))
    if record.max_tokens is None:
        made = replace(made, max_tokens=None)
    elif made.max_tokens is None or made.max_tokens.value != record.max_tokens:
        made = replace(made, max_tokens=Setting(record.max_tokens, _AS_SENT))
    return _with_credentials(made, record)


def _with_credentials(connection: Connection, record: Record) -> Connection:
    sent = record.credentials
    order = (AuthHeader.BEARER, AuthHeader.X_API_KEY, AuthHeader.X_GOOG_API_KEY)
    used = [name for name in order if sent.get(name.value)]
    if connection.unsent is not None and connection.key is None and used:
        return connection  # a login's token: whose it is, is known from its file
    first = used[0] if used else None
    second = used[1] if len(used) > 1 else None
    auth = connection.auth
    if first is not None and auth.value is not first:
        auth = Setting(first, _AS_SENT)
    return replace(
        connection,
        key=None if first is None else _key(connection.key, _bare(sent[first.value]), connection),
        second_key=None
        if second is None
        else _key(connection.second_key, _bare(sent[second.value]), connection),
        auth=auth,
        unsent=None if used or connection.key is None else connection.unsent,
    )


def _bare(value: Secret) -> Secret:
    """The key in a field: one ``Bearer`` is the scheme, a second one is a part of the key."""
    text = value.reveal()
    scheme, blank, rest = text.partition(" ")
    return Secret(rest) if blank and scheme.lower() == "bearer" else value


def _key(
    configured: Setting[Secret] | None, sent: Secret, connection: Connection
) -> Setting[Secret]:
    if configured is not None:
        prepared = profile(connection.client).prepare_key(configured.value.reveal())
        if prepared in (sent.reveal(), sent.reveal().strip()):
            return configured
    return Setting(sent, _AS_SENT)


def _each_once(findings: Iterable[Finding]) -> list[Finding]:
    """One of each code and target."""
    return list({(finding.target, finding.code): finding for finding in findings}.values())
