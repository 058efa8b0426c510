"""KVD406: the stored login is too old, and nothing renews it."""

from __future__ import annotations

import time
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
    problem,
)
from doctor.connection import Connection
from doctor.facts.answers import Reply
from doctor.facts.settings import Login, LoginKind
from doctor.login_words import EXPIRED_LOGIN

from ._credentials import base_host, login_in_effect, login_shown, the

CODE = "KVD406"
_VENDOR = "anthropic.com"
_LOGIN_TOKEN = "sk-ant-oat"  # noqa: S105 - the prefix of a kind of token
_AGAIN = {
    "claude-code": "claude /login",
    "codex": "codex login",
    "gemini-cli": "gemini, then /auth",
    "qwen-code": "qwen, then /auth",
}


@check(
    code=CODE,
    slug="oauth-token-expired",
    severity=Severity.ERROR,
    needs=(facts.SETTINGS,),
    wants=(facts.COMPLETION, facts.MODELS),
    explains=("KVD101", "KVD111"),
)
async def oauth_token_expired(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """A login has expired: the one that the client sends, or the one that a relay works with.

    ## What it checks
    For a client whose requests carry a stored login: the end of its validity as the login's file
    tells it. Programs renew a login by themselves as long as they hold a refresh token, so an
    access token that is too old says nothing where one stands beside it. For a request with a key:
    whether the server refuses it with the vendor's words about a login.

    ## Why it matters
    Every request ends in 401: "OAuth token has expired. Please obtain a new token or refresh your
    existing token." The text comes from the vendor. Where kvdoctor sent a key, the login is that
    of the server in between, and no other key helps.

    ## How to fix
    Log in again, where the login is: in the client, or at the relay. For a gateway a client's login
    is of no use at all: set its key.

    ## Fix safety
    None is made: only its user can log in.

    ## References
    https://docs.claude.com/en/docs/claude-code/iam
    """
    settings = await f.get(facts.SETTINGS)
    login = login_in_effect(settings, f.target)
    if login is None or login.kind is not LoginKind.OAUTH:
        reply = await _refusal(f)
        if reply is None or not _is_relayed(f.connection):
            raise NotApplicable(_("no login is sent"))
        yield _of_a_relay(f.connection, reply)
        return
    if login.expires_at is None or login.renewable or login.expires_at > time.time():
        return
    yield problem(
        _("Expired: {login}", login=the(login)),
        _advice(login),
        evidence=(login_shown(login),),
        clients=(login.client,),
    )


async def _refusal(f: DeclaredFacts) -> Reply | None:
    """The answer that refuses a login, though none was sent."""
    models = await f.find(facts.MODELS)
    replies = (await f.find(facts.COMPLETION), None if models is None else models.reply)
    for reply in replies:
        refused = reply is not None and reply.exchange.status in (401, 403)
        if reply is not None and refused and EXPIRED_LOGIN.search(reply.outcome.message):
            return reply
    return None


def _is_relayed(connection: Connection) -> bool:
    """Whether no login's token was sent, and not to its vendor itself."""
    host = base_host(connection)
    if host == _VENDOR or host.endswith(f".{_VENDOR}"):
        return False
    keys = (connection.key, connection.second_key)
    return not any(
        key is not None and key.value.reveal().strip().startswith(_LOGIN_TOKEN) for key in keys
    )


def _of_a_relay(connection: Connection, reply: Reply) -> Finding:
    host = base_host(connection)
    exchange = reply.exchange
    return problem(
        _("The login that {host} works with has expired", host=host),
        _(
            "The answer speaks of a login's token, and none was sent. {host} passes requests on"
            " with a login of its own, which its vendor no longer takes: whoever runs it has to log"
            " in there again. No other key helps.",
            host=host,
        ),
        evidence=(
            Evidence(
                _("answer"),
                f"{exchange.method} {exchange.url} → {exchange.status}",
                reply.outcome.message,
            ),
        ),
    )


def _advice(login: Login) -> Text:
    again = _AGAIN.get(login.client)
    if again is None:
        return _("No refresh token stands beside it, so it is not renewed. Log in again.")
    return _(
        "No refresh token stands beside it, so it is not renewed. Log in again: {command}.",
        command=again,
    )
