"""What a client profile declares: how a program turns its settings into a request."""

from __future__ import annotations

import urllib.parse
from collections.abc import Callable
from dataclasses import field

from doctor.connection import AuthHeader, Connection, Protocol
from doctor.facts.network import Endpoint
from doctor.records import dataclass

# A client's own rule: base and path in, URL out; raises ClientRefusal.
JoinRule = Callable[[str, str], str]


# What stays of a model's name in a path: it is put there as a part of the text.
_MODEL_SAFE = "/:@!$&'()*+,;="


class ClientRefusal(Exception):
    """The client itself refuses a setting; the text is what its user sees."""


@dataclass(frozen=True, slots=True)
class ClientProfile:
    """One client program.

    ``paths`` is what it appends to the base per protocol, ``base_has_version`` whether its base
    must end in a version segment (facts/gateway-clients.md §3.0). ``stack`` is the HTTP library,
    which decides on proxies and TLS trust. ``prepare_key`` is what it does to a key before it is
    sent; ``key_refusal`` gives its own words where it sends nothing with such a key,
    ``keyless_refusal`` those where it has no credential at all (None: it asks without one).
    ``headers`` are those that a server may decide by. ``models_paths`` says where the list is for
    protocols that have it elsewhere than at ``models_path``. ``add_query`` puts the user's own
    parameters behind a URL.
    """

    id: str
    label: str
    stack: str
    paths: dict[Protocol, str]
    models_path: str | None
    base_has_version: bool
    join: JoinRule
    auth: AuthHeader = AuthHeader.BEARER
    prepare_key: Callable[[str], str] = field(default=lambda key: key)
    key_refusal: Callable[[str], str | None] = field(default=lambda key: None)
    keyless_refusal: str | None = None
    headers: dict[str, str] = field(default_factory=dict)
    default_base: str | None = None
    models_paths: dict[Protocol, str] = field(default_factory=dict)
    follows_redirects: bool = True
    tools: bool = False
    add_query: Callable[[str, tuple[tuple[str, str], ...]], str] = field(
        default=lambda url, query: (
            url + ("&" if "?" in url else "?") + urllib.parse.urlencode(query)
        )
    )

    def endpoint(self, connection: Connection) -> Endpoint:
        """Where the request of ``connection`` goes. Never raises."""
        base = connection.base_url.value
        try:
            path = self.paths[connection.protocol]
            if "{model}" in path:
                model = "" if connection.model is None else connection.model.value
                path = path.replace("{model}", urllib.parse.quote(model, safe=_MODEL_SAFE))
            url = self.asking(self.join(base, path), connection)
            models_url = None
            models_path = self.models_paths.get(connection.protocol, self.models_path)
            if models_path is not None:
                models_url = self.asking(self.join(base, models_path), connection)
            return endpoint_of(url, models_url)
        except ClientRefusal as refusal:
            return Endpoint(url=None, refusal=str(refusal))

    def asking(self, url: str, connection: Connection) -> str:
        """``url`` with what the user's settings add to every query."""
        return self.add_query(url, connection.query) if connection.query else url


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
