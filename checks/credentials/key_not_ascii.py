"""KVD104: characters beyond ASCII in a key."""

from __future__ import annotations

import unicodedata
from collections.abc import AsyncIterator

from doctor.checkapi import (
    Change,
    DeclaredFacts,
    Evidence,
    Finding,
    NotApplicable,
    Secret,
    SettingName,
    Severity,
    _,
    check,
    problem,
)
from doctor.connection import AuthHeader, Connection

from ._ascii import Reading, first_foreign, mostly_ascii, readings
from ._key_text import BLANKS, before_comment, is_empty, is_url, quotes_around
from ._placeholder import is_placeholder
from ._show import key_evidence, name_of, place, works_anyway
from ._sources import origin_of
from ._verdict import WANTS, key_verdict

CODE = "KVD104"


@check(
    code=CODE,
    slug="key-not-ascii",
    severity=Severity.ERROR,
    wants=WANTS,
    explains=("KVD111", "KVD114"),
)
async def key_not_ascii(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The key holds a character that a header cannot carry.

    What it checks: characters beyond ASCII in the key in effect: byte order mark, zero-width
    and no-break blanks, full-width letters, typographic dashes, look-alike letters, notes in
    another script.

    Why it matters: most of them cannot be seen. Python fails with "'ascii' codec can't encode
    character" before anything is sent, Node with "Cannot convert argument to a ByteString",
    Claude Code with "Invalid auth token". The locale has nothing to do with it.

    How to fix: copy the key again as plain text, or write the cleaned one that is shown.

    Fix safety: taking out invisible characters and a note behind a blank is safe. Replacing a
    look-alike by its ASCII twin is a guess, tried with a request. Words of a language are not
    guessed at.

    References: RFC 9110 section 5.5
    """
    setting = f.connection.key
    text = "" if setting is None else setting.value.reveal()
    if setting is None or is_empty(text):
        raise NotApplicable("there is no key")
    inner = _without_quotes_around(text)
    foreign = first_foreign(inner)
    if foreign is None or is_url(text) or is_placeholder(text):
        return
    if before_comment(text) is not None:
        return
    verdict = await key_verdict(f)
    char = foreign[1]
    at = text.index(char)
    found = readings(text)
    yield problem(
        _title(inner, char, found),
        _(
            "{effect} {meaning}{anyway}",
            effect=_effect(f.connection, char, at, len(text)),
            meaning=_meaning(found, mostly_ascii(inner), place(origin_of(setting))),
            anyway=works_anyway(verdict.let_through),
        ),
        evidence=(
            key_evidence(setting),
            Evidence(
                _("character"),
                str(origin_of(setting)),
                _(
                    "{name} at position {n} of {length}",
                    name=_name(char),
                    n=at + 1,
                    length=len(text),
                ),
            ),
        ),
        changes=tuple(_change(reading, rank) for rank, reading in enumerate(found)),
        severity=Severity.WARNING if verdict.let_through else None,
    )


def _without_quotes_around(text: str) -> str:
    """Typographic quotes at the ends are KVD103's."""
    head, tail = quotes_around(text)
    core = text.strip(BLANKS)
    return core[len(head) : len(core) - len(tail)] if head or tail else text


def _name(char: str) -> str:
    if unicodedata.category(char).startswith("L"):
        return _("{char} (U+{code})", char=char, code=f"{ord(char):04X}")
    return name_of(char)


def _title(inner: str, char: str, found: tuple[Reading, ...]) -> str:
    if not found and not mostly_ascii(inner):
        return _("The key is a text that no header can carry")
    if found and found[0].certain and len(inner.split()) > 1:
        return _("A note stands behind the key and is part of it")
    return _("The key holds {name}", name=_name(char))


def _effect(connection: Connection, char: str, at: int, length: int) -> str:
    if ord(char) < 256:
        return _(
            "{name} is character {n} of {length}. Python cannot send it (\"'ascii' codec can't "
            'encode character", position {python}); Node sends it, and the server knows no such '
            "key.",
            name=_name(char),
            n=at + 1,
            length=length,
            python=_python_position(connection, at),
        )
    return _(
        "{name} is character {n} of {length}. No header can carry it: Python fails with "
        "\"'ascii' codec can't encode character\" at position {python}, Node with \"Cannot "
        'convert argument to a ByteString".',
        name=_name(char),
        n=at + 1,
        length=length,
        python=_python_position(connection, at),
    )


def _python_position(connection: Connection, at: int) -> int:
    """Python counts from 0 and takes the whole header, "Bearer " and all."""
    return at + (len("Bearer ") if connection.auth.value is AuthHeader.BEARER else 0)


def _meaning(found: tuple[Reading, ...], readable: bool, where: str) -> str:
    if not found and readable:
        return _("What it stands for cannot be told: copy the key to {place} again.", place=where)
    if not found:
        return _("What stands in {place} is likely a placeholder or another text.", place=where)
    if found[0].certain:
        return _("In {place} keep the key and nothing else.", place=where)
    return _(
        "It was likely put there by a keyboard or a text program in place of its ASCII twin, or "
        "copied along. What the key reads like without it is tried; else copy it again to "
        "{place}.",
        place=where,
    )


def _change(reading: Reading, rank: int) -> Change:
    return Change(
        CODE,
        SettingName.KEY,
        Secret(reading.text),
        _("reduce the key to its ASCII characters"),
        guess=not reading.certain,
        rank=rank,
    )
