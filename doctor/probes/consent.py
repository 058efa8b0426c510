"""Whether a key may be sent where the settings say.

A file of the working folder may belong to a stranger's repository. It may not by itself choose
where a key goes that the user keeps elsewhere (DESIGN §6.4): not by an address, nor by a proxy or
a certificate authority that would let somebody read along. And no candidate repair may send a key
to a place that no setting names (DESIGN §6.1).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, TypeVar
from urllib.parse import urlsplit

from doctor.connection import Connection, Origin, OriginKind, ProxyMode, Setting
from doctor.context import Options
from doctor.facts.store import Facts, Unavailable
from doctor.records import dataclass
from doctor.secrets import Secret
from doctor.settings.providers import provider_for_host, provider_for_variable
from doctor.text import _
from doctor.untrusted import visible
from doctor.urls import is_local, is_loopback, keeps_destination, read

T = TypeVar("T")

_OWN_SOURCES = (OriginKind.ENVIRONMENT, OriginKind.FILE)


def require_consent(facts: Facts, host: str) -> None:
    """Raises ``Unavailable`` where the connection's key may not go to ``host``."""
    for connection in _each_key(facts.connection):
        _require(facts, connection, host)


def _each_key(connection: Connection) -> Iterator[Connection]:
    """The connection once for every credential that it sends."""
    yield connection
    own = (Setting(header.value, header.origin) for header in connection.headers)
    for key in (connection.second_key, *own):
        if key is not None:
            yield replace(connection, key=key)


def _require(facts: Facts, connection: Connection, host: str) -> None:
    if connection.key is None or not connection.key.value:
        return
    pair = _configured(connection)
    if pair is None:
        raise Unavailable(
            _("the key is not sent to {host}, which no setting names", host=visible(host, 200))
        )
    refused_by = refusal(connection, host, facts.run.options, facts.target)
    if refused_by is None:
        return
    raise Unavailable(
        _(
            "the key of {key} is not sent to {host}, which the project file {file} chose;"
            " --trust-project allows it",
            key=visible(pair.key.name or str(pair.key), 200),
            host=visible(host, 200),
            file=visible(refused_by.path or refused_by.name, 300),
        )
    )


def refusal(connection: Connection, host: str, options: Options, target: str) -> Origin | None:
    """The origin that chose ``host``, or the way there, without the right to; None where the key
    may be sent."""
    if connection.key is None or not connection.key.value:
        return None
    pair = _configured(connection)
    if pair is None:
        return origin_of(connection.base_url)
    if pair.key.project or pair.key.kind not in _OWN_SOURCES:
        return None
    if options.trust_project or target in options.named:
        return None
    return next(_strangers(connection, pair, host), None)


def origin_of(setting: Setting[Any]) -> Origin:
    """Where the value came from before any change was tried on it."""
    return _before_changes(setting)[1]


def _before_changes(setting: Setting[T]) -> tuple[T, Origin]:
    if setting.origin.kind is not OriginKind.CHANGE:
        return setting.value, setting.origin
    for shadow in setting.shadows:
        if shadow.origin.kind is not OriginKind.CHANGE:
            return shadow.value, shadow.origin
    return setting.value, setting.origin


@dataclass(frozen=True, slots=True)
class _Pair:
    """Where the user, or a stranger, wrote down the address and the key that belongs to it."""

    base: Origin
    key: Origin


def _configured(connection: Connection) -> _Pair | None:
    """None where the address was never written down: a change made it up."""
    assert connection.key is not None
    base, base_origin = _before_changes(connection.base_url)
    key, key_origin = _before_changes(connection.key)
    now = connection.base_url.value
    if now == base or _same_place(base, now):
        return _Pair(base_origin, key_origin)
    # Address and key in each other's place: then each was written where the other is due.
    if _same_place(_text(key), now):
        return _Pair(key_origin, base_origin)
    return None


def _text(value: str | Secret) -> str:
    return value.reveal() if isinstance(value, Secret) else value


def _same_place(old: str, new: str) -> bool:
    after = read(new).base
    # Down to http only where nobody beyond the own network could have taken the TLS away.
    return after is not None and keeps_destination(old, new, plain_proved=is_local(after.host))


def _strangers(connection: Connection, pair: _Pair, host: str) -> Iterator[Origin]:
    """The project files that decide who gets to see the key."""
    if pair.base.project and not is_loopback(host) and not _belongs(pair.key, host):
        yield pair.base
    proxy = origin_of(connection.proxy) if _leads_away(connection.proxy.value) else None
    stranger = proxy is not None and proxy.project
    if not connection.base_url.value.strip().lower().startswith("https:"):
        if proxy is not None and stranger:
            yield proxy
        return
    # In a tunnel a proxy sees no key, unless who chose it chose whom to trust as well.
    bundle = connection.ca_bundle
    if bundle is None or not bundle.value or not origin_of(bundle).project:
        return
    if stranger or not is_loopback(host):
        yield origin_of(bundle)


def _leads_away(proxy: str) -> bool:
    """Whether the setting names a proxy that is not on this machine."""
    if proxy in (ProxyMode.ENVIRONMENT.value, ProxyMode.DIRECT.value):
        return False
    return not is_loopback(urlsplit(proxy).hostname or "")


def _belongs(key: Origin, host: str) -> bool:
    """Whether the key's variable is named after the provider at ``host``."""
    mine = provider_for_variable(key.name)
    theirs = provider_for_host(host)
    return mine is not None and theirs is not None and mine.id == theirs.id
