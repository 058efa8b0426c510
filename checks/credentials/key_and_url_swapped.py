"""KVD112: key and URL in each other's place."""

from __future__ import annotations

from collections.abc import AsyncIterator

from doctor.checkapi import (
    Change,
    DeclaredFacts,
    Evidence,
    Finding,
    Secret,
    SettingName,
    Severity,
    _,
    check,
    problem,
    visible,
)
from doctor.connection import Connection
from doctor.misplaced import is_key

from ._key_text import body, is_url
from ._show import place
from ._sources import origin_of

CODE = "KVD112"


@check(
    code=CODE,
    slug="key-and-url-swapped",
    severity=Severity.ERROR,
    explains=(
        "KVD101",
        "KVD102",
        "KVD105",
        "KVD106",
        "KVD108",
        "KVD111",
        "KVD114",
        "KVD201",
        "KVD204",
        "KVD205",
        "KVD206",
        "KVD209",
        "KVD310",
    ),
)
async def key_and_url_swapped(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The key holds a URL, the base URL holds a key, or both.

    What it checks: the shapes of the two values: `http://` or `https://` ahead of one, a key's
    prefix, or a long run of letters and digits, in the other.

    Why it matters: no client can make a URL of a key ("Request URL is missing an 'http://' or
    'https://' protocol"), and a URL sent as key is refused. A key in the place of the URL also
    ends up in logs and error messages.

    How to fix: exchange the two values.

    Fix safety: safe where both are exchanged: no value is made up, and the key goes to the host
    that was configured with it. Where only one is wrong, the other value is not known and
    nothing is changed.

    References: none.
    """
    connection = f.connection
    key = "" if connection.key is None else body(connection.key.value.reveal())
    base = body(connection.base_url.value)
    url_in_key, key_in_url = is_url(key), is_key(connection.base_url.value, key)
    if url_in_key and key_in_url:
        yield problem(
            _("Key and base URL are in each other's place"),
            _(
                "{key} holds the URL {url}, and {base} holds what looks like the key. Exchange "
                "the two.",
                key=_key_place(connection),
                url=visible(key, 120),
                base=place(origin_of(connection.base_url)),
            ),
            evidence=_evidence(connection, base),
            changes=(
                Change(CODE, SettingName.BASE_URL, key, _("put the URL in its place")),
                Change(CODE, SettingName.KEY, Secret(base), _("put the key in its place")),
            ),
        )
    elif url_in_key:
        yield problem(
            _("The key is a URL"),
            _(
                "{key} holds {url}. Put the key there; the base URL is {base}.",
                key=_key_place(connection),
                url=visible(key, 120),
                base=visible(connection.base_url.value, 120),
            ),
            evidence=_evidence(connection, None),
        )
    elif key_in_url:
        yield problem(
            _("The base URL is a key"),
            _(
                "{base} holds what looks like a key. Put the URL of the API there, the key where "
                "the client looks for it, and make a new key if this one got into a log.",
                base=place(origin_of(connection.base_url)),
            ),
            evidence=_evidence(connection, base),
        )


def _key_place(connection: Connection) -> str:
    return _("the key") if connection.key is None else place(origin_of(connection.key))


def _evidence(connection: Connection, base: str | None) -> tuple[Evidence, ...]:
    shown = visible(connection.base_url.value, 200) if base is None else Secret(base).described
    found = [Evidence(_("base URL"), str(origin_of(connection.base_url)), shown)]
    if connection.key is not None:
        text = visible(connection.key.value.reveal(), 200)
        value = text if is_url(text) else connection.key.value.described
        found.append(Evidence(_("key"), str(origin_of(connection.key)), value))
    return tuple(found)
