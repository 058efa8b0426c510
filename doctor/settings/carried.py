"""Secrets that a setting carries along with something else: the login in the URL of a proxy, a key
in a query, a header of one's own."""

from __future__ import annotations

import json
import re
import urllib.parse
from collections.abc import Iterator, Mapping

from doctor.misplaced import is_key
from doctor.patterns import Pattern
from doctor.secrets import Secret
from doctor.settings.names import is_secret_name, looks_like_key

# With or without the scheme: proxies are often written without. The last @ ends the login.
_LOGIN = Pattern(r"(//)?([^\s/?#]{1,400})@[^\s@/]+")
_QUERY = Pattern(r"[?&]([^=&#\s]{1,100})=([^&#\s]{6,})")
_HEADER = Pattern(r"(?:^|[\n,])[ \t]{0,9}[\w\-]{1,99}[ \t]{0,9}[:=][ \t]*([^\n,]+)")
_LONG = 12
# Of one value; whatever is longer is no address and no list of headers.
_LIMIT = 8_192


def carried(name: str, value: str) -> Iterator[Secret]:
    """What in ``value`` of the variable or setting ``name`` has to stay hidden."""
    if looks_like_key(value) or _is_secret(name, value):
        yield Secret(value)
    value = value[:_LIMIT]
    if name.upper().endswith(("_HEADERS", "_HEADER")):
        yield from map(Secret, _of_headers(value))
    elif "@" in value or "?" in value:
        yield from map(Secret, _of_address(value))


def of_variables(variables: Mapping[str, str]) -> Iterator[Secret]:
    """The same for all variables of an environment."""
    for name, value in variables.items():
        yield from carried(name, value)


def of_address(url: str) -> Iterator[Secret]:
    """The same for an address. A key that stands in its place is one as well."""
    if is_key(url):
        yield Secret(url)
    yield from map(Secret, _of_address(url[:_LIMIT]))


def _is_secret(name: str, value: str) -> bool:
    # SORT_KEY=production is no secret, and hiding that word everywhere would help nobody.
    return is_secret_name(name) and len(value) >= _LONG and any(map(str.isdigit, value))


def _of_address(text: str) -> Iterator[str]:
    for match in _LOGIN.finditer(text):
        slashes, login = match.groups()
        # A name alone ahead of a host is a login only in a URL; else it is an address of mail.
        if slashes or ":" in login:
            yield from _of_login(login)
    for match in _QUERY.finditer(text):
        name, value = match.groups()
        if is_secret_name(name.replace("-", "_")) or _is_random(value):
            yield value
            yield urllib.parse.unquote(value)


def _of_login(login: str) -> Iterator[str]:
    """User and password as they are sent (Basic) and as they are written."""
    user, colon, password = login.partition(":")
    told = password if colon and password else user
    yield from (login, told)
    plain = urllib.parse.unquote(login)
    if plain != login:
        yield from (plain, urllib.parse.unquote(told))


def _is_random(value: str) -> bool:
    return len(value) >= _LONG and re.search(r"\d", value) is not None


def _of_headers(value: str) -> Iterator[str]:
    """``Name: value`` a line, ``Name=value`` behind commas, or JSON. Any may carry a credential,
    behind a scheme or bare."""
    try:
        known = json.loads(value)
    except (ValueError, RecursionError):
        known = None
    if isinstance(known, dict):
        texts = [text for text in known.values() if isinstance(text, str)]
    else:
        texts = [match.group(1) for match in _HEADER.finditer(value)]
    for text in texts:
        bare = text.strip()
        yield bare
        for part in re.split(r"[\s;=]+", bare):
            if _is_random(part):
                yield part
