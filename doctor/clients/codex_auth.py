"""What Codex sends to authenticate.

Order observed with Codex 0.171.0: the variable of ``env_key`` (unset: it does not start), the
``experimental_bearer_token``, the command of ``auth``; with ``requires_openai_auth``, and for the
built-in provider, ``CODEX_API_KEY``, then the login in ``auth.json``. With none of them no
``Authorization`` is sent at all.
"""

from __future__ import annotations

import shlex
from typing import Any

from doctor.clients.codex_layers import Layers, home_of
from doctor.clients.expiry import of_token
from doctor.clients.files import File, Files, chosen
from doctor.clients.helpers import helper_key, in_keychain
from doctor.connection import Origin, OriginKind, Setting, Shadowed, Unsent
from doctor.facts.settings import Login, LoginKind, Role
from doctor.records import dataclass
from doctor.secrets import Secret
from doctor.text import _

_VENDOR_KEY, _VENDOR_LOGIN = "api.openai.com", "chatgpt.com"
_KEYCHAIN_ITEM = "Codex Auth"


@dataclass(frozen=True, slots=True)
class Stored:
    """What ``auth.json`` holds: a key, or a login's tokens, which are not kept."""

    key: Shadowed[Secret] | None = None
    login: Setting[Unsent] | None = None


@dataclass(frozen=True, slots=True)
class Credential:
    """What is sent. ``origins`` are places that lead to it."""

    key: Setting[Secret] | None = None
    unsent: Setting[Unsent] | None = None
    origins: frozenset[Origin] = frozenset()

    @property
    def some(self) -> bool:
        return self.key is not None or self.unsent is not None


def stored_login(files: Files, layers: Layers) -> Stored:
    """Reads ``auth.json``, and notes what is there. A keyring is not looked into."""
    path = home_of(files.machine) / "auth.json"
    store = next(iter(layers.texts("cli_auth_credentials_store")), None)
    file = files.json(path, strict=True, consequence=_("Codex takes it for no login."))
    found = Stored() if file is None else _of_file(file, files)
    if store is None or store.value != "keyring":
        return found
    held = in_keychain(_KEYCHAIN_ITEM, files.machine)
    if held is False:
        return Stored()
    if held:
        label = _("login in the keychain")
        files.found.logins.append(Login(files.client, LoginKind.OAUTH, label, store.origin))
    return Stored(login=Setting(Unsent.KEYCHAIN, store.origin))


def _of_file(file: File, files: Files) -> Stored:
    mode = file.at("auth_mode")
    key = file.secret("OPENAI_API_KEY")
    found = Stored()
    if key is not None:
        files.see(file, Role.KEY, key)
        login = Login(
            files.client,
            LoginKind.API_KEY,
            _("API key of `codex login`"),
            key.origin,
            _VENDOR_KEY,
            key=key.value,
        )
        files.found.logins.append(login)
        found = Stored(key)
    if file.table("tokens"):
        origin = file.origin("tokens", "access_token")
        login = Login(
            files.client,
            LoginKind.OAUTH,
            _("ChatGPT login"),
            origin,
            _VENDOR_LOGIN,
            expires_at=of_token(file.at("tokens", "access_token")),
            renewable=bool(file.at("tokens", "refresh_token")),
        )
        files.found.logins.append(login)
        if mode == "chatgpt" or key is None:
            found = Stored(login=Setting(Unsent.CHATGPT_LOGIN, origin))
    return found


def of_openai(files: Files, stored: Stored) -> Credential:
    """``CODEX_API_KEY``, which is trimmed, before the login."""
    held = files.machine.variable("CODEX_API_KEY")
    if held is not None and held.value.strip():
        key = Shadowed(Secret(held.value.strip()), held.origin)
        return Credential(chosen(key, stored.key))
    if stored.key is not None:
        return Credential(chosen(stored.key))
    return Credential(unsent=stored.login)


def of_variable(files: Files, layers: Layers, name: Shadowed[str]) -> Credential:
    """``env_key``: blank counts as unset, and nothing else is tried then."""
    held = layers.variables.get(name.value)
    origins = frozenset((name.origin,))
    if held is None or not held.value.strip():
        return Credential(origins=origins)
    key = Shadowed(Secret(held.value), held.origin)
    if held.origin.kind is OriginKind.FILE:
        files.see(None, Role.KEY, key)
    behind = (Shadowed(Secret(h.value), h.origin) for h in layers.variables.all(name.value)[1:])
    return Credential(chosen(key, *behind), origins=origins)


def of_command(files: Files, file: File, *keys: str) -> Credential:
    """``auth``: a program that prints a key."""
    words = (file.at(*keys, "command"), *(_list(file.at(*keys, "args"))))
    origin = file.origin(*keys, "command")
    command = Shadowed(shlex.join(str(word) for word in words), origin)
    label = _("command for a key")
    files.found.logins.append(Login(files.client, LoginKind.HELPER, label, origin))
    key = helper_key(command, files.machine, files.found, files.client)
    if key is not None:
        return Credential(chosen(key))
    return Credential(unsent=Setting(Unsent.KEY_HELPER, origin))


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
