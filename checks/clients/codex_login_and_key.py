"""KVD403: a ChatGPT login in Codex, and a key that is not used."""

from __future__ import annotations

from collections.abc import AsyncIterator

from doctor.checkapi import (
    DeclaredFacts,
    Evidence,
    Finding,
    NotApplicable,
    Severity,
    _,
    check,
    facts,
    joined,
    problem,
)
from doctor.facts.machine import Environment
from doctor.facts.settings import Login, LoginKind, Settings

from ._credentials import base_host, first, login_in_effect, login_shown, of_one_house

CODE = "KVD403"
_CODEX = "codex"
_KEYS = ("OPENAI_API_KEY", "OPENAI_BASE_URL")


@check(
    code=CODE,
    slug="codex-login-and-key",
    severity=Severity.WARNING,
    needs=(facts.SETTINGS, facts.ENVIRONMENT),
    explains=("KVD101", "KVD111"),
)
async def codex_login_and_key(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """Codex uses its ChatGPT login where the user gave a key or another address.

    ## What it checks
    For Codex: whether the request carries the ChatGPT login although `OPENAI_API_KEY` or
    `OPENAI_BASE_URL` is set in the shell, or a key stands in `auth.json` beside it; and whether
    the login's token goes to `api.openai.com`, which is for keys.

    ## Why it matters
    Codex reads neither variable from the shell: the address comes from `config.toml`, the key from
    the variable that `env_key` names. So the gateway is never asked, and the subscription is used
    in its place. A login's token at api.openai.com ends in "Missing scopes:
    api.responses.write".

    ## How to fix
    Give the gateway a `[model_providers.ID]` with `base_url`, `env_key` and
    `wire_api = "responses"`, and name it in `model_provider`.

    ## Fix safety
    None is made: which of the two is meant only the user can say, and kvdoctor never sends a
    login's token.

    ## References
    https://developers.openai.com/codex/config-reference
    """
    connection = f.connection
    settings = await f.get(facts.SETTINGS)
    login = first(settings, _CODEX, LoginKind.OAUTH)
    if connection.client != _CODEX or login is None:
        raise NotApplicable(_("Codex has no ChatGPT login here"))
    if connection.unsent is None or login_in_effect(settings, f.target) != login:
        return
    host = base_host(connection)
    if host == "api.openai.com" and login.vendor != host:
        yield _at_the_api(login)
    elif of_one_house(login.vendor, host):
        finding = _key_not_used(settings, await f.get(facts.ENVIRONMENT), login)
        if finding is not None:
            yield finding


def _at_the_api(login: Login) -> Finding:
    return problem(
        _("The ChatGPT login is sent to api.openai.com, which takes keys"),
        _(
            "`requires_openai_auth` sends the login's token to this provider. api.openai.com "
            "refuses it for want of a scope (api.responses.write). Run codex login --with-api-key, "
            "or take requires_openai_auth out and name the key's variable in env_key."
        ),
        evidence=(login_shown(login),),
        severity=Severity.ERROR,
        clients=(_CODEX,),
    )


def _key_not_used(settings: Settings, environment: Environment, login: Login) -> Finding | None:
    held = [name for name in _KEYS if environment.variables.get(name, "").strip()]
    stored = first(settings, _CODEX, LoginKind.API_KEY)
    if not held and stored is None:
        return None
    names = ", ".join(held) if held else _("the key in {file}", file=_file(stored))
    return problem(
        _("Codex uses its {login}, not {names}", login=login.label, names=names),
        joined(
            _("Codex reads neither OPENAI_API_KEY nor OPENAI_BASE_URL from the shell.")
            if held
            else _("Beside a login Codex does not look at the stored key."),
            _(
                "For a gateway give it a [model_providers.ID] in config.toml with base_url and "
                "env_key, and name it in model_provider; to use the login, nothing is to be done."
            ),
        ),
        evidence=(
            login_shown(login),
            *(Evidence(_("variable"), _("environment"), name) for name in held),
        ),
        clients=(_CODEX,),
    )


def _file(login: Login | None) -> str:
    return "" if login is None else (login.origin.path or login.origin.name)
