"""KVD411: the client that was asked for is not set up at all."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator

from doctor.checkapi import (
    DeclaredFacts,
    Evidence,
    Finding,
    Lasting,
    NotApplicable,
    Severity,
    Text,
    _,
    check,
    facts,
    joined,
    problem,
)
from doctor.clients import profile
from doctor.connection import Connection, OriginKind
from doctor.facts.machine import Environment
from doctor.facts.settings import Role, Settings
from doctor.settings.providers import provider

from ._gateway import USUAL, Server, configured_kinds, server_of

CODE = "KVD411"
# Their logins are not in files there (facts/gateway-clients.md §3.1).
_IN_KEYCHAIN = frozenset({"claude-code"})
_SDK_VARIABLES = ("OPENAI_BASE_URL", "OPENAI_API_KEY")


@check(
    code=CODE,
    slug="client-not-configured",
    severity=Severity.ERROR,
    needs=(facts.ENVIRONMENT, facts.SETTINGS),
    wants=(facts.COMPLETION, facts.MODELS),
    explains=("KVD101", "KVD111", "KVD201", "KVD203", "KVD209"),
)
async def client_not_configured(f: DeclaredFacts) -> AsyncIterator[Finding]:
    """The client was named, and neither its files nor the shell tell it where to send requests.

    ## What it checks
    Only for a client that the user named (`kvdoctor check claude-code`): whether any of its
    settings files, variables or logins says anything. If none does, the whole block that it needs
    is offered: for TaoToken, or for the server of `--base-url`.

    ## Why it matters
    Every client wants its base URL in another form (Claude Code without /v1, Codex with it, a
    router the whole address) and under another name, and most first attempts fail on that.

    ## How to fix
    `kvdoctor fix CLIENT` writes the block after showing it, `kvdoctor undo` takes it back; a file
    that it made is removed again. The key is named by its variable and never written.

    ## Fix safety
    Values are only added, to files of the user's own. It is proved only where `--base-url`,
    `--model` and the key were given and the request with them was answered.

    ## References
    https://docs.claude.com/en/docs/claude-code/llm-gateway
    """
    from doctor.clients.setup import known

    connection = f.connection
    settings = await f.get(facts.SETTINGS)
    if not known(connection.client) or not _was_named(f.target, connection.client):
        raise NotApplicable(_("no client was named that could be set up"))
    named_key = _named_key(settings, f.target)
    if not _is_empty(connection, settings, named_key):
        raise NotApplicable(_("the client is configured"))
    server = await server_of(f, named_key)
    environment = await f.get(facts.ENVIRONMENT)
    label = profile(connection.client).label
    unseen = connection.client in _IN_KEYCHAIN and environment.platform == "darwin"
    if unseen and _signed_in(environment):
        raise NotApplicable(_("its account is signed in; on macOS the login is in the keychain"))
    if server is None:
        if connection.base_url.origin.kind is OriginKind.DEFAULT:
            yield _no_usual(label, connection.client)
        return
    if _file_says_more(connection, server, environment, settings):
        raise NotApplicable(_("the client has a server in its own files"))
    lasting = _lasting(connection, server, environment)
    yield problem(
        _("{client} is not configured here", client=label),
        joined(
            _("No settings file, variable or login tells it where to send requests."),
            _("On macOS its login lies in the keychain: --keychain looks for one.")
            if unseen
            else "",
            _not_read(connection.client, environment),
            _("This sets it up for {server}.", server=server.label),
            _key_words(server, environment),
        ),
        evidence=(Evidence(_("base URL"), _("for this client"), server.base_url),),
        lasting=(lasting,),
        # With flags for everything it answers: then nothing is broken, only not yet written down.
        severity=Severity.WARNING if server.answers or unseen else None,
        clients=(connection.client,),
    )


def _no_usual(label: str, client: str) -> Finding:
    """The usual gateway does not speak what this client speaks."""
    return problem(
        _("{client} is not configured here", client=label),
        _(
            "No settings file, variable or login tells it where to send requests, and {server} is "
            "not known to speak its API. Name the server: kvdoctor check {name} --base-url URL.",
            server=provider(USUAL).label,
            name=client,
        ),
        clients=(client,),
    )


def _not_read(client: str, environment: Environment) -> Text | str:
    """The variables of the OpenAI SDKs, which people set for Codex in vain."""
    held = [name for name in _SDK_VARIABLES if environment.variables.get(name)]
    if client != "codex" or not held:
        return ""
    return _("Codex does not read {names}.", names=", ".join(held))


def _was_named(target: str, client: str) -> bool:
    return target == client or re.fullmatch(re.escape(client) + r"-\d+", target) is not None


def _named_key(settings: Settings, target: str) -> str | None:
    """The variable of ``--key-env``."""
    for sighting in settings.sightings:
        by_flag = sighting.origin.kind is OriginKind.FLAG
        if by_flag and sighting.role is Role.KEY_VARIABLE and target in sighting.in_effect_for:
            return str(sighting.value)
    return None


def _is_empty(connection: Connection, settings: Settings, named_key: str | None) -> bool:
    base, key = connection.base_url, connection.key
    if configured_kinds(base) not in ((OriginKind.DEFAULT,), (OriginKind.FLAG,)):
        return False
    by_flag = key is not None and (
        OriginKind.FLAG in configured_kinds(key) or key.origin.name == named_key
    )
    if connection.unsent is not None or not (not configured_kinds(key) or by_flag):
        return False
    seen = [one.client for one in settings.logins]
    seen += [one.client for one in settings.unsupported if one.origin.path is not None]
    seen += [one.client for one in settings.problems]
    return connection.client not in seen


def _file_says_more(
    connection: Connection, server: Server, environment: Environment, settings: Settings
) -> bool:
    """Whether the file that the block would go to names a server, or holds a key, already: the
    client uses it in a way that makes no target here."""
    from dataclasses import replace

    whole = _lasting(connection, replace(server, model=server.model or "x"), environment)
    paths = {entry.path for entry in whole.entries}
    return any(
        sighting.origin.path in paths and sighting.role in (Role.BASE_URL, Role.KEY)
        for sighting in settings.sightings
    )


def _signed_in(environment: Environment) -> bool:
    from doctor.clients.claude_settings import signed_in
    from doctor.clients.machine import Machine
    from doctor.settings.places import Places

    return signed_in(Machine.of(environment, Places.of(environment)))


def _lasting(connection: Connection, server: Server, environment: Environment) -> Lasting:
    from doctor.clients.machine import Machine
    from doctor.clients.setup import Gateway, block_for
    from doctor.settings.places import Places

    gateway = Gateway(
        id=server.id,
        label=server.label,
        base_url=server.base_url,
        key_variable=server.key_variable,
        model=server.model,
        window=server.window,
        client=connection.client,
    )
    block = block_for(connection.client, gateway, Machine.of(environment, Places.of(environment)))
    return Lasting(
        name="setup",
        title=_(
            "set up {client} for {server}",
            client=profile(connection.client).label,
            server=server.label,
        ),
        entries=block.entries,
        lines=tuple(line for line in block.lines if line),
        notes=block.notes,
        works=server.works,
    )


def _key_words(server: Server, environment: Environment) -> Text | str:
    """Where the key comes from, as long as its variable is not set."""
    name = server.key_variable
    if name is None or environment.variables.get(name):
        return ""
    if server.console is None:
        return _("Put the key into {name} first.", name=name)
    return _("Put the key into {name} first; it is made at {url}.", name=name, url=server.console)
