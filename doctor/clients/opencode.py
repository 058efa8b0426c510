"""opencode. Facts: facts/gateway-clients.md §3.8, and observed with opencode 1.18.33.

Its base ends in the version, for Anthropic's protocol too. It sends at most 32,000 tokens as the
largest answer. A file of the project may lead a provider elsewhere whose key is the user's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from doctor.clients.ai_sdk import join, prepare_key
from doctor.clients.base import ClientProfile
from doctor.clients.files import Files
from doctor.clients.machine import Machine
from doctor.clients.not_examined import goes_to
from doctor.clients.opencode_auth import stored
from doctor.clients.opencode_layers import first, merged_names, sources, switched_on
from doctor.clients.opencode_provider import Provider
from doctor.clients.opencode_refusals import refused
from doctor.clients.opencode_source import Source
from doctor.clients.strays import move_to, of_table, strays
from doctor.connection import Connection, OriginKind, Protocol, Setting, Shadowed
from doctor.facts.settings import Role
from doctor.settings.building import DEFAULT, connection
from doctor.settings.candidates import Candidate, slug
from doctor.settings.found import Found

PROFILE = ClientProfile(
    id="opencode",
    label="opencode",
    stack="bun",
    paths={
        Protocol.OPENAI_CHAT: "/chat/completions",
        Protocol.OPENAI_RESPONSES: "/responses",
        Protocol.ANTHROPIC_MESSAGES: "/messages",
    },
    models_path="/models",
    base_has_version=True,
    join=join,
    prepare_key=prepare_key,
    headers={"user-agent": "opencode/1.18.33", "anthropic-version": "2023-06-01"},
    default_base="https://api.openai.com/v1",
)


def find(machine: Machine, *, always: bool) -> Found:
    """The provider of the chosen model; where none is chosen, every one with an address."""
    found = Found()
    files = Files(machine, PROFILE.id, found)
    read = sources(files)
    auth = stored(files)
    for source in read:
        for name in source.file.table("provider"):
            source.see(Role.KEY, "provider", name, "options", "apiKey")
        source.see(Role.MODEL, "model")
    providers = _providers(files, read)
    found.unsupported += refused(read, providers)
    if not merged_names(read, "provider"):
        right = machine.places.shown(str(machine.config / "opencode" / "opencode.json"))
        found.unsupported += strays(files, _unread(machine), of_table("provider"), move_to(right))
    for provider in providers:
        provider.see()
        made = provider.connection(auth)
        if made is not None and (always or _leads_somewhere(provider, made)):
            id_ = PROFILE.id if not found.candidates else slug(f"{PROFILE.id}-{provider.name}")
            candidate = _candidate(id_, made, provider)
            found.candidates.append(replace(candidate, elsewhere=_elsewhere(provider, made, read)))
        if always and found.candidates:
            break
    if always and not found.candidates:
        found.candidates.append(_empty(_model(read)))
    return found


def _unread(machine: Machine) -> Iterator[Path]:
    """Its folders for data and for plugins, an older program's file, a name of another program."""
    for name in ("opencode.json", "opencode.jsonc"):
        yield machine.data / "opencode" / name
    yield machine.config / "opencode.json"
    yield machine.config / "opencode" / "config.jsonc"
    yield machine.home / ".opencode.json"
    yield machine.home / ".opencode" / "config.json"
    yield machine.cwd / ".opencode.json"


def _providers(files: Files, read: tuple[Source, ...]) -> tuple[Provider, ...]:
    machine = files.machine
    model = _model(read)
    if model is not None:
        name, slash, rest = model.value.partition("/")
        bare = Shadowed(rest, model.origin) if slash and rest else None
        return (Provider(read, machine, name, bare),)
    names = tuple(n for n in merged_names(read, "provider") if switched_on(read, n))
    recent = _recent(files)
    if recent is not None and recent[0] in names:
        return (Provider(read, machine, *recent),)
    return tuple(Provider(read, machine, n, _usual_model(read, n)) for n in names)


def _model(read: tuple[Source, ...]) -> Shadowed[str] | None:
    """That of the agent that is started, else the general one."""
    agent = next((text.value for text in first(read, "default_agent")), "build")
    own = (*first(read, "mode", agent, "model"), *first(read, "agent", agent, "model"))
    return next(iter((*own, *first(read, "model"))), None)


def _recent(files: Files) -> tuple[str, Shadowed[str]] | None:
    """The provider and the model that were chosen last, from where opencode keeps its state."""
    machine = files.machine
    state = machine.folder("XDG_STATE_HOME", machine.home / ".local" / "state")
    file = files.json(state / "opencode" / "model.json")
    provider = None if file is None else file.text("recent", 0, "providerID")
    model = None if file is None else file.text("recent", 0, "modelID")
    return None if provider is None or model is None else (provider.value, model)


def _usual_model(read: tuple[Source, ...], provider: str) -> Shadowed[str] | None:
    """What opencode takes where no model is chosen; told only where there is but one."""
    names = merged_names(read, "provider", provider, "models")
    if len(names) != 1:
        return None
    keys = ("provider", provider, "models", names[0])
    source = next(s for s in reversed(read) if s.at(*keys) is not None)
    return Shadowed(names[0], source.origin(*keys))


def _leads_somewhere(provider: Provider, made: Connection) -> bool:
    """Whether a file or a login of opencode says something of a way to anywhere but the vendor."""
    if made.unsent is not None and provider.addressed:
        return True  # not to where its user set it to
    if made.base_url.origin.kind is OriginKind.DEFAULT:
        return False
    return provider.addressed or (
        made.key is not None and made.key.origin.kind is not OriginKind.ENVIRONMENT
    )


def _candidate(id_: str, made: Connection, provider: Provider) -> Candidate:
    settings = (made.base_url, made.key)
    paths = (setting.origin.path for setting in settings if setting is not None)
    label = next((path for path in paths if path is not None), "environment")
    options = ("provider", provider.name, "options")
    places = [(*options, "apiKey"), (*options, "baseURL")]
    named = {s.origin(*at) for at in places for s in provider.sources if s.at(*at) is not None}
    return Candidate(id_, label, made, origins=frozenset(named))


def _elsewhere(provider: Provider, made: Connection, read: tuple[Source, ...]) -> str:
    """Where the model's provider is none of the files: opencode knows its address by itself."""
    own = provider.name in merged_names(read, "provider")
    if own or made.base_url.value or provider.model is None:
        return ""
    return goes_to(PROFILE.label, provider.name, provider.model.origin)


def _empty(model: Shadowed[str] | None) -> Candidate:
    """For a user who named it. ``model`` is one of a provider that is not known here."""
    base = Setting(PROFILE.default_base or "", DEFAULT)
    provider = "" if model is None else model.value.partition("/")[0]
    return Candidate(
        PROFILE.id,
        "default",
        connection(PROFILE.id, base, None),
        elsewhere="" if model is None else goes_to(PROFILE.label, provider, model.origin),
    )
