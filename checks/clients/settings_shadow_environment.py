"""KVD404: a settings file and the shell hold different values for one setting of a client."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from checks.credentials._key_text import body
from doctor.checkapi import (
    Change,
    Confidence,
    DeclaredFacts,
    Evidence,
    Finding,
    NotApplicable,
    SettingName,
    Severity,
    Text,
    _,
    check,
    facts,
    joined,
    problem,
    visible,
)
from doctor.clients import profile
from doctor.connection import Connection, Origin, OriginKind, Setting, Shadowed
from doctor.facts.answers import OutcomeKind
from doctor.facts.settings import Settings, Sighting
from doctor.secrets import Secret
from doctor.settings.building import host_of
from doctor.urls import canonical

from ._credentials import variable

CODE = "KVD404"
_SDKS = ("openai-sdk", "anthropic-sdk")
_NAMES = (SettingName.BASE_URL, SettingName.KEY, SettingName.MODEL, SettingName.MAX_TOKENS)


@check(
    code=CODE,
    slug="settings-shadow-environment",
    severity=Severity.WARNING,
    wants=(facts.COMPLETION, facts.MODELS, facts.SETTINGS),
    explains=("KVD110", "KVD212"),
)
async def settings_shadow_environment(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """One setting of a client stands in a settings file and in the shell, with different values.

    ## What it checks
    For a client with files of its own (Claude Code, Codex, Qwen Code, Gemini CLI, Aider, …): base
    URL, key, model and max_tokens in effect against those that they shadow, where one of the two
    stands in a file and the other in the shell. Equal values, and those that differ in blanks or
    quotes only, are no conflict. As long as no request fails only an address or a key counts that
    stands in both places under one name. For a compose service: a key of its `env_file` that
    `environment` empties, since `${NAME:-}` there refers to a variable that is not set.

    ## Why it matters
    Which one wins differs per client: `env` of Claude Code's settings.json beats the shell, the
    shell beats `.env` and settings in Qwen Code and Gemini CLI, `.env` beats the shell in Aider,
    and Codex reads files alone. So an `export` that worked for one client does nothing for the
    next, and a renewed key seems not to work.

    ## How to fix
    Change the value where it wins, or take it out there.

    ## Fix safety
    Where the request fails the value that loses is tried in the other's place: a model and a
    number always, a base URL and a key only where the key stays with the host that it was set for.

    ## References
    https://docs.claude.com/en/docs/claude-code/settings
    https://docs.docker.com/reference/compose-file/services/#environment
    """
    connection = f.connection
    settings = await f.find(facts.SETTINGS)
    emptied = _emptied(connection, settings)
    if emptied is not None:
        yield _in_a_container(connection, *emptied)
        return
    if connection.client in _SDKS:
        raise NotApplicable(_("this client has no settings file of its own"))
    pairs = [
        (name, setting, lost)
        for name in _NAMES
        if (setting := getattr(connection, name.value)) is not None
        for lost in _losers(setting)
    ]
    if not pairs:
        return
    answers = await _answers(f)
    fails = answers is False
    if not fails:
        pairs = [
            pair
            for pair in pairs
            if _is_meant(*pair) or (answers is None and _takes_away(pair[0], pair[1]))
        ]
    if not pairs:
        return
    blank = any(_takes_away(name, setting) for name, setting, _lost in pairs)
    changes = tuple(
        change
        for name, setting, lost in (pairs if fails else ())
        if (change := _change(connection, name, setting, lost)) is not None
    )
    yield problem(
        _title(connection, pairs[0][1], pairs[0][2]),
        joined(
            *(_sentence(connection, setting, lost) for _name, setting, lost in pairs),
            _rule(connection.client, pairs[0][1].origin),
        ),
        evidence=tuple(
            evidence
            for _name, setting, lost in pairs
            for evidence in (
                Evidence(_("wins"), str(setting.origin), _shown(setting.value)),
                Evidence(_("loses"), str(lost.origin), _shown(lost.value)),
            )
        ),
        changes=changes,
        severity=_severity(answers, blank),
        explains=("KVD101",) if blank else (),
        confidence=Confidence.MEDIUM if changes else Confidence.HIGH,
        advice=_("Change the value where it wins, or take it out there."),
        clients=(connection.client,),
    )


def _emptied(
    connection: Connection, settings: Settings | None
) -> tuple[Setting[Secret], Shadowed[Secret], Sighting] | None:
    """The empty key of a compose service, the one of its env file, and how it is written."""
    key = connection.key
    if key is None or settings is None or _meaning(key.value):
        return None
    if not key.origin.name.startswith("services."):
        return None
    lost = next((one for one in key.shadows if _meaning(one.value)), None)
    written = next((one for one in settings.sightings if one.origin == key.origin), None)
    if lost is None or written is None or lost.origin.kind is not OriginKind.FILE:
        return None
    return (key, lost, written) if "$" in _text(written.raw) else None


def _in_a_container(
    connection: Connection, key: Setting[Secret], lost: Shadowed[Secret], written: Sighting
) -> Finding:
    name, file = variable(key.origin), lost.origin.path or lost.origin.name
    return problem(
        _("The container likely gets an empty {name}, not the one of {file}", name=name, file=file),
        _(
            "`environment` sets it to {text}, which compose fills in from its own shell and from "
            "the .env beside the compose file, where it is not set. What stands in `environment` "
            "wins over `env_file`, an empty value too. Take the line out of `environment`, or "
            "start with: docker compose --env-file {file} up",
            text=visible(_text(written.raw), 100),
            file=file,
        ),
        evidence=(
            Evidence(_("wins"), str(key.origin), _shown(key.value)),
            Evidence(_("loses"), str(lost.origin), _shown(lost.value)),
        ),
        severity=Severity.ERROR,
        explains=("KVD101",),
        # Another shell, or --env-file, may set it where compose is really started.
        confidence=Confidence.MEDIUM,
        clients=(connection.client,),
    )


def _text(value: str | Secret) -> str:
    return value.reveal() if isinstance(value, Secret) else value


def _severity(answers: bool | None, blank: bool) -> Severity | None:
    if answers:
        return Severity.INFO
    return Severity.ERROR if blank else None


def _is_meant(name: SettingName, setting: Setting[Any], lost: Shadowed[Any]) -> bool:
    """Whether both were set for this client: one variable, in its file and in the shell.

    A variable of the shell that many programs read, and a model that was once chosen in the
    client's menu, are no fault as long as nothing fails.
    """
    told = name in (SettingName.BASE_URL, SettingName.KEY)
    return told and variable(setting.origin) == variable(lost.origin)


def _takes_away(name: SettingName, setting: Setting[Any]) -> bool:
    """A key that is blank where it wins takes away what the shell has."""
    return name is SettingName.KEY and not _meaning(setting.value)


def _losers(setting: Setting[Any]) -> list[Shadowed[Any]]:
    """Of what it shadows, the values of the other kind of source that say something else."""
    kinds = {OriginKind.FILE: OriginKind.ENVIRONMENT, OriginKind.ENVIRONMENT: OriginKind.FILE}
    other = kinds.get(setting.origin.kind)
    now = _meaning(setting.value)
    found = [
        lost
        for lost in setting.shadows
        if lost.origin.kind is other and _meaning(lost.value) not in ("", now)
    ]
    return found[:1]


def _meaning(value: object) -> str:
    """The value without what makes no difference between two sources."""
    if isinstance(value, Secret):
        return body(value.reveal())
    text = str(value).strip().strip("\"'")
    return (canonical(text) or text) if "://" in text else text


async def _answers(f: DeclaredFacts) -> bool | None:
    """Whether the request answers; None where none was made."""
    reply = await f.find(facts.COMPLETION)
    if reply is None:
        models = await f.find(facts.MODELS)
        reply = None if models is None else models.reply
    return None if reply is None else reply.outcome.kind is OutcomeKind.ANSWERED


def _change(
    connection: Connection, name: SettingName, setting: Setting[Any], lost: Shadowed[Any]
) -> Change | None:
    """The other value, to be tried; None where a key would go to a place that it was not set for.

    A base URL of another host is never tried with the key in effect (DESIGN §6.1).
    """
    if name is SettingName.BASE_URL and host_of(str(lost.value)) != host_of(str(setting.value)):
        return None
    if name is SettingName.KEY and not _key_belongs_here(connection, lost.origin):
        return None
    title = _("use the value of {place}", place=str(lost.origin))
    return Change(CODE, name, lost.value, title, guess=True, rank=2)


def _key_belongs_here(connection: Connection, key: Origin) -> bool:
    """Whether the other key was set for the host in effect: its own source names no other host,
    and no file of a project chose this one."""
    base = connection.base_url
    if base.origin.project or key.project:
        return False
    here = host_of(base.value)
    return all(host_of(lost.value) == here for lost in base.shadows if lost.origin.kind is key.kind)


def _title(connection: Connection, setting: Setting[Any], lost: Shadowed[Any]) -> Text:
    label = profile(connection.client).label
    name = variable(lost.origin)
    if setting.origin.path is not None:
        return _(
            "{client} takes {name} from {file}, not from the shell",
            client=label,
            name=name,
            file=setting.origin.path,
        )
    return _(
        "{client} takes {name} from the shell, not from {file}",
        client=label,
        name=name,
        file=lost.origin.path or lost.origin.name,
    )


def _sentence(connection: Connection, setting: Setting[Any], lost: Shadowed[Any]) -> Text:
    return _(
        "{winner} is in effect; {loser} of {place} is not.",
        winner=_shown(setting.value),
        loser=_shown(lost.value),
        place=str(lost.origin),
    )


def _rule(client: str, winner: Origin) -> Text | str:
    """The rule by which it wins, where it is known."""
    if client == "claude-code" and winner.path is not None:
        return _("In Claude Code `env` of a settings file beats the shell.")
    if client == "aider" and winner.path is not None:
        return _("Aider lets .env beat the shell.")
    if client == "open-webui" and winner.path is not None:
        return _(
            "Open WebUI reads variables at its first start and then keeps what it has; "
            "ENABLE_PERSISTENT_CONFIG=False makes the variables win."
        )
    if client in ("qwen-code", "gemini-cli") and winner.path is None:
        return _("There the shell beats .env and settings.json.")
    return ""


def _shown(value: object) -> str:
    return value.described if isinstance(value, Secret) else visible(str(value), 200)
