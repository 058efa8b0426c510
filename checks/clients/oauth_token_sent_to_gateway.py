"""KVD407: a login's token goes to a server of somebody else."""

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
from doctor.facts.machine import Environment
from doctor.facts.settings import Login, LoginKind
from doctor.settings.providers import provider_for_host
from doctor.urls import is_local, is_loopback

from ._credentials import base_host, login_in_effect, login_shown, of_one_house, the

CODE = "KVD407"
_OPENCODE = "opencode"
_INSTEAD = {
    "claude-code": "ANTHROPIC_AUTH_TOKEN",
    "gemini-cli": "GEMINI_API_KEY",
    "qwen-code": "OPENAI_API_KEY",
}


@check(
    code=CODE,
    slug="oauth-token-sent-to-gateway",
    severity=Severity.CRITICAL,
    needs=(facts.SETTINGS, facts.ENVIRONMENT),
    explains=("KVD101", "KVD111", "KVD114", "KVD402", "KVD403", "KVD406"),
)
async def oauth_token_sent_to_gateway(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The client sends the token of a stored login to a host that is not the login's vendor.

    ## What it checks
    For a client whose request carries a stored login (claude.ai in Claude Code, ChatGPT in Codex,
    Google in Gemini CLI): whether the base URL leads to the vendor that the login is for.

    ## Why it matters
    With a stored claude.ai login and nothing set but `ANTHROPIC_BASE_URL`, Claude Code sends the
    login's access token to that gateway; Codex does so with the ChatGPT login where a provider has
    `requires_openai_auth = true`. Whoever runs the gateway can use the account with it. The
    gateway itself does not know the token and answers 401.

    ## How to fix
    Give the client the gateway's own key (`ANTHROPIC_AUTH_TOKEN`; for Codex `env_key` in place of
    `requires_openai_auth`): then the login is no longer sent. If requests went out already, log
    out and in again, so that the token that was shown becomes invalid.

    ## Fix safety
    kvdoctor never sends a login's token, so nothing is tried; the key of the gateway is the
    user's to set.

    ## References
    https://docs.claude.com/en/docs/claude-code/llm-gateway
    """
    settings = await f.get(facts.SETTINGS)
    login = login_in_effect(settings, f.target)
    if f.connection.unsent is None or login is None or login.kind is not LoginKind.OAUTH:
        raise NotApplicable(_("no login is sent"))
    host = base_host(f.connection)
    if not host or not login.vendor or of_one_house(login.vendor, host):
        return
    environment = await f.get(facts.ENVIRONMENT)
    yield problem(
        _("{login} would be sent to {host}", login=_capital(the(login)), host=host),
        joined(
            _why(login, host),
            _to_whom(host),
            _instead(login, host, environment),
        ),
        evidence=(
            login_shown(login),
            Evidence(_("base URL"), str(f.connection.base_url.origin), host),
        ),
        severity=_severity(host),
        clients=(login.client,),
    )


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _severity(host: str) -> Severity | None:
    """A program of the user's own may pass the login on, as some local proxies do."""
    if is_loopback(host):
        return Severity.INFO
    return Severity.WARNING if is_local(host) else None


def _why(login: Login, host: str) -> Text:
    if login.client == _OPENCODE:
        return _(
            "opencode sends {login}, which belongs to {vendor}, in the place of any key.",
            login=the(login),
            vendor=login.vendor,
        )
    return _(
        "No key is set for {host}, so the client authenticates with {login}, which belongs to "
        "{vendor}.",
        host=host,
        login=the(login),
        vendor=login.vendor,
    )


def _to_whom(host: str) -> Text:
    if is_loopback(host):
        return _("{host} is this machine: harmless as long as you know that program.", host=host)
    return _("Whoever runs {host} could use the account with it.", host=host)


def _instead(login: Login, host: str, environment: Environment) -> Text:
    if login.client == _OPENCODE:
        return _(
            "Give {host} a provider of another name, with npm, baseURL and models, or end the "
            "login: opencode auth logout.",
            host=host,
        )
    name = _INSTEAD.get(login.client, _("the client's key"))
    known = provider_for_host(host)
    held = [
        variable
        for variable in (known.key_variables if known else ())
        if environment.variables.get(variable)
    ]
    if held and login.client == "claude-code":
        return _(
            'Set {name} to the key of {host}, which {variable} holds: export {name}="${variable}".',
            name=name,
            host=host,
            variable=held[0],
        )
    if held and login.client == "codex":
        return _(
            "Name the variable of the key in the provider's table in place of "
            'requires_openai_auth: env_key = "{variable}".',
            variable=held[0],
        )
    if login.client == "codex":
        return _(
            "Name the variable that holds the key of {host} in env_key, in place of "
            "requires_openai_auth; then the login stays here.",
            host=host,
        )
    return _("Set {name} to the key of {host}; then the login stays here.", name=name, host=host)
