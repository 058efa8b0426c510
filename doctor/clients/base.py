"""What a client profile declares: how a program turns its settings into a request."""

from __future__ import annotations

import urllib.parse
from collections.abc import Callable
from dataclasses import field

from doctor.connection import AuthHeader, Connection, Protocol
from doctor.facts.observed import Endpoint
from doctor.records import dataclass

# A client's own rule: base and path in, URL out; raises ClientRefusal.
JoinRule = Callable[[str, str], str]


class ClientRefusal(Exception):
    """The client itself refuses a setting; the text is what its user sees."""


@dataclass(frozen=True, slots=True)
class ClientProfile:
    """One client program.

    ``paths`` is what it appends to the base per protocol, ``base_has_version`` whether its base
    must end in a version segment (facts/gateway-clients.md §3.0). ``stack`` is the HTTP library,
    which decides on proxies and TLS trust. ``prepare_key`` is what it does to a key before it is
    sent. ``headers`` are those that a server may decide by.
    """

    id: str
    label: str
    stack: str
    paths: dict[Protocol, str]
    models_path: str
    base_has_version: bool
    join: JoinRule
    auth: AuthHeader = AuthHeader.BEARER
    prepare_key: Callable[[str], str] = field(default=lambda key: key)
    headers: dict[str, str] = field(default_factory=dict)
    default_base: str | None = None
    follows_redirects: bool = True

    def endpoint(self, connection: Connection) -> Endpoint:
        """Where the request of ``connection`` goes. Never raises."""
        base = connection.base_url.value
        try:
            url = self.join(base, self.paths[connection.protocol])
            models_url = self.join(base, self.models_path)
            return endpoint_of(url, models_url)
        except ClientRefusal as refusal:
            return Endpoint(url=None, refusal=str(refusal))


def endpoint_of(url: str, models_url: str | None = None) -> Endpoint:
    """Take an absolute URL apart. Raises ``ClientRefusal`` where nobody could dial it."""
    try:
        parts = urllib.parse.urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ClientRefusal(f"Invalid URL: {error}") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ClientRefusal("Request URL is missing an 'http://' or 'https://' protocol.")
    return Endpoint(
        url=url,
        scheme=parts.scheme,
        host=parts.hostname,
        port=port or (443 if parts.scheme == "https" else 80),
        path=parts.path,
        models_url=models_url,
    )
