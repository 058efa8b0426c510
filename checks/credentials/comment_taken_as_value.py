"""KVD107: an inline comment that became a value."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator

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
    visible,
)
from doctor.connection import Connection, Origin, OriginKind
from doctor.facts.answers import ModelsReply
from doctor.facts.machine import Environment
from doctor.facts.settings import Role, Settings
from doctor.records import dataclass

from ._env_files import lines_read, role_of
from ._key_text import before_comment
from ._place import is_local
from ._show import host_of, place, shown
from ._sources import key_beside_base_url, origin_of

CODE = "KVD107"
_MOST_MODELS = 3
# What follows where the value is the one in effect, or the only one that was meant to be.
_CONSEQUENCES = {
    Role.KEY: ("KVD101", "KVD102", "KVD104", "KVD106", "KVD111", "KVD114"),
    Role.BASE_URL: ("KVD201", "KVD205", "KVD206", "KVD210"),
    Role.MODEL: ("KVD501", "KVD502", "KVD503", "KVD505", "KVD506"),
}
_NAMES = {
    Role.KEY: SettingName.KEY,
    Role.BASE_URL: SettingName.BASE_URL,
    Role.MODEL: SettingName.MODEL,
}


@dataclass(frozen=True, slots=True)
class _Value:
    """A value with a comment in it. ``meant`` is what stands ahead of the comment."""

    role: Role
    name: str
    text: str
    meant: str
    origin: Origin
    reader: str | None = None


@check(
    code=CODE,
    slug="comment-taken-as-value",
    severity=Severity.ERROR,
    wants=(facts.ENVIRONMENT, facts.SETTINGS, facts.MODELS),
)
async def comment_taken_as_value(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """An inline comment of an env file became part of a key, a URL or a model id, or all of it.

    What it checks: key, base URL and model in effect, the variables of the environment whose
    names end in `_API_KEY`, `_BASE_URL`, `_MODEL` and the like, and such lines of `.env` files
    as docker or compose read them where one of these is known to read that file.

    Why it matters: readers differ. `docker --env-file` takes everything behind `=`; compose
    drops a comment only behind a blank, so that of `NAME=   # optional` the comment becomes the
    value. The comment is then sent as model or as key.

    How to fix: put the comment on a line of its own.

    Fix safety: what stands ahead of the comment is what other readers take, so it is safe.
    Where nothing does, the value was meant to be empty: what to use instead is a guess, tried
    with a request.

    References: https://docs.docker.com/compose/how-tos/environment-variables/env-file/
    """
    connection = f.connection
    told: set[str] = set()
    for value in _in_effect(connection):
        told.add(_variable(value.name))
        models: ModelsReply | None = None
        if value.role is Role.MODEL:
            models = await f.find(facts.MODELS)
        yield _finding(value, _changes(value, connection, models), None)
    environment = await f.find(facts.ENVIRONMENT)
    settings = await f.find(facts.SETTINGS)
    for value in (*_in_environment(environment), *_in_files(settings)):
        if _variable(value.name) not in told:
            told.add(_variable(value.name))
            yield _finding(value, (), _severity(value, connection))


def _in_effect(connection: Connection) -> Iterator[_Value]:
    key, model = connection.key, connection.model
    base = connection.base_url
    texts = [(Role.BASE_URL, base.value, origin_of(base))]
    if key is not None:
        texts.insert(0, (Role.KEY, key.value.reveal(), origin_of(key)))
    if model is not None:
        texts.append((Role.MODEL, model.value, origin_of(model)))
    for role, text, origin in texts:
        meant = before_comment(text)
        if meant is not None:
            yield _Value(role, origin.name, text, meant, origin)


def _in_environment(environment: Environment | None) -> Iterator[_Value]:
    if environment is None:
        return
    for name, text in environment.variables.items():
        role, meant = role_of(name), before_comment(text)
        if role is not None and meant is not None:
            yield _Value(role, name, text, meant, Origin(OriginKind.ENVIRONMENT, name))


def _in_files(settings: Settings | None) -> Iterator[_Value]:
    if settings is None:
        return
    for read in lines_read(settings):
        role, meant = role_of(read.name), before_comment(read.value)
        if role is not None and meant is not None:
            origin = Origin(
                OriginKind.FILE, read.name, read.file.path, read.line.number, read.file.project
            )
            yield _Value(role, read.name, read.value, meant, origin, read.reader.value)


def _severity(value: _Value, connection: Connection) -> Severity | None:
    """A value that this connection does not use breaks it only where it has none of its own."""
    lacking = {
        Role.KEY: connection.key is None,
        Role.BASE_URL: connection.base_url.origin.kind is OriginKind.DEFAULT,
        Role.MODEL: connection.model is None,
    }
    return None if lacking[value.role] else Severity.WARNING


def _finding(value: _Value, changes: tuple[Change, ...], severity: Severity | None) -> Finding:
    return problem(
        _title(value),
        _explain(value),
        evidence=(Evidence(_words(value.role), str(value.origin), _safe(value)),),
        changes=changes,
        severity=severity,
        explains=_CONSEQUENCES[value.role] if severity is None else (),
    )


def _title(value: _Value) -> str:
    if not value.meant:
        return _("{name} holds a comment in place of a value", name=value.name)
    return _("A comment is part of {name}", name=value.name)


def _explain(value: _Value) -> str:
    where = place(value.origin)
    taken = (
        _(
            "{reader} takes the comment in {place} for part of the value.",
            reader=value.reader,
            place=where,
        )
        if value.reader
        else _("The comment in {place} was taken for part of the value.", place=where)
    )
    if not value.meant:
        return _(
            "{taken} Nothing stands ahead of it, so the value was meant to be empty. Put the "
            "comment on a line of its own.",
            taken=taken,
        )
    meant = Secret(value.meant).masked if value.role is Role.KEY else visible(value.meant, 200)
    return _(
        "{taken} The value is {meant}; put the comment on a line of its own.",
        taken=taken,
        meant=meant,
    )


def _words(role: Role) -> str:
    if role is Role.KEY:
        return _("key")
    return _("base URL") if role is Role.BASE_URL else _("model")


def _safe(value: _Value) -> str:
    """The value; of a key only the comment can be read."""
    if value.role is not Role.KEY or not value.meant:
        return visible(value.text, 200)
    return f"{shown(Secret(value.meant))}{visible(value.text.strip()[len(value.meant) :], 120)}"


def _changes(
    value: _Value, connection: Connection, models: ModelsReply | None
) -> tuple[Change, ...]:
    name = _NAMES[value.role]
    if value.meant:
        new = Secret(value.meant) if value.role is Role.KEY else value.meant
        return (Change(CODE, name, new, _("drop the comment")),)
    if value.role is Role.KEY:
        return _keys(connection)
    served = models.models if models is not None and models.models else ()
    if value.role is Role.MODEL and len(served) <= _MOST_MODELS:
        return tuple(
            Change(
                CODE,
                name,
                model.id,
                _("ask for {model}", model=visible(model.id, 80)),
                guess=len(served) > 1,
                rank=rank,
            )
            for rank, model in enumerate(served)
        )
    return ()


def _keys(connection: Connection) -> tuple[Change, ...]:
    """For a key that was meant to be empty."""
    beside = key_beside_base_url(connection)
    if beside is not None:
        title = _("use the key of {place}", place=place(beside.origin))
        return (Change(CODE, SettingName.KEY, beside.value, title, guess=True),)
    if is_local(host_of(connection)):
        title = _("send EMPTY, for a server that asks for no key")
        return (Change(CODE, SettingName.KEY, Secret("EMPTY"), title, guess=True),)
    return ()


def _variable(name: str) -> str:
    """The variable itself, also where it stands below a key of a settings file."""
    return name.rpartition(".")[2]
