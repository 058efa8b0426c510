"""KVD402: a stored login and a key compete."""

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
    listed,
    problem,
)
from doctor.connection import AuthHeader, Connection, Setting
from doctor.facts.settings import Login, LoginKind, Settings, Sighting
from doctor.secrets import Secret
from doctor.urls import is_loopback, shown

from ._credentials import (
    base_host,
    first,
    key_of_user,
    key_shown,
    login_in_effect,
    login_shown,
    logins_of,
    of_one_house,
    the,
    variable,
)

CODE = "KVD402"
_CLAUDE, _OPENCODE = "claude-code", "opencode"


@check(
    code=CODE,
    slug="oauth-login-and-key",
    severity=Severity.WARNING,
    needs=(facts.SETTINGS,),
    explains=("KVD108", "KVD111", "KVD114"),
)
async def oauth_login_and_key(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """Claude Code or opencode has a stored login, and a key from elsewhere as well.

    ## What it checks
    Whether a login stands beside a key of the user's own: the key that `/login` made (in
    `~/.claude.json`) beside `ANTHROPIC_AUTH_TOKEN`, where both travel in one request; or a
    claude.ai login beside `ANTHROPIC_API_KEY`, where the key takes the login's place. A claude.ai
    login beside `ANTHROPIC_AUTH_TOKEN` does no harm and is not told. For opencode: a ChatGPT login
    for the provider `openai` beside its `baseURL` or `apiKey`, which it then passes over. (Its
    other logins yield to the settings, Anthropic's as well, or go where these say.)

    ## Why it matters
    With two credentials in one request the server chooses, and a gateway refuses the one that it
    does not know. With an API key beside a subscription the key is billed, and Claude Code warns
    "Both claude.ai and ANTHROPIC_API_KEY set · auth may not work as expected" (older versions:
    "Auth conflict").

    ## How to fix
    For a gateway keep the token and log out: `claude /logout`. For the subscription take the key
    out of the shell and of the settings files. For opencode: `opencode auth logout`, or give the
    gateway a provider of its own name.

    ## Fix safety
    None is made: which of the two is meant only the user can say, and kvdoctor never sends what a
    login stored.

    ## References
    https://docs.claude.com/en/docs/claude-code/iam
    """
    connection = f.connection
    settings = await f.get(facts.SETTINGS)
    if connection.client == _OPENCODE and connection.unsent is not None:
        login = login_in_effect(settings, f.target)
        if login is not None and (passed := _passed_over(settings, login)):
            yield _login_wins(connection, login, passed)
        return
    if connection.client != _CLAUDE or not logins_of(settings, _CLAUDE):
        raise NotApplicable(_("no login is stored here that a key could compete with"))
    key = key_of_user(connection, settings)
    stored = first(settings, _CLAUDE, LoginKind.API_KEY)
    if key is not None and stored is not None and _is_second(connection, stored):
        yield _both_sent(connection, key, stored)
        return
    login = first(settings, _CLAUDE, LoginKind.OAUTH)
    if login is not None and connection.unsent is None and _api_key(connection) is not None:
        yield _key_wins(connection, login)


def _passed_over(settings: Settings, login: Login) -> tuple[Sighting, ...]:
    """The address and the key of the provider that the login is for, in files of opencode."""
    provider = login.origin.name.rpartition(".")[0]
    names = tuple(f"provider.{provider}.options.{name}" for name in ("baseURL", "apiKey"))
    return tuple(one for one in settings.sightings if one.name in names)


def _login_wins(connection: Connection, login: Login, passed: tuple[Sighting, ...]) -> Finding:
    names = listed(list(dict.fromkeys(variable(one.origin) for one in passed)))
    return problem(
        _("{names} of opencode lose against {login}", login=the(login), names=names)
        if len(passed) > 1
        else _("{names} of opencode loses against {login}", login=the(login), names=names),
        joined(
            _(
                "opencode sends every request of this provider to {host} with {login} "
                "({place}) and passes {names} over.",
                host=base_host(connection),
                login=the(login),
                place=str(login.origin),
                names=names,
            ),
            _(
                "To use them, end the login (opencode auth logout), or give your server a provider "
                "of another name, with npm, baseURL and models."
            ),
        ),
        evidence=(
            login_shown(login),
            *(Evidence(_("setting"), str(one.origin), _value(one)) for one in passed),
        ),
        severity=Severity.ERROR,
        clients=(_OPENCODE,),
    )


def _value(one: Sighting) -> str:
    return one.value.described if isinstance(one.value, Secret) else shown(one.value)


def _api_key(connection: Connection) -> Setting[Secret] | None:
    """What travels as x-api-key; it takes the login's place, which a token does not contest."""
    if connection.second_key is not None:
        return connection.second_key
    key = connection.key
    if key is None or not key.value or connection.auth.value is not AuthHeader.X_API_KEY:
        return None
    return key


def _is_second(connection: Connection, stored: Login) -> bool:
    """Whether the stored key travels beside another credential."""
    sent = (connection.second_key, connection.second_unsent)
    return any(one is not None and one.origin == stored.origin for one in sent)


def _both_sent(connection: Connection, key: Setting[Secret], stored: Login) -> Finding:
    name = variable(key.origin)
    host = base_host(connection) or connection.base_url.value
    foreign = bool(stored.vendor) and not of_one_house(stored.vendor, host)
    return problem(
        _("{name} and {login} are both sent", name=name, login=the(stored)),
        joined(
            _(
                "The request to {host} carries {name} as Authorization and the stored key as "
                "x-api-key; the server chooses, and new-api takes x-api-key.",
                host=host,
                name=name,
            ),
            _("So {host} gets a key that belongs to {vendor}.", host=host, vendor=stored.vendor)
            if foreign
            else "",
            _(
                "To use {name}, forget the stored key: claude /logout. To use the stored key, "
                "unset {name}.",
                name=name,
            ),
        ),
        evidence=(key_shown("Authorization", key), login_shown(stored)),
        severity=Severity.ERROR if foreign and not is_loopback(host) else None,
        clients=(_CLAUDE,),
    )


def _key_wins(connection: Connection, login: Login) -> Finding:
    key = _api_key(connection)
    assert key is not None
    name = variable(key.origin)
    return problem(
        _("{name} takes the place of {login}", name=name, login=the(login)),
        joined(
            _(
                "Claude Code sends {name} and leaves {login} alone, and warns that both are set.",
                name=name,
                login=the(login),
            ),
            _whose(connection, login, name),
        ),
        evidence=(key_shown("x-api-key", key), login_shown(login)),
        clients=(_CLAUDE,),
    )


def _whose(connection: Connection, login: Login, name: str) -> Text:
    if login.vendor and base_host(connection) == login.vendor:
        return _(
            "So the requests are billed to the key and not to the subscription. To use the login, "
            "unset {name}; to use the key, run claude /logout.",
            name=name,
        )
    return _(
        "For {host} the key is the right one: run claude /logout to end the warning, or give the "
        "key as ANTHROPIC_AUTH_TOKEN, which Claude Code takes without one.",
        host=base_host(connection) or connection.base_url.value,
    )
