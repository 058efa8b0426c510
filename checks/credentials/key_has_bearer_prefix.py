"""KVD105: a header's words ahead of the key."""

from __future__ import annotations

from collections.abc import AsyncIterator

from doctor.checkapi import (
    Change,
    DeclaredFacts,
    Finding,
    NotApplicable,
    Secret,
    SettingName,
    Severity,
    _,
    check,
    problem,
    visible,
)
from doctor.connection import AuthHeader

from ._key_text import before_comment, header_ahead, is_empty, is_url, without_header
from ._show import key_evidence, place, works_anyway
from ._sources import origin_of
from ._verdict import WANTS, key_verdict

CODE = "KVD105"


@check(
    code=CODE,
    slug="key-has-bearer-prefix",
    severity=Severity.ERROR,
    wants=WANTS,
    explains=("KVD111", "KVD114"),
)
async def key_has_bearer_prefix(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The key already holds "Bearer ", or a whole header.

    What it checks: whether the key in effect begins with `Bearer`, `Token`, `Authorization:` or
    `x-api-key:`, whatever the case.

    Why it matters: clients put `Bearer ` ahead of the key themselves, none of them takes one
    off: the server gets `Bearer Bearer …` and answers 401.

    How to fix: store the bare key.

    Fix safety: safe: what is taken off belongs to the header, not to the key.

    References: RFC 6750 section 2.1
    """
    setting = f.connection.key
    text = "" if setting is None else setting.value.reveal()
    if setting is None or is_empty(text):
        raise NotApplicable("there is no key")
    head = header_ahead(text)
    if not head or is_url(text) or before_comment(text) is not None:
        return
    verdict = await key_verdict(f)
    word = visible(head.strip(" \t:"), 40)
    if f.connection.auth.value is AuthHeader.BEARER:
        sent = _('The client adds "Bearer" itself, so that "Bearer {word} …" is sent', word=word)
    else:
        sent = _('The client sends "x-api-key: {word} …"', word=word)
    yield problem(
        _('The key begins with "{word}"', word=word),
        _(
            "{sent} and the server knows no such key. Only the key itself belongs in "
            "{place}.{anyway}",
            sent=sent,
            place=place(origin_of(setting)),
            anyway=works_anyway(verdict.let_through),
        ),
        evidence=(key_evidence(setting),),
        changes=(
            Change(
                CODE,
                SettingName.KEY,
                Secret(without_header(text)),
                _('take "{word}" off the key', word=word),
            ),
        ),
        severity=Severity.WARNING if verdict.let_through else None,
    )
