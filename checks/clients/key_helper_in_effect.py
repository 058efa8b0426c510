"""KVD405: a command prints the key, beside credentials of the user's own."""

from __future__ import annotations

from collections.abc import AsyncIterator

from doctor.checkapi import (
    DeclaredFacts,
    Evidence,
    Finding,
    NotApplicable,
    Severity,
    Text,
    _,
    check,
    facts,
    joined,
    problem,
)
from doctor.connection import Connection, Setting, Unsent
from doctor.facts.machine import Environment
from doctor.facts.settings import Login, LoginKind, Settings
from doctor.secrets import Secret

from ._credentials import first, key_of_user, key_shown, login_shown, logins_of, variable

CODE = "KVD405"
_CLAUDE = "claude-code"
_OAUTH_VARIABLE = "CLAUDE_CODE_OAUTH_TOKEN"  # the name of a variable


@check(
    code=CODE,
    slug="key-helper-in-effect",
    severity=Severity.WARNING,
    needs=(facts.SETTINGS, facts.ENVIRONMENT),
    explains=("KVD111", "KVD401", "KVD402"),
)
async def key_helper_in_effect(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """`apiKeyHelper`, often one that an administrator set, decides beside the user's own key.

    ## What it checks
    Whether a settings file of Claude Code, the managed ones included, names a command that prints
    the key, and whether a token, a key or a login of the user's own stands beside it. A helper by
    itself is a sound setup and is not told.

    ## Why it matters
    With a helper Claude Code sends what the helper prints in one header and the user's own
    credential in the other: with `ANTHROPIC_AUTH_TOKEN` the helper's output travels as
    `x-api-key`, with `ANTHROPIC_API_KEY` as `Authorization`. The server chooses, and a login or
    `CLAUDE_CODE_OAUTH_TOKEN` is not sent at all.

    ## How to fix
    Keep one of them. A helper of managed settings only an administrator can take out.

    ## Fix safety
    None is made. The command is not run unless `--run-key-helper` asks for it; then its output is
    used as the key and is never shown.

    ## References
    https://docs.claude.com/en/docs/claude-code/settings
    """
    settings = await f.get(facts.SETTINGS)
    connection = f.connection
    helper = first(settings, connection.client, LoginKind.HELPER)
    if helper is None:
        raise NotApplicable(_("no command prints the key of this client"))
    if not _in_effect(connection, helper):
        return
    environment = await f.get(facts.ENVIRONMENT)
    rivals = _rivals(connection, helper, settings, environment)
    if not rivals:
        return
    yield problem(
        _("apiKeyHelper decides, though {rivals} is set as well", rivals=rivals[0].source),
        joined(
            _managed(helper),
            _what_is_sent(connection, helper),
            _("Keep one of the two.") if not helper.managed else "",
        ),
        evidence=(login_shown(helper), *rivals),
        clients=(connection.client,),
    )


def _in_effect(connection: Connection, helper: Login) -> bool:
    for unsent in (connection.unsent, connection.second_unsent):
        if unsent is not None and unsent.value is Unsent.KEY_HELPER:
            return True
    sent = (connection.key, connection.second_key)
    return any(one is not None and one.origin == helper.origin for one in sent)


def _rivals(
    connection: Connection, helper: Login, settings: Settings, environment: Environment
) -> list[Evidence]:
    """What the user gave beside the helper: keys that are sent, then logins that are not."""
    found = []
    for key in (key_of_user(connection, settings), connection.second_key):
        if key is not None and key.value.reveal().strip() and key.origin != helper.origin:
            found.append(key_shown(variable(key.origin), key))
    if connection.client == _CLAUDE and environment.variables.get(_OAUTH_VARIABLE, "").strip():
        found.append(Evidence(_OAUTH_VARIABLE, _("environment"), _("set, and not sent")))
    for login in logins_of(settings, connection.client):
        if login.kind is LoginKind.OAUTH and login.origin.name != _OAUTH_VARIABLE:
            found.append(Evidence(login.label, str(login.origin), _("stored, and not sent")))
    return found


def _managed(helper: Login) -> Text:
    if helper.managed:
        return _(
            "{file} is managed: an administrator set the command, and no file of the user's own "
            "takes it out.",
            file=helper.origin.path or helper.origin.name,
        )
    return _("{place} names a command that prints the key.", place=str(helper.origin))


def _what_is_sent(connection: Connection, helper: Login) -> str:
    key, second = connection.key, connection.second_key
    if _own(key, helper) is not None:
        return _("What it prints is sent as x-api-key, the other one as Authorization.")
    if _own(second, helper) is not None:
        return _("What it prints is sent as Authorization, the other one as x-api-key.")
    return _("What it prints is sent; a login and its token are not.")


def _own(key: Setting[Secret] | None, helper: Login) -> Setting[Secret] | None:
    return None if key is None or key.origin == helper.origin else key
