"""What a client will put on the wire with the settings found, before anybody runs it."""

from __future__ import annotations

from doctor.clients import profile
from doctor.clients.surroundings import environment_of
from doctor.connection import AuthHeader, Connection, ProxyMode
from doctor.facts.machine import Environment
from doctor.proxyrules import CLIENT_STACKS, STACKS, Variables, explicit, route
from doctor.records import dataclass
from doctor.secrets import Secret

_AUTH = tuple(name.value for name in AuthHeader)


@dataclass(frozen=True, slots=True)
class Prediction:
    """One request as the client will send it.

    ``url`` is None where the client refuses the base or the key itself; ``refusal`` is then its
    text.
    ``auth`` maps the lower-case names of the headers that authenticate to their values; where a
    login or a helper is what it sends, the value is None. ``headers`` are the user's own.
    ``proxy`` is None for the direct way. ``max_tokens`` None: the client sends none.
    """

    url: str | None
    refusal: str | None
    auth: dict[str, Secret | None]
    headers: dict[str, Secret]
    model: str | None
    max_tokens: int | None
    proxy: str | None
    proxy_error: str | None = None


def predict(connection: Connection, environment: Environment) -> Prediction:
    """Never raises."""
    client = profile(connection.client)
    endpoint = client.endpoint(connection)
    own = {header.name.lower(): header.value for header in connection.headers}
    auth = _auth(connection)
    for name in _AUTH:
        if name in own:
            auth[name] = own.pop(name)
    proxy, error = None, None
    if endpoint.url is not None:
        stack = client.id if client.id in STACKS else CLIENT_STACKS.get(client.stack, client.stack)
        mode = connection.proxy.value
        if mode == ProxyMode.ENVIRONMENT:
            way = route(stack, endpoint, Variables(environment_of(connection, environment)))
            proxy, error = way.proxy, way.error
        elif mode != ProxyMode.DIRECT:
            way = explicit(stack, mode, connection.proxy.origin.name, True)
            proxy, error = way.proxy, way.error
    refusal = endpoint.refusal or _refusal(connection, auth)
    return Prediction(
        url=endpoint.url if refusal is None else None,
        refusal=refusal,
        auth=auth,
        headers=own,
        model=None if connection.model is None else connection.model.value,
        max_tokens=None if connection.max_tokens is None else connection.max_tokens.value,
        proxy=proxy,
        proxy_error=error,
    )


def _auth(connection: Connection) -> dict[str, Secret | None]:
    client = profile(connection.client)
    sent: dict[str, Secret | None] = {}
    name = connection.auth.value
    if connection.unsent is not None:
        sent[name.value] = None
    elif connection.key is not None:
        key = client.prepare_key(connection.key.value.reveal())
        if key:
            bearer = name is AuthHeader.BEARER
            sent[name.value] = Secret(f"Bearer {key}" if bearer else key)
    if connection.second_key is not None:
        second = client.prepare_key(connection.second_key.value.reveal())
        if second:
            sent[AuthHeader.X_API_KEY.value] = Secret(second)
    elif connection.second_unsent is not None:
        sent[AuthHeader.X_API_KEY.value] = None
    return sent


def _refusal(connection: Connection, auth: dict[str, Secret | None]) -> str | None:
    """The client's own words where it sends nothing because of its credential."""
    client = profile(connection.client)
    if not auth:
        return client.keyless_refusal
    keys = (connection.key, connection.second_key)
    told = (client.key_refusal(client.prepare_key(k.value.reveal())) for k in keys if k is not None)
    return next((text for text in told if text is not None), None)
