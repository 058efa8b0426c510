"""Settings that Codex refuses or ignores. Texts and rules observed with Codex 0.171.0."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping

from doctor.clients.codex_layers import Layers, home_of
from doctor.clients.codex_provider import DEFAULT_BASE, LOCAL, OPENAI, TABLE
from doctor.clients.files import File
from doctor.clients.machine import Machine
from doctor.connection import Connection, OriginKind, Unsent
from doctor.facts.settings import Unsupported
from doctor.settings.building import provider_of
from doctor.text import Text, _
from doctor.untrusted import visible

CLIENT = "codex"
_RESERVED = frozenset({OPENAI, *LOCAL})
_BUILT_IN = _RESERVED | {"amazon-bedrock"}
_NOT_A_PROJECTS = ("model_provider", "openai_base_url", TABLE)
_TEXTS = ("name", "base_url", "env_key", "experimental_bearer_token", "wire_api")


def refused(layers: Layers, connection: Connection, *, always: bool) -> Iterator[Unsupported]:
    """``always``: the user asked for Codex, so what it ignores of the shell counts too."""
    for file in layers.own:
        yield from refusals_in(file, layers)
    for file in layers.projects:
        yield from _project(file)
    yield from _unknown_provider(layers)
    yield from _base_variable(layers, connection, always=always)


def missing_home(machine: Machine) -> Iterator[Unsupported]:
    """``CODEX_HOME`` must be there; only the default folder is made."""
    held = machine.variable("CODEX_HOME")
    if held is not None and not os.path.isdir(home_of(machine)):
        yield Unsupported(
            CLIENT,
            held.name,
            held.origin,
            _("There is no folder {name}.", name=visible(held.value, 200)),
            _("Make it, or take the variable out."),
            fatal=True,
        )


def refusals_in(file: File, layers: Layers) -> Iterator[Unsupported]:
    """What one file holds that keeps Codex from starting."""
    yield from _top(file)
    for name, table in file.table(TABLE).items():
        if isinstance(table, Mapping):
            yield from _provider(layers, file, name)


def _top(file: File) -> Iterator[Unsupported]:
    profile = file.text("profile")
    if profile is not None:
        shown = visible(profile.value, 60)
        yield Unsupported(
            CLIENT,
            "profile",
            profile.origin,
            _("This way of choosing a profile is no longer supported."),
            _(
                "Start codex --profile {name}, and keep its settings in {name}.config.toml.",
                name=shown,
            ),
            fatal=True,
            value=profile.value,
            replacement="",
        )
    for key in ("model", "model_provider", "openai_base_url"):
        yield from _wrong_type(file, key)


def _provider(layers: Layers, file: File, name: str) -> Iterator[Unsupported]:
    shown = visible(name, 60)
    if name in _RESERVED:
        yield Unsupported(
            CLIENT,
            f"{TABLE}.{shown}",
            file.origin(TABLE, name),
            _("{name} is a provider of Codex's own, which cannot be overridden.", name=shown),
            _("Give it another name: [{table}.{name}-custom].", table=TABLE, name=shown),
            fatal=True,
        )
    for key in _TEXTS:
        yield from _wrong_type(file, TABLE, name, key)
    wire = file.text(TABLE, name, "wire_api")
    if wire is not None and wire.value != "responses":
        yield Unsupported(
            CLIENT,
            "wire_api",
            wire.origin,
            _("Codex speaks the Responses API alone."),
            _('Write wire_api = "responses"; the server must offer /v1/responses.'),
            fatal=True,
            value=wire.value,
            replacement="responses",
        )
    if name in _BUILT_IN:
        return
    if not any(text.value.strip() for text in layers.texts(TABLE, name, "name")):
        yield Unsupported(
            CLIENT,
            f"{TABLE}.{shown}",
            file.origin(TABLE, name),
            _("The provider has no name."),
            _('Write name = "{name}" into [{table}.{name}].', name=shown, table=TABLE),
            fatal=True,
        )
    if file.table(TABLE, name, "auth") and file.text(TABLE, name, "env_key") is not None:
        yield Unsupported(
            CLIENT,
            f"{TABLE}.{shown}.auth",
            file.origin(TABLE, name, "auth"),
            _("auth and env_key cannot stand in one provider."),
            _("Take one of them out."),
            fatal=True,
        )


def _wrong_type(file: File, *keys: str) -> Iterator[Unsupported]:
    value = file.at(*keys)
    if value is None or isinstance(value, str):
        return
    yield Unsupported(
        CLIENT,
        visible(".".join(keys), 120),
        file.origin(*keys),
        _("It must be a text in quotes."),
        fatal=True,
    )


def _project(file: File) -> Iterator[Unsupported]:
    """A project may not say where requests go."""
    for key in _NOT_A_PROJECTS:
        if file.at(key) is not None:
            yield Unsupported(
                CLIENT,
                key,
                file.origin(key),
                _("The file of a project may not say where requests go."),
                _("Write it into config.toml in your own Codex folder."),
            )


def _unknown_provider(layers: Layers) -> Iterator[Unsupported]:
    used = next(iter(layers.texts("model_provider")), None)
    known = {*_BUILT_IN, *layers.names(TABLE)}
    if used is None or used.value in known:
        return
    from doctor.suggest import nearest

    near = nearest(used.value, known)
    yield Unsupported(
        CLIENT,
        "model_provider",
        used.origin,
        _("There is no provider of that name."),
        Text("") if near is None else _("The nearest is {name}.", name=visible(near, 60)),
        fatal=True,
        value=None if near is None else used.value,
        replacement=near,
    )


def _base_variable(
    layers: Layers, connection: Connection, *, always: bool
) -> Iterator[Unsupported]:
    """``OPENAI_BASE_URL``, where Codex is surely meant by it and goes to its vendor instead."""
    held = layers.variables.get("OPENAI_BASE_URL")
    if held is None or not held.value.strip():
        return
    if connection.base_url.origin.kind is not OriginKind.DEFAULT:
        return
    vendor = provider_of(DEFAULT_BASE)
    if vendor is not None and provider_of(held.value) == vendor:
        return
    if not always and not _meant(layers, connection):
        return
    yield Unsupported(
        CLIENT,
        "OPENAI_BASE_URL",
        held.origin,
        _("Codex takes no address from a variable: its requests go to OpenAI."),
        _("Write openai_base_url into config.toml, or a provider of your own with base_url."),
    )


def _meant(layers: Layers, connection: Connection) -> bool:
    """Codex would send the very key that belongs to the variable's address."""
    if connection.unsent is not None and connection.unsent.value is Unsent.CHATGPT_LOGIN:
        return False
    shell = layers.variables.get("OPENAI_API_KEY")
    key = connection.key
    return shell is not None and key is not None and key.value.reveal() == shell.value
