"""KVD109: a setting that names the key's variable names one that is not set, or holds the key."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping

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
    facts,
    problem,
    visible,
)
from doctor.connection import Connection
from doctor.facts.settings import Role, Settings, Sighting
from doctor.patterns import Pattern

from ._key_text import body, is_empty, looks_like_key
from ._placeholder import reference_in
from ._show import place
from ._sources import origin_of

CODE = "KVD109"
_NAME = Pattern(r"[A-Za-z_][A-Za-z0-9_]*")
_CONSEQUENCES = ("KVD101", "KVD106", "KVD111", "KVD114")
_NO_ENV_FILES = (".json", ".toml", ".yaml", ".yml")
_LETTERS = Pattern(r"[^a-z0-9]")


@check(
    code=CODE,
    slug="key-variable-unset",
    severity=Severity.ERROR,
    needs=(facts.SETTINGS, facts.ENVIRONMENT),
)
async def key_variable_unset(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """A setting such as `env_key` or `api_key_env` names a variable that is not set.

    What it checks: settings in effect whose value is the name of the variable that holds the
    key: whether it is a name, whether such a variable is set, and whether it is set to
    something.

    Why it matters: Codex stops with "Missing environment variable"; other programs go on
    without a key and get a 401. A key written there in place of a name is never sent.

    How to fix: set the variable that is named, or name the one that is set. A key belongs into
    a variable, not into such a setting.

    Fix safety: a key that stands in the name's place is tried, and so is a variable that
    differs from the name only in case or underscores, unless a file of the working folder chose
    the host.

    References: Codex: `env_key` of `[model_providers.ID]`.
    """
    settings = await f.get(facts.SETTINGS)
    variables = (await f.get(facts.ENVIRONMENT)).variables
    named = _named_for(settings, f.target)
    if not named:
        raise NotApplicable("no setting names the variable of the key")
    for sighting in named:
        finding = _examine(sighting, settings, variables, f.connection)
        if finding is not None:
            yield finding


def _named_for(settings: Settings, target: str) -> list[Sighting]:
    """Each variable once, however many entries of a file name it."""
    named = {
        sighting.raw: sighting
        for sighting in reversed(settings.sightings)
        if sighting.role is Role.KEY_VARIABLE and target in sighting.in_effect_for
    }
    return list(reversed(named.values()))


def _examine(
    sighting: Sighting, settings: Settings, variables: Mapping[str, str], connection: Connection
) -> Finding | None:
    value = sighting.value
    text = (value.reveal() if isinstance(value, Secret) else value).strip()
    if looks_like_key(text) and not _is_set(text, settings, variables):
        return _holds_a_key(sighting, text, connection)
    if not text or _is_set(text, settings, variables) or _has_key(connection):
        return None
    return _unset(sighting, text, variables, connection)


def _is_set(name: str, settings: Settings, variables: Mapping[str, str]) -> bool:
    """Set to something here, or by a source that was read (an env file)."""
    if variables.get(name):
        return True
    return any(
        seen.role is Role.KEY
        and seen.name == name
        and bool(seen.value)
        # A field of that name, such as that of Codex's auth.json, sets no variable.
        and not (seen.origin.path or "").endswith(_NO_ENV_FILES)
        for seen in settings.sightings
    )


def _has_key(connection: Connection) -> bool:
    return connection.key is not None and not is_empty(connection.key.value.reveal())


def _holds_a_key(sighting: Sighting, text: str, connection: Connection) -> Finding:
    secret = Secret(text)
    changes: tuple[Change, ...] = ()
    if not _has_key(connection) and _may_choose(sighting, connection):
        title = _("use the key that stands in {name}", name=sighting.name)
        changes = (Change(CODE, SettingName.KEY, secret, title),)
    return problem(
        _("{name} holds a key in place of a variable's name", name=sighting.name),
        _(
            "{place} is for the name of the variable that holds the key; the key itself is not "
            "looked at there. Put the key into a variable and its name here.",
            place=place(sighting.origin),
        ),
        evidence=(Evidence(_("setting"), str(sighting.origin), secret.described),),
        changes=changes,
        severity=Severity.WARNING if _has_key(connection) else None,
        explains=() if _has_key(connection) else _CONSEQUENCES,
    )


def _unset(
    sighting: Sighting, text: str, variables: Mapping[str, str], connection: Connection
) -> Finding:
    name = reference_in(text) or text
    meant = _meant(name, variables)
    changes: tuple[Change, ...] = ()
    if meant is not None and _may_choose(sighting, connection):
        title = _("use the value of {name}", name=meant)
        changes = (Change(CODE, SettingName.KEY, Secret(variables[meant]), title, guess=True),)
    return problem(
        _title(text, variables),
        _explain(sighting, text, name, meant),
        evidence=(Evidence(_("setting"), str(sighting.origin), visible(text, 100)),),
        changes=changes,
        explains=_CONSEQUENCES,
    )


def _title(text: str, variables: Mapping[str, str]) -> str:
    shown = visible(text, 60)
    if text in variables:
        return _("The variable {name} is set, but empty", name=shown)
    return _("The variable {name} is not set", name=shown)


def _explain(sighting: Sighting, text: str, name: str, meant: str | None) -> str:
    where = place(sighting.origin)
    if meant is not None and name != text:
        return _(
            "{place} wants the bare name: write {name} in place of {text}.",
            place=where,
            name=name,
            text=visible(text, 60),
        )
    if meant is not None:
        return _(
            "{place} takes the key from the variable of that very name. {meant} is set: likely "
            "it was meant.",
            place=where,
            meant=meant,
        )
    if not _NAME.fullmatch(text):
        return _("{place} holds a text that no variable can be called.", place=where)
    return _(
        "{place} takes the key from it, so no key is sent. Set it where the program is started; "
        "a variable of a shell's start file reaches only programs started from that shell.",
        place=where,
    )


def _meant(name: str, variables: Mapping[str, str]) -> str | None:
    """The variable that is set and spelled alike but for case and underscores."""
    wanted = _LETTERS.sub("", name.lower())
    alike = (set_ for set_ in variables if _LETTERS.sub("", set_.lower()) == wanted)
    return next((set_ for set_ in alike if not is_empty(body(variables[set_]))), None)


def _may_choose(sighting: Sighting, connection: Connection) -> bool:
    """Whether a key may go to this base: a file of the working folder must not decide that for
    a key that it does not hold itself (DESIGN §6.4)."""
    base = origin_of(connection.base_url)
    if not base.project:
        return True
    return isinstance(sighting.value, Secret) and sighting.origin.path == base.path
