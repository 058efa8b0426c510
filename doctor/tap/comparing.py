"""What was predicted of a program's requests against what it sent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

from doctor.clients.prediction import predict
from doctor.facts.machine import Environment
from doctor.records import dataclass
from doctor.secrets import Secret
from doctor.tap.preparing import Place
from doctor.tap.record import Record
from doctor.untrusted import visible


@dataclass(frozen=True, slots=True)
class Difference:
    """``what`` is url, authorization, x-api-key, …, model or max_tokens. The texts are masked."""

    place: str
    what: str
    predicted: str
    sent: str


def differences(
    place: Place, records: Sequence[Record], environment: Environment
) -> Iterator[Difference]:
    """Where none of the requests that ask a model is as predicted.

    A program may ask a second model for titles and the like, so one that agrees is enough.
    """
    asked = [record for record in records if record.asks_model]
    if place.lead.connection is None or not asked:
        return
    prediction = predict(place.lead.connection, environment)
    if prediction.url is None:
        refusal = prediction.refusal or ""
        yield Difference(place.lead.id, "url", visible(refusal, 300), asked[0].url)
        return
    if prediction.url not in {record.url for record in asked}:
        nearest = min(asked, key=lambda record: _path(record.url) != _path(prediction.url or ""))
        yield Difference(place.lead.id, "url", visible(prediction.url, 500), nearest.url)
    for name, value in prediction.auth.items():
        if value is None:
            continue  # a login's token, which no prediction holds
        sent = {record.credentials.get(name) for record in asked}
        if value not in sent:
            yield Difference(place.lead.id, name, _masked(value), _masked(next(iter(sent))))
    for name in {name for record in asked for name in record.credentials} - {*prediction.auth}:
        one = next(r.credentials[name] for r in asked if name in r.credentials)
        yield Difference(place.lead.id, name, "-", _masked(one))
    asked = [record for record in asked if record.understood]
    if not asked:
        return  # packed in a way that is not read here
    models = {record.model for record in asked}
    if prediction.model is not None and visible(prediction.model, 300) not in models:
        sent_models = ", ".join(sorted(filter(None, models))) or "-"
        yield Difference(place.lead.id, "model", visible(prediction.model, 300), sent_models)
    limits = {record.max_tokens for record in asked}
    if prediction.max_tokens is not None and prediction.max_tokens not in limits:
        told = ", ".join(sorted("-" if n is None else str(n) for n in limits))
        yield Difference(place.lead.id, "max_tokens", str(prediction.max_tokens), told)


def _path(url: str) -> str:
    try:
        return urlsplit(url).path
    except ValueError:
        return url


def _masked(value: Secret | None) -> str:
    return "-" if value is None else visible(value.described)
