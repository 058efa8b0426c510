"""What the settings files here lend to an address that is typed: the key that they hold for it."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable

from doctor.connection import OriginKind
from doctor.settings.building import ANTHROPIC_SDK, OPENAI_SDK, host_of, provider_of
from doctor.settings.candidates import Candidate
from doctor.settings.providers import providers_for_key_shape

# Other clients have logins and rules of their own: their user names them.
_SDKS = frozenset({OPENAI_SDK, ANTHROPIC_SDK})


def with_key_of_files(typed: Candidate, known: Iterable[Candidate]) -> Candidate:
    """``typed``, which has no key, with the one that a file has for the same scheme, host and port.

    Only where all that files say of that address agree on one. A key from elsewhere that a file
    names by its variable stays where its shape says that it belongs.
    """
    url = typed.connection.base_url.value
    there = host_of(url)
    lenders = [c for c in known if there is not None and _lends(c) and _host(c) == there]
    lenders = [c for c in lenders if _may_go(c, url)]
    keys = {c.connection.key.value for c in lenders if c.connection.key is not None}
    if len(keys) != 1:
        return typed
    own, lent = typed.connection, lenders[0].connection
    models = {c.connection.model.value for c in lenders if c.connection.model is not None}
    made = dataclasses.replace(
        own,
        key=lent.key,
        model=own.model or (lent.model if len(models) == 1 else None),
        max_tokens=own.max_tokens or (lent.max_tokens if len(models) == 1 else None),
    )
    return dataclasses.replace(
        typed, connection=made, origins=typed.origins.union(*(c.origins for c in lenders))
    )


def _lends(candidate: Candidate) -> bool:
    made = candidate.connection
    return (
        made.client in _SDKS
        and made.key is not None
        and made.base_url.origin.kind is OriginKind.FILE
        and not candidate.elsewhere
    )


def _host(candidate: Candidate) -> tuple[str, str, int] | None:
    return host_of(candidate.connection.base_url.value)


def _may_go(candidate: Candidate, url: str) -> bool:
    key, base = candidate.connection.key, candidate.connection.base_url
    if key is None or key.origin.path == base.origin.path:
        return True
    owners = providers_for_key_shape(key.value.reveal())
    return not owners or provider_of(url) in owners
