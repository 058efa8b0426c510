"""KVD103: quotes that became part of a key."""

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
    facts,
    problem,
)
from doctor.connection import AuthHeader, Connection, Setting
from doctor.facts.settings import Role, Settings

from ._env_files import lines_read, role_of
from ._key_text import before_comment, is_empty, is_url, quotes_around, split_ends, without_quotes
from ._show import key_evidence, name_of, place, works_anyway
from ._sources import origin_of
from ._verdict import WANTS, key_verdict

CODE = "KVD103"


@check(
    code=CODE,
    slug="key-in-quotes",
    severity=Severity.ERROR,
    wants=(facts.SETTINGS, *WANTS),
)
async def key_in_quotes(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """Quotes, straight or typographic, are part of the key.

    What it checks: both ends of the key in effect, and the keys in `.env` files as `docker
    --env-file` or compose read them, where one of these is known to read that file.

    Why it matters: `docker --env-file`, `set` in cmd and many input fields keep quotes; the
    server gets them as part of the key and answers 401. Typographic quotes cannot go into a
    header at all: Python fails with "'ascii' codec can't encode character".

    How to fix: write the value without quotes. python-dotenv, compose and shells read a line
    without quotes just as well.

    Fix safety: safe: no key begins or ends with a quote.

    References: https://docs.docker.com/reference/cli/docker/container/run/#env
    """
    setting = f.connection.key
    text = "" if setting is None else setting.value.reveal()
    if setting is not None and _has_quotes(text):
        verdict = await key_verdict(f)
        yield problem(
            _title(text),
            _(
                "{effect} The quotes stand in {place}.{anyway}",
                effect=_effect(text, f.connection),
                place=place(origin_of(setting)),
                anyway=works_anyway(verdict.let_through),
            ),
            evidence=(key_evidence(setting), *_characters(text, setting)),
            changes=(
                Change(
                    CODE,
                    SettingName.KEY,
                    Secret(without_quotes(text)),
                    _("take the quotes off the key"),
                ),
            ),
            severity=Severity.WARNING if verdict.let_through else None,
            explains=("KVD111", "KVD114"),
        )
    settings = await f.find(facts.SETTINGS)
    if settings is not None:
        for finding in _in_env_files(settings, text):
            yield finding


def _has_quotes(text: str) -> bool:
    if is_empty(text) or is_url(text) or before_comment(text) is not None:
        return False
    return quotes_around(text) != ("", "")


def _title(text: str) -> str:
    ahead, behind = quotes_around(text)
    if ahead and behind:
        return _("The key is in quotes that are part of it")
    if ahead:
        return _("The key begins with a quote")
    return _("The key ends in a quote")


def _effect(text: str, connection: Connection) -> str:
    quotes = "".join(quotes_around(text))
    foreign = next((char for char in quotes if not char.isascii()), None)
    if foreign is None:
        return _("The server gets the quotes as part of the key and knows no such key.")
    position = text.index(foreign)
    if connection.auth.value is AuthHeader.BEARER:
        position += len("Bearer ")
    return _(
        "No header can carry {name}: Python fails with \"'ascii' codec can't encode "
        'character" at position {n}, before anything is sent.',
        name=name_of(foreign),
        n=position,
    )


def _characters(text: str, setting: Setting[Secret]) -> tuple[Evidence, ...]:
    head, tail = quotes_around(text)
    start, core, _end = split_ends(text)
    where = str(origin_of(setting))
    found = []
    if head:
        at = _("{name} at position {n}", name=name_of(head[-1]), n=len(start) + len(head))
        found.append(Evidence(_("quote"), where, at))
    if tail:
        at = _("{name} at position {n}", name=name_of(tail[0]), n=len(start + core) - len(tail) + 1)
        found.append(Evidence(_("quote"), where, at))
    return tuple(found)


def _in_env_files(settings: Settings, in_effect: str) -> list[Finding]:
    """Keys that another program gets with their quotes. The one in effect is told above, so
    none of these is what breaks this connection."""
    findings = {}
    for read in lines_read(settings):
        if role_of(read.name) is not Role.KEY or not _has_quotes(read.value):
            continue
        if read.value != in_effect and read.where not in findings:
            findings[read.where] = problem(
                _(
                    "{reader} keeps the quotes around {name}",
                    reader=read.reader.value,
                    name=read.name,
                ),
                _(
                    "{reader} takes a value as it stands, so the program gets {name} with its "
                    "quotes and the server refuses it. In {where} write {name}= and the key, "
                    "without quotes: the other readers of the file take that as well.",
                    reader=read.reader.value,
                    name=read.name,
                    where=read.where,
                ),
                evidence=(Evidence(_("line"), read.where, Secret(read.value).described),),
                severity=Severity.WARNING,
            )
    return list(findings.values())
