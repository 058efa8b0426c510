"""Whether a key may be sent where the settings say.

A file of the working folder may belong to a stranger's repository. It may not by itself choose
where a key goes that the user keeps elsewhere (DESIGN §6.4).
"""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from doctor.connection import Connection, Origin, OriginKind, ProxyMode, Setting
from doctor.context import Options
from doctor.facts.store import Facts, Unavailable
from doctor.settings.providers import provider_for_host, provider_for_variable
from doctor.text import _
from doctor.untrusted import visible
from doctor.urls import is_loopback

_OWN_SOURCES = (OriginKind.ENVIRONMENT, OriginKind.FILE)


def require_consent(facts: Facts, host: str) -> None:
    """Raises ``Unavailable`` where the connection's key may not go to ``host``."""
    refused_by = refusal(facts.connection, host, facts.run.options, facts.target)
    if refused_by is None:
        return
    setting = facts.connection.key
    assert setting is not None
    raise Unavailable(
        _(
            "the key of {key} is not sent to {host}, which the project file {file} chose;"
            " --trust-project allows it",
            key=visible(origin_of(setting).name or str(origin_of(setting)), 200),
            host=visible(host, 200),
            file=visible(refused_by.path or refused_by.name, 300),
        )
    )


def refusal(connection: Connection, host: str, options: Options, target: str) -> Origin | None:
    """The origin that chose ``host`` without the right to; None where the key may be sent."""
    setting = connection.key
    if setting is None or not setting.value:
        return None
    key = origin_of(setting)
    if key.project or key.kind not in _OWN_SOURCES:
        return None
    chooser = _chooser(connection)
    if chooser is None or options.trust_project or target in options.named:
        return None
    if chooser is origin_of(connection.base_url) and (is_loopback(host) or _belongs(key, host)):
        return None
    return chooser


def origin_of(setting: Setting[Any]) -> Origin:
    """Where the value came from before any change was tried on it: no change alters a host."""
    if setting.origin.kind is not OriginKind.CHANGE:
        return setting.origin
    before = (shadow.origin for shadow in setting.shadows)
    return next((o for o in before if o.kind is not OriginKind.CHANGE), setting.origin)


def _chooser(connection: Connection) -> Origin | None:
    """The project file that decides who gets to see the key."""
    base = origin_of(connection.base_url)
    if base.project:
        return base
    proxy = connection.proxy
    names_one = proxy.value not in (ProxyMode.ENVIRONMENT.value, ProxyMode.DIRECT.value)
    in_the_clear = connection.base_url.value.strip().lower().startswith("http://")
    if names_one and in_the_clear and origin_of(proxy).project:
        host = urlsplit(proxy.value).hostname or ""
        return None if is_loopback(host) else origin_of(proxy)
    return None


def _belongs(key: Origin, host: str) -> bool:
    """Whether the key's variable is named after the provider at ``host``."""
    mine = provider_for_variable(key.name)
    theirs = provider_for_host(host)
    return mine is not None and theirs is not None and mine.id == theirs.id
