"""The credentials in a request as it was sent: learnt by the redactor first, shown masked."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import parse_qsl, urlsplit

from doctor.connection import AuthHeader
from doctor.patterns import Pattern
from doctor.secrets import Redactor, Secret
from doctor.tap.heads import Head
from doctor.text import joined
from doctor.untrusted import visible

_AUTH = frozenset(name.value for name in AuthHeader)
# Fields that let somebody in, whatever a program calls them.
_SENSITIVE = Pattern(
    r"auth|cookie|token(?!s)|secret|password|signature|credential|api-?key|-key$", re.I
)
_SCHEME = Pattern(r"(?:Bearer|Basic|Token)\s+", re.I)
_SHOWN = 500


def text_of(value: bytes) -> str:
    """A field's value as text; some programs send UTF-8, the standard says Latin-1."""
    try:
        return value.decode("utf-8")
    except UnicodeDecodeError:
        return value.decode("latin-1")


def is_sensitive(name: str) -> bool:
    return _SENSITIVE.search(name) is not None


def credentials(head: Head) -> dict[str, Secret]:
    """What authenticates, by the lower-case names of the fields; the last of a name counts."""
    found: dict[str, Secret] = {}
    for name, value in head.fields:
        lower = name.decode("latin-1").strip().lower()
        if lower in _AUTH:
            found[lower] = Secret(text_of(value))
    return found


def learn(redactor: Redactor, head: Head) -> None:
    """Make ``redactor`` know every secret of ``head``, so that nothing that is kept has one."""
    for value in _secrets(head):
        redactor.learn(value)


def _secrets(head: Head) -> Iterator[str]:
    for name, value in head.fields:
        if is_sensitive(name.decode("latin-1")):
            text = text_of(value)
            yield text
            scheme = _SCHEME.match(text)
            if scheme is not None:
                yield text[scheme.end() :]
    try:
        query = urlsplit(head.target).query
    except ValueError:
        return
    for key, held in parse_qsl(query):
        if key.lower() == "key" or is_sensitive(key):
            yield held


def shown(head: Head, redactor: Redactor) -> tuple[tuple[str, str], ...]:
    """Names and values in their order, without secrets and harmless."""
    return tuple(
        (visible(name.decode("latin-1"), 200), _value(name, value, redactor))
        for name, value in head.fields
    )


def _value(name: bytes, value: bytes, redactor: Redactor) -> str:
    text = text_of(value)
    if not is_sensitive(name.decode("latin-1")):
        return visible(redactor(text), _SHOWN)
    scheme = _SCHEME.match(text)
    before = "" if scheme is None else text[: scheme.end()]
    described = Secret(text[len(before) :]).described
    return joined(visible(before.strip()), visible(described))
