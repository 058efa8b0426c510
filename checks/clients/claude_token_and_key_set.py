"""KVD401: Claude's token and its key are both set."""

from __future__ import annotations

from collections.abc import AsyncIterator

from checks.credentials._verdict import WANTS, KeyVerdict, key_verdict
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
)
from doctor.connection import Connection, Protocol, Setting, Shadowed
from doctor.facts.settings import Settings
from doctor.secrets import Secret

from ._credentials import base_host, is_set, key_shown, variable

CODE = "KVD401"
_TOKEN, _KEY = "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY"  # names of variables


@check(
    code=CODE,
    slug="claude-token-and-key-set",
    severity=Severity.WARNING,
    wants=(facts.SETTINGS, *WANTS),
    explains=("KVD108", "KVD110", "KVD111", "KVD114"),
)
async def claude_token_and_key_set(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """`ANTHROPIC_AUTH_TOKEN` and `ANTHROPIC_API_KEY` are both in effect, and differ.

    ## What it checks
    Whether the client sends two different credentials in one request: a token as `Authorization`
    and a key as `x-api-key`. For an SDK that sends only one of the two: whether both variables
    are set. The same text in both does no harm.

    ## Why it matters
    Claude Code sends both, and the server chooses: new-api lets `x-api-key` win, other servers
    look at `Authorization` alone. So what authenticates is not what Claude Code names as its
    method, a renewed token seems not to work, and the key of one provider is shown to another.
    Claude Code itself warns: "Both ANTHROPIC_AUTH_TOKEN and ANTHROPIC_API_KEY set · auth may not
    work as expected", and in older versions "Auth conflict".

    ## How to fix
    Keep the one that belongs to the base URL, and take the other out of the shell, the `.env` or
    the settings file that holds it.

    ## Fix safety
    Where the request is refused, each of the two is tried alone, at the same server to which both
    go anyway. The one that answers stays, and the edit takes the other one out.

    ## References
    https://docs.claude.com/en/docs/claude-code/iam
    """
    connection = f.connection
    if connection.protocol is not Protocol.ANTHROPIC_MESSAGES or connection.key is None:
        raise NotApplicable("no client of Anthropic's API")
    second = connection.second_key
    if second is not None:
        settings = await f.find(facts.SETTINGS) or Settings()
        if not _both(connection) or _is_login(second, settings):
            return
        yield _two_sent(connection, connection.key, second, await key_verdict(f))
        return
    token, key = _held(connection.key, _TOKEN), _held(connection.key, _KEY)
    if token is None or key is None or token.value.reveal() == key.value.reveal():
        return
    yield _two_set(connection, token, key)


def _both(connection: Connection) -> bool:
    one, two = connection.key, connection.second_key
    if one is None or two is None or not (is_set(one) and is_set(two)):
        return False
    return one.value.reveal().strip() != two.value.reveal().strip()


def _is_login(second: Setting[Secret], settings: Settings) -> bool:
    """A key that the client stored at a login is KVD402's."""
    return any(login.origin == second.origin for login in settings.logins)


def _two_sent(
    connection: Connection, token: Setting[Secret], key: Setting[Secret], verdict: KeyVerdict
) -> Finding:
    one, two = variable(token.origin), variable(key.origin)
    refused = verdict.turned_away
    return problem(
        _("{one} and {two} are both set, and both are sent", one=one, two=two),
        joined(
            _(
                "The request to {host} carries {one} as Authorization and {two} as x-api-key; the "
                "server chooses.",
                host=base_host(connection) or connection.base_url.value,
                one=one,
                two=two,
            ),
            _("It refuses them as they are.") if refused else "",
            _("Claude Code and the SDKs for Node and Python differ in what they send of the two."),
        ),
        evidence=(
            key_shown("Authorization", token),
            key_shown("x-api-key", key),
        ),
        changes=_alternatives(connection, token, key) if refused else (),
        severity=Severity.ERROR if refused else None,
        confidence=Confidence.MEDIUM if refused else Confidence.HIGH,
        advice=_("Keep the one that belongs to the base URL, and take the other one out."),
        clients=("claude-code",),
    )


def _alternatives(
    connection: Connection, token: Setting[Secret], key: Setting[Secret]
) -> tuple[Change, ...]:
    """Each alone; the one whose shape belongs elsewhere goes first."""
    token_is_foreign = _is_foreign(token, connection)
    without_key = Change(
        CODE,
        SettingName.SECOND_KEY,
        None,
        _("send {name} alone", name=variable(token.origin)),
        guess=True,
        rank=1 if token_is_foreign else 0,
    )
    key_alone = Change(
        CODE,
        SettingName.KEY,
        None,
        _("send {name} alone", name=variable(key.origin)),
        guess=True,
        rank=0 if token_is_foreign else 1,
    )
    return without_key, key_alone


def _is_foreign(key: Setting[Secret], connection: Connection) -> bool:
    from doctor.settings.providers import provider_for_host, providers_for_key_shape

    owners = providers_for_key_shape(key.value.reveal())
    return bool(owners) and provider_for_host(base_host(connection)) not in owners


def _two_set(connection: Connection, token: Shadowed[Secret], key: Shadowed[Secret]) -> Finding:
    return problem(
        _("{token} and {key} are both set", token=_TOKEN, key=_KEY),
        _explanation(connection.base_url.value),
        evidence=(
            Evidence(_("token"), str(token.origin), token.value.described),
            Evidence(_("key"), str(key.origin), key.value.described),
        ),
    )


def _explanation(base: str) -> Text:
    return _(
        "Claude Code sends both, and a gateway such as new-api then takes {key}; the Python SDK"
        " uses {key} alone. Keep the one that belongs to {base}.",
        key=_KEY,
        base=base,
    )


def _held(setting: Setting[Secret], name: str) -> Shadowed[Secret] | None:
    """The first filled value under ``name``, in effect or not."""
    values = (Shadowed(setting.value, setting.origin), *setting.shadows)
    named = (held for held in values if held.origin.name == name)
    return next((held for held in named if held.value.reveal().strip()), None)
