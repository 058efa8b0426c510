"""Continue, the editor's extension. Facts: facts/gateway-clients.md §3.7; from its source, not run.

``models`` of ``config.yaml``, else of ``config.json``: each with its own address, to which a slash
and ``chat/completions`` (Anthropic: ``messages``) are added, so a base ends in the version. A value
``${{ secrets.X }}`` is looked for in three ``.env`` files and then among the variables.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from doctor.clients.base import ClientProfile
from doctor.clients.files import File, Files, as_secret, chosen
from doctor.clients.machine import Machine
from doctor.clients.not_examined import goes_to
from doctor.clients.whatwg import href
from doctor.connection import (
    AuthHeader,
    Connection,
    Header,
    Origin,
    Protocol,
    ProxyMode,
    Setting,
    Shadowed,
)
from doctor.facts.settings import Role, Sighting
from doctor.patterns import Pattern
from doctor.records import dataclass
from doctor.secrets import Secret
from doctor.settings.building import DEFAULT
from doctor.settings.candidates import Candidate, slug
from doctor.settings.found import Found
from doctor.settings.variables import Space

_SECRET = Pattern(r"\$\{\{\s*secrets\.([A-Za-z_]\w*)\s*\}\}")


def join(base: str, path: str) -> str:
    """The path takes the place of what stands behind the last slash, a query among it.

    Raises ``ClientRefusal``.
    """
    written = base if base.endswith("/") else f"{base}/"
    folder = href(written).partition("?")[0].rpartition("/")[0]
    return folder + path


PROFILE = ClientProfile(
    id="continue",
    label="Continue",
    stack="node-env-proxy",
    paths={
        Protocol.OPENAI_CHAT: "/chat/completions",
        Protocol.ANTHROPIC_MESSAGES: "/messages",
    },
    models_path="/models",
    base_has_version=True,
    join=join,
    prepare_key=str.strip,
    headers={"anthropic-version": "2023-06-01"},
    default_base="https://api.openai.com/v1/",
)


@dataclass(frozen=True, slots=True)
class _Provider:
    base: str
    protocol: Protocol = Protocol.OPENAI_CHAT


_PROVIDERS = {
    "openai": _Provider("https://api.openai.com/v1/"),
    "anthropic": _Provider("https://api.anthropic.com/v1/", Protocol.ANTHROPIC_MESSAGES),
    "vllm": _Provider(""),
    "lmstudio": _Provider("http://localhost:1234/v1/"),
    "openrouter": _Provider("https://openrouter.ai/api/v1/"),
    "deepseek": _Provider("https://api.deepseek.com/"),
}
_CHATS = frozenset({"chat", "edit", "apply", "summarize"})


def find(machine: Machine, *, always: bool) -> Found:
    """One target per address and key of the models that chat."""
    found = Found()
    files = Files(machine, PROFILE.id, found)
    home = machine.folder("CONTINUE_GLOBAL_DIR", machine.home / ".continue")
    new = home / "config.yaml"
    file = files.yaml(new) if os.path.exists(new) else files.json(home / "config.json")
    if file is not None:
        space = _secrets(files, home)
        models = file.at("models")
        for number in range(len(models) if isinstance(models, list) else 0):
            made = _Model(file, number, space, files).candidate(len(found.candidates), always)
            if made is not None and not any(_same(made, known) for known in found.candidates):
                found.candidates.append(made)
    if always and not found.candidates:
        base = Setting(PROFILE.default_base or "", DEFAULT)
        made = Candidate(
            PROFILE.id,
            "default" if file is None else file.shown,
            Connection(client=PROFILE.id, protocol=Protocol.OPENAI_CHAT, base_url=base),
            elsewhere="" if file is None else _elsewhere(file),
        )
        found.candidates.append(made)
    return found


def _elsewhere(file: File) -> str:
    """Of the first model; a provider without an address in the file is asked at its own."""
    provider = file.text("models", 0, "provider")
    return "" if provider is None else goes_to(PROFILE.label, provider.value, provider.origin)


def _secrets(files: Files, home: Path) -> Space:
    machine = files.machine
    paths = (home / ".env", machine.cwd / ".continue" / ".env", machine.cwd / ".env")
    layers = (files.env(path) for path in paths)
    return Space((*(layer for layer in layers if layer is not None), *machine.shell.layers))


def _same(one: Candidate, other: Candidate) -> bool:
    """The same address and key, whatever the model: examined once."""
    a, b = one.connection, other.connection
    return a.base_url.value == b.base_url.value and (a.key and a.key.value) == (
        b.key and b.key.value
    )


class _Model:
    """One entry of ``models``."""

    def __init__(self, file: File, number: int, space: Space, files: Files) -> None:
        self.file = file
        self.where: tuple[str | int, ...] = ("models", number)
        self.space = space
        self.files = files
        self.named = set[Origin]()

    def candidate(self, before: int, always: bool) -> Candidate | None:
        """None for a model that does not chat, or whose protocol or address is not known; with
        ``always`` the provider's own address is one."""
        provider = _PROVIDERS.get(str(self.file.at(*self.where, "provider")))
        roles = self.file.at(*self.where, "roles")
        if provider is None or (
            isinstance(roles, list) and not _CHATS.intersection(map(str, roles))
        ):
            return None
        key = as_secret(self._text(Role.KEY, "apiKey"))
        base = self._text(Role.BASE_URL, "apiBase")
        if base is None and not (always and provider.base):
            return None
        model = self._text(Role.MODEL, "model")
        budget = self._budget()
        made = Connection(
            client=PROFILE.id,
            protocol=provider.protocol,
            base_url=chosen(base) or Setting(provider.base, DEFAULT),
            key=chosen(key),
            model=chosen(model),
            auth=Setting(
                AuthHeader.X_API_KEY
                if provider.protocol is Protocol.ANTHROPIC_MESSAGES
                else AuthHeader.BEARER,
                DEFAULT,
            ),
            max_tokens=chosen(budget),
            proxy=self._proxy(),
            headers=tuple(self._headers()),
        )
        name = self.file.text(*self.where, "name") or self.file.text(*self.where, "title")
        id_ = (
            PROFILE.id if not before else slug(f"{PROFILE.id}-{name.value if name else before + 1}")
        )
        kind = "engine" if self.file.at(*self.where, "provider") == "vllm" else "gateway"
        return Candidate(id_, self.file.shown, made, kind=kind, origins=frozenset(self.named))

    def _text(self, role: Role, name: str) -> Shadowed[str] | None:
        """The value with its secret filled in; None where that is set nowhere."""
        found = self.file.text(*self.where, name)
        whole = None if found is None else _SECRET.fullmatch(found.value.strip())
        if found is None or whole is None:
            value = as_secret(found) if role is Role.KEY else found
            self.files.see(self.file, role, value)
            return found
        if role is Role.KEY:
            self.named.add(found.origin)
            self.files.found.sightings.append(
                Sighting(Role.KEY_VARIABLE, found.origin.name, whole[1], found.origin, raw=whole[1])
            )
        held = self.space.get(whole[1])
        if held is None or not held.value:
            return None
        value = Shadowed(held.value, held.origin)
        if held.origin.path is not None and role is Role.KEY:
            self.files.see(None, role, as_secret(value))
        return value

    def _budget(self) -> Shadowed[int] | None:
        where = (*self.where, "defaultCompletionOptions", "maxTokens")
        return self.file.number(*where) or self.file.number(
            *self.where, "completionOptions", "maxTokens"
        )

    def _proxy(self) -> Setting[str]:
        own = self.file.text(*self.where, "requestOptions", "proxy")
        return chosen(own) or Setting(ProxyMode.ENVIRONMENT.value, DEFAULT)

    def _headers(self) -> Iterator[Header]:
        where = (*self.where, "requestOptions", "headers")
        for name in self.file.table(*where):
            value = self.file.text(*where, name)
            if value is not None and not _SECRET.search(value.value):
                yield Header(str(name), Secret(value.value), value.origin)
