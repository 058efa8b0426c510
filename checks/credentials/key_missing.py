"""KVD101: no key, or an empty one."""

from __future__ import annotations

from collections.abc import AsyncIterator

from doctor.checkapi import (
    Change,
    Confidence,
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
    joined,
    problem,
    visible,
)
from doctor.clients import profile
from doctor.connection import AuthHeader, Connection, OriginKind, Setting
from doctor.facts.machine import Environment
from doctor.patterns import Pattern

from ._client_variables import key_variables
from ._env_files import role_of
from ._key_text import is_empty
from ._place import is_local
from ._show import host_of, place
from ._sources import key_beside_base_url, origin_of
from ._verdict import WANTS, KeyVerdict, key_verdict

CODE = "KVD101"
ANY_KEY = "EMPTY"
_SDKS = ("openai-sdk", "anthropic-sdk")
_SAME_LETTERS = Pattern(r"[^a-z0-9]")


@check(
    code=CODE,
    slug="key-missing",
    severity=Severity.ERROR,
    wants=(facts.ENVIRONMENT, *WANTS),
    explains=("KVD111", "KVD114"),
)
async def key_missing(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """There is no key where one is due, or the variable is set and empty.

    What it checks: whether any source holds a key for this connection, and whether the one in
    effect holds more than blanks, quotes or the word Bearer.

    Why it matters: without a key a gateway answers 401. An empty one is worse: the header
    `Bearer ` with nothing behind it is refused by Python's clients before anything is sent
    ("Illegal header value b'Bearer '"), even for a server that asks for no key.

    How to fix: set the key. For a server that asks for none any text will do, such as `EMPTY`.

    Fix safety: `EMPTY` is tried on this machine and its own network only. A key of another
    source is tried only if it stands in the same file as the base URL, or if no source sets one and
    both are the same variable.

    References: facts/gateway-clients.md §§2.2, 2.4
    """
    connection = f.connection
    setting = connection.key
    if connection.unsent is not None or connection.second_unsent is not None:
        raise NotApplicable(_("the client authenticates with what kvdoctor does not send"))
    if not connection.configured and _can_be_set_up(connection.client):
        # KVD411 proposes how; a key alone would not help.
        raise NotApplicable(_("the client is not configured"))
    if connection.second_key is not None and not is_empty(connection.second_key.value.reveal()):
        return
    if setting is not None and not is_empty(setting.value.reveal()):
        return
    verdict = await key_verdict(f)
    local = is_local(host_of(connection))
    if verdict.let_through or (setting is None and local and not verdict.turned_away):
        return
    environment = await f.find(facts.ENVIRONMENT)
    sure = setting is not None or verdict.turned_away
    yield problem(
        _title(setting, connection),
        _(
            "{meaning}{hints}",
            meaning=_meaning(setting, connection, verdict, local),
            hints=_hints(environment, connection, setting),
        ),
        evidence=_evidence(setting, verdict),
        changes=_changes(connection, local),
        confidence=Confidence.HIGH if sure else Confidence.MEDIUM,
    )


def _title(setting: Setting[Secret] | None, connection: Connection) -> str:
    if setting is None:
        return _("No source holds a key for {host}", host=host_of(connection))
    text = setting.value.reveal()
    name = origin_of(setting).name or _("The key")
    if not text:
        return _("{name} is set, but empty", name=name)
    if not text.strip():
        return _("{name} holds nothing but blanks", name=name)
    return _('{name} holds "{text}" and no key', name=name, text=visible(text.strip(), 30))


def _meaning(
    setting: Setting[Secret] | None, connection: Connection, verdict: KeyVerdict, local: bool
) -> str:
    host = host_of(connection)
    if setting is None:
        if verdict.turned_away:
            asked = _("{host} asks for a key, and none is sent.", host=host)
        else:
            asked = _(
                "A server at {host} likely asks for one; nothing was sent to settle it.", host=host
            )
        return joined(asked, _where_to(connection))
    where = place(origin_of(setting))
    if connection.auth.value is AuthHeader.BEARER:
        header = _(
            'The header would be "Bearer" with nothing behind it, which Python\'s clients refuse '
            "before anything is sent (\"Illegal header value b'Bearer '\")."
        )
    else:
        header = _("The header would be empty.")
    if local:
        return _(
            "{header} If the server at {host} asks for no key, write any text to {place}, such "
            "as EMPTY.",
            header=header,
            host=host,
            place=where,
        )
    return _("{header} Put the key for {host} into {place}.", header=header, host=host, place=where)


def _can_be_set_up(client: str) -> bool:
    from doctor.clients.setup import known

    return known(client)


def _where_to(connection: Connection) -> str:
    """The variable for it, where the client is one with a name of its own."""
    if connection.client in _SDKS:
        return ""
    names = key_variables(connection.client)
    if not names:
        return ""
    return _(
        "{client} takes it from {name}.", client=profile(connection.client).label, name=names[0]
    )


def _hints(
    environment: Environment | None, connection: Connection, setting: Setting[Secret] | None
) -> str:
    if environment is None:
        return ""
    hints = [_hint_ci(environment), _hint_misspelt(environment, connection, setting)]
    return "".join(f" {hint}" for hint in hints if hint)


def _hint_ci(environment: Environment) -> str:
    if environment.variables.get("GITHUB_ACTIONS") != "true":
        return ""
    return _(
        "In GitHub Actions a secret that is not defined, or a run for a fork, gives an empty "
        "value without a word."
    )


def _hint_misspelt(
    environment: Environment, connection: Connection, setting: Setting[Secret] | None
) -> str:
    """A variable that differs from the one that is read in case, underscores or a letter."""
    if setting is not None:
        wanted: tuple[str, ...] = (origin_of(setting).name.rpartition(".")[2],)
    else:
        wanted = key_variables(connection.client)
    letters = {_letters(name): name for name in wanted}
    for name, value in environment.variables.items():
        meant = letters.get(_letters(name))
        if meant and name not in wanted and value:
            return _(
                "The environment holds {name}, which this client does not read: likely {meant} "
                "was meant.",
                name=visible(name, 60),
                meant=meant,
            )
    return ""


def _letters(name: str) -> str:
    plain = _SAME_LETTERS.sub("", name.lower())
    return plain.replace("apitoken", "apikey") if role_of(name) else plain


def _evidence(setting: Setting[Secret] | None, verdict: KeyVerdict) -> tuple[Evidence, ...]:
    found = []
    if setting is not None:
        value = setting.value.masked
        found.append(Evidence(_("key"), str(origin_of(setting)), value))
        for held in setting.shadows:
            if held.origin.kind is not OriginKind.CHANGE and held.value:
                found.append(Evidence(_("shadowed"), str(held.origin), held.value.described))
    reply = verdict.reply
    if reply is not None and verdict.turned_away:
        said = f"{reply.exchange.status} {reply.outcome.message}".strip()
        found.append(Evidence(_("answer"), visible(reply.exchange.url, 120), visible(said, 200)))
    return tuple(found)


def _changes(connection: Connection, local: bool) -> tuple[Change, ...]:
    beside = key_beside_base_url(connection)
    changes = []
    if beside is not None:
        title = _("use the key of {place}", place=place(beside.origin))
        changes.append(Change(CODE, SettingName.KEY, beside.value, title, guess=True))
    if local:
        title = _("send {key}, for a server that asks for no key", key=ANY_KEY)
        changes.append(Change(CODE, SettingName.KEY, Secret(ANY_KEY), title, guess=True, rank=1))
    return tuple(changes)
