"""KVD113: a key that others can read."""

from __future__ import annotations

from collections.abc import AsyncIterator

from doctor.checkapi import (
    DeclaredFacts,
    Evidence,
    Finding,
    NotApplicable,
    Secret,
    Severity,
    _,
    check,
    facts,
    problem,
)
from doctor.facts.machine import Environment
from doctor.facts.settings import Role, SecretFile, Settings, Sighting

from ._key_text import body
from ._placeholder import is_placeholder, stands_for_no_key

_GROUP, _OTHERS = 0o040, 0o004
_OWN_CONFIGURATION = "kvdoctor.toml"


@check(
    code="KVD113",
    slug="key-exposed",
    severity=Severity.WARNING,
    blocking=False,
    needs=(facts.SETTINGS,),
    wants=(facts.ENVIRONMENT,),
)
async def key_exposed(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """A file that holds a key is tracked by git or can be read by others; or a key is hard-coded.

    What it checks: every file in which a key was found: its permission bits (not on Windows and
    not in a container, where they say nothing), whether git tracks it, and keys in
    `kvdoctor.toml`.

    Why it matters: a key that is tracked is in every clone and in the history for good. A file
    that others may read gives the key to every program and every account on the machine.

    How to fix: `chmod 600` the file. For a tracked one: take it out of git, put the key
    elsewhere, and make a new key, for the old one stays in the history.

    Fix safety: nothing about the connection is changed.

    References: https://docs.github.com/en/code-security/secret-scanning
    """
    settings = await f.get(facts.SETTINGS)
    environment = await f.find(facts.ENVIRONMENT)
    files = _by_path(settings)
    hard_coded = _hard_coded(settings)
    if not files and not hard_coded:
        raise NotApplicable("no file holds a key")
    tracked = {path for path, file in files.items() if file.tracked_by_git}
    for path in sorted(tracked):
        yield _tracked(files[path])
    if environment is None or _permissions_count(environment):
        for path, file in files.items():
            if path not in tracked and file.mode is not None and file.mode & (_GROUP | _OTHERS):
                yield _readable(file, file.mode)
    for sighting in hard_coded:
        if sighting.origin.path not in tracked:
            yield _in_own_configuration(sighting)


def _by_path(settings: Settings) -> dict[str, SecretFile]:
    """One entry per file, the first key in it standing for all."""
    files: dict[str, SecretFile] = {}
    for file in settings.secret_files:
        files.setdefault(file.path, file)
    return files


def _permissions_count(environment: Environment) -> bool:
    return environment.platform != "win32" and not environment.in_container


def _hard_coded(settings: Settings) -> list[Sighting]:
    return [
        sighting
        for sighting in settings.sightings
        if sighting.role is Role.KEY
        and (sighting.origin.path or "").replace("\\", "/").endswith(_OWN_CONFIGURATION)
        and isinstance(sighting.value, Secret)
        and _is_real(sighting.value.reveal())
    ]


def _is_real(text: str) -> bool:
    core = body(text)
    return bool(core) and not is_placeholder(core) and not stands_for_no_key(core)


def _where(file: SecretFile) -> str:
    return f"{file.path}:{file.line}" if file.line else file.path


def _tracked(file: SecretFile) -> Finding:
    return problem(
        _("{path} holds a key and is tracked by git", path=file.path),
        _(
            "Whoever has the repository has the key in {name}. `git rm --cached {path}` takes the "
            "file out of the next commit and an entry in .gitignore keeps it out; the history "
            "keeps the key, so make a new one.",
            name=file.name,
            path=file.path,
        ),
        evidence=(Evidence(_("file"), _where(file), _("{name}, tracked", name=file.name)),),
        severity=Severity.ERROR,
    )


def _readable(file: SecretFile, mode: int) -> Finding:
    bits = f"{mode & 0o777:04o}"
    if mode & _OTHERS:
        title = _("{path} holds a key and can be read by others", path=file.path)
    else:
        title = _("{path} holds a key and can be read by its group", path=file.path)
    return problem(
        title,
        _(
            "Its permissions are {bits}; `chmod 600 {path}` leaves the key in {name} to you alone.",
            bits=bits,
            path=file.path,
            name=file.name,
        ),
        evidence=(Evidence(_("file"), _where(file), bits),),
    )


def _in_own_configuration(sighting: Sighting) -> Finding:
    return problem(
        _("The key stands in {file}", file=_OWN_CONFIGURATION),
        _(
            "{place} holds the key itself. Such a file is made to be shared: put the key into a "
            "variable and write `key_env` and its name there.",
            place=str(sighting.origin),
        ),
        evidence=(Evidence(_("key"), str(sighting.origin), Secret(_text(sighting)).described),),
    )


def _text(sighting: Sighting) -> str:
    return sighting.value.reveal() if isinstance(sighting.value, Secret) else sighting.value
