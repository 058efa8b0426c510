"""Chatbox. Facts: facts/gateway-clients.md §§3.0, 3.12, and its public source; not run.

``xyz.chatboxapp.app/config.json`` holds ``settings``: since 2025 with ``providers`` and
``customProviders``, before with ``openaiKey`` and ``apiHost`` beside each other. The address is a
host; ``/v1`` is added where it is missing and no path is set.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from doctor.clients.base import ClientProfile
from doctor.clients.files import File, Files, chosen
from doctor.clients.machine import Machine
from doctor.clients.whatwg import href
from doctor.connection import Connection, Protocol, Setting, Shadowed
from doctor.facts.settings import Role
from doctor.secrets import Secret
from doctor.settings.building import DEFAULT
from doctor.settings.candidates import Candidate, slug
from doctor.settings.found import Found

_PATH = "/chat/completions"
_FOLDER, _FILE = "xyz.chatboxapp.app", "config.json"


def join(base: str, path: str) -> str:
    """Raises ``ClientRefusal``."""
    written = base.strip().removesuffix("/").removesuffix(_PATH)
    if not written.startswith(("http://", "https://")):
        written = f"https://{written}"
    return href((written if written.endswith("/v1") else f"{written}/v1") + path)


PROFILE = ClientProfile(
    id="chatbox",
    label="Chatbox",
    stack="node-fetch",
    paths={Protocol.OPENAI_CHAT: _PATH},
    models_path="/models",
    base_has_version=False,
    join=join,
    prepare_key=str.strip,
    default_base="https://api.openai.com",
)


def find(machine: Machine, *, always: bool) -> Found:
    """The provider of new chats, else every one of OpenAI's kind that has an address."""
    found = Found()
    files = Files(machine, PROFILE.id, found)
    folders = (machine.appdata, machine.data)
    read = (files.json(folder / _FOLDER / _FILE, strict=True) for folder in folders)
    file = next((one for one in read if one is not None), None)
    if file is not None:
        _of_file(file, files)
    if always and not found.candidates:
        base = Setting(PROFILE.default_base or "", DEFAULT)
        made = Connection(client=PROFILE.id, protocol=Protocol.OPENAI_CHAT, base_url=base)
        found.candidates.append(Candidate(PROFILE.id, "default", made))
    return found


def _of_file(file: File, files: Files) -> None:
    for name, base, key, model in _providers(file):
        files.see(file, Role.KEY, key)
        if base is None or not base.value.strip():
            continue
        files.see(file, Role.BASE_URL, base)
        files.see(file, Role.MODEL, model)
        made = Connection(
            client=PROFILE.id,
            protocol=Protocol.OPENAI_CHAT,
            base_url=Setting(base.value, base.origin),
            key=chosen(key),
            model=chosen(model),
        )
        taken = files.found.candidates
        id_ = slug(f"{PROFILE.id}-{name}") if taken else PROFILE.id
        taken.append(Candidate(id_, file.shown, made))


_Said = tuple[str, Shadowed[str] | None, Shadowed[Secret] | None, Shadowed[str] | None]


def _providers(file: File) -> Iterator[_Said]:
    """Name, address, key and model of each."""
    used = file.text("settings", "defaultChatModel", "provider")
    for name in _kinds(file):
        where = ("settings", "providers", name)
        if not file.table(*where) or (used is not None and used.value != name):
            continue
        if _has_own_path(file.text(*where, "apiPath"), file.text(*where, "apiHost")):
            continue
        chosen_here = used is not None
        model = file.text("settings", "defaultChatModel", "model") if chosen_here else None
        yield name, file.text(*where, "apiHost"), file.secret(*where, "apiKey"), model
    if file.at("settings", "aiProvider") == "openai" and not file.table("settings", "providers"):
        base, key = file.text("settings", "apiHost"), file.secret("settings", "openaiKey")
        yield "openai", base, key, file.text("settings", "model")


def _kinds(file: File) -> Iterator[str]:
    """The ids of the providers that speak OpenAI's protocol."""
    yield "openai"
    own = file.at("settings", "customProviders")
    for entry in own if isinstance(own, list) else ():
        if isinstance(entry, Mapping) and entry.get("type") == "openai":
            name = entry.get("id")
            if isinstance(name, str):
                yield name


def _has_own_path(path: Shadowed[str] | None, base: Shadowed[str] | None) -> bool:
    """Whether the request goes to a path that the address and the usual one do not make."""
    if path is None or not path.value.strip():
        return False
    usual = path.value.strip().strip("/") == _PATH.strip("/")
    versioned = base is not None and base.value.strip().rstrip("/").endswith("/v1")
    return not (usual and versioned)
